"""The forms that catch what is raised: guard (R7RS 4.2.7), catch."""

from minischeme.data.values import FALSE, TRUE, Pair
from minischeme.expansion import core
from minischeme.expansion.core import Lambda, Node
from minischeme.expansion.forms.conditionals import choice
from minischeme.expansion.lists import cells, is_proper
from minischeme.expansion.scopes import Scope
from minischeme.expansion.special_form import Use, special_form


@special_form(
    "guard",
    "(guard (name clause …) body …), with clauses as in cond",
    example="(guard (problem ((symbol? problem) (list 'caught problem))) (raise 'oops)) → (caught oops)",
)
def expand_guard(use: Use) -> Node:
    """The body's value; of what is raised meanwhile, the first clause whose test is true, with the name bound to it."""
    head = use.operands[0]
    if type(head) is not Pair or not is_proper(head):
        use.bad()
    inner = use.inside(Scope(use.scope))
    problem = inner.scope.declare(use.name_in(head))
    # A procedure of no arguments that runs the clause; #f if there is none.
    chosen = choice(inner, cells(head.cdr), use.constant(FALSE), Use.thunk)
    choose = Lambda(use.span, "guard", (problem,), None, chosen)
    return use.call("%guard", use.thunk(use.body(use.form.cdr.cdr), use.keyword), choose)


@special_form(
    "catch", "(catch expression …)", is_weak=True, example="(list (catch (car 5)) (catch (car '(1)))) → (#t #f)"
)
def expand_catch(use: Use) -> Node:
    """Whether an error stops the evaluation of the expressions, or something else that is raised."""
    if not use.cells:
        use.bad()
    body = core.sequence(use.span, [use.sequence(use.form.cdr), use.constant(FALSE)])
    choose = Lambda(use.span, "catch", (core.Variable("problem"),), None, use.thunk(use.constant(TRUE)))
    return use.call("%guard", use.thunk(body, "catch"), choose)
