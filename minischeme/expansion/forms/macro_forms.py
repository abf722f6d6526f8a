"""The forms that define macros: define-syntax and its kin with `syntax-rules`, and the course's define-macro."""

from minischeme.data.errors import SchemeError, ScmSyntaxError
from minischeme.data.printer import is_circular
from minischeme.data.source import Span
from minischeme.data.values import Pair, String, Symbol, Value, Vector, intern, list_of
from minischeme.expansion import core
from minischeme.expansion.core import Node
from minischeme.expansion.expander import Expander
from minischeme.expansion.lists import cells, is_proper, name_cell, proper_cells
from minischeme.expansion.scopes import Macro, Scope, alias, plain
from minischeme.expansion.special_form import Use, special_form
from minischeme.expansion.syntax_rules import ELLIPSIS, UNDERSCORE, Rule, SyntaxRules

SYNTAX_RULES = intern("syntax-rules")

_GRAMMAR = "expected (syntax-rules (literal …) (pattern template) …)"


@special_form("define-syntax", "(define-syntax name (syntax-rules (literal …) (pattern template) …))")
def expand_define_syntax(use: Use) -> Node:
    """Define a macro: a use that matches a pattern stands for the template beside it."""
    name = use.operands[0]
    if type(name) is not Symbol:
        use.bad()
    return _bind(use, name, _transformer(use, use.cells[1]))


def _bind(use: Use, name: Symbol, macro: Macro) -> Node:
    if use.scope.is_toplevel:
        use.expander.define_macro(name.name, macro)
    else:
        use.scope.bind(name, macro)
    return use.constant(intern(name.name))


@special_form("letrec-syntax", "(letrec-syntax ((name transformer) …) body …)")
@special_form("let-syntax", "(let-syntax ((name transformer) …) body …)")
def expand_local_syntax(use: Use) -> Node:
    """Macros for the body only; those of letrec-syntax may use each other."""
    inner = use.inside(Scope(use.scope))
    for cell in use.clauses(use.operands[0], 2):
        if type(cell.car.car) is not Symbol:
            use.bad_binding(cell)
        outer = inner if use.keyword == "letrec-syntax" else use
        inner.scope.bind(cell.car.car, _transformer(outer, cell.car.cdr))
    return inner.body(use.form.cdr.cdr)


@special_form("syntax-error", "(syntax-error message datum …)")
def expand_syntax_error(use: Use) -> Node:
    """Stop the expansion with an error."""
    message, *irritants = map(plain, use.operands)
    if type(message) is not String:
        use.bad()
    raise ScmSyntaxError(message.text, *irritants, span=use.span)


def _transformer(use: Use, cell: Pair) -> Macro:
    """The macro of the specification in a pair's car: `syntax-rules`, or the name of another macro or form."""
    spec, part, scope = cell.car, use.within(cell), use.scope
    if type(spec) is Symbol and use.expander.syntax_of(spec, scope) is not None:
        return Macro(lambda _, form, use_scope, use_span: Pair(alias(spec, scope), form.cdr))
    if type(spec) is not Pair or not use.is_word(spec.car, SYNTAX_RULES) or not is_proper(spec):
        raise part.error("not a syntax-rules form:", spec, hint=_GRAMMAR)
    rules = _rules(part, spec)

    def expand(expander: Expander, form: Pair, use_scope: Scope, use_span: Span) -> Value:
        def is_literal(datum: Value, literal: Symbol) -> bool:
            if type(datum) is not Symbol:
                return False
            return expander.resolve(datum, use_scope) is expander.resolve(literal, scope)

        return rules.expand(form, is_literal, lambda symbol: alias(symbol, scope), use_span)

    return Macro(expand)


def _rules(use: Use, spec: Pair) -> SyntaxRules:
    parts = cells(spec.cdr)
    is_own_ellipsis = bool(parts) and type(parts[0].car) is Symbol
    ellipsis = parts.pop(0).car if is_own_ellipsis else ELLIPSIS
    literals = proper_cells(parts[0].car) if parts else None
    if literals is None or not all(type(cell.car) is Symbol for cell in literals):
        raise ScmSyntaxError("syntax-rules: bad syntax:", plain(spec), span=use.span, hint=_GRAMMAR)
    rules: list[Rule] = []
    for cell in parts[1:]:
        span = use.within(cell).span
        if is_circular(cell.car):
            raise ScmSyntaxError("syntax-rules: a rule that contains itself:", cell.car, span=span)
        # An ellipsis that another macro's template brought in is an alias.
        rule = cell.car if is_own_ellipsis else _with_words(use, cell.car)
        if not is_proper(rule) or len(cells(rule)) != 2:
            shown = plain(cell.car)
            raise ScmSyntaxError("syntax-rules: badly formed rule:", shown, span=span, hint=_GRAMMAR)
        rules.append(Rule(rule.car, rule.cdr.car, span))
    words = [cell.car if is_own_ellipsis else _with_words(use, cell.car) for cell in literals]
    return SyntaxRules(frozenset(words), ellipsis, rules)


def _with_words(use: Use, datum: Value) -> Value:
    """A rule with each symbol that means ``...`` or ``_`` replaced by the symbol itself."""
    if type(datum) is Symbol:
        return next((word for word in (ELLIPSIS, UNDERSCORE) if use.is_word(datum, word)), datum)
    if type(datum) is Pair:
        parts = cells(datum)
        return list_of([_with_words(use, cell.car) for cell in parts], _with_words(use, parts[-1].cdr))
    if type(datum) is Vector:
        return Vector(_with_words(use, item) for item in datum)
    return datum


@special_form("define-macro", "(define-macro (name parameter …) body …)")
def expand_define_macro(use: Use) -> Node:
    """Define a macro by a procedure: from the unevaluated operands to the expression that the use stands for."""
    expander, target, outside = use.expander, use.operands[0], use.inside(Scope())
    node = outside.procedure(None, target.cdr, use.form.cdr.cdr) if type(target) is Pair else outside.at(use.cells[1])
    name = use.name_in(name_cell(use.form))
    procedure = use.expander.global_scope.run_core(node)
    if not callable(procedure):
        raise SchemeError("define-macro: not a procedure:", procedure, span=use.span)

    def expand(_: Expander, form: Pair, scope: Scope, span: Span) -> Value:
        found = proper_cells(form)
        if found is None:
            Use(expander, form, [], scope, span, name.name).bad()
        operands = tuple(core.Constant(span, cell.car) for cell in found[1:])
        return _run(expander, core.Call(span, core.Constant(span, procedure), operands))

    return _bind(use, name, Macro(expand))


def _run(expander: Expander, call: core.Call) -> Value:
    """The expansion of a use of a macro that is a procedure. An error in the procedure makes the use malformed."""
    try:
        return expander.global_scope.run_core(call)
    except (OSError, MemoryError, RecursionError, ScmSyntaxError):
        raise
    except Exception as exception:
        if expander.explain is None or not expander.postpones_errors:
            raise
        error = expander.explain(exception)
        hint = error.hint or f"this comes of the use of a macro at {call.span}"
        raise ScmSyntaxError(str(error), span=error.span, hint=hint) from None
