"""The forms that define macros: define-syntax and its kin with `syntax-rules`, and the course's define-macro."""

from __future__ import annotations

from minischeme.data.errors import SchemeError, ScmSyntaxError
from minischeme.data.printer import is_circular
from minischeme.data.source import Span
from minischeme.data.values import NIL, Pair, String, Symbol, Value, Vector, intern, list_of
from minischeme.expansion import core
from minischeme.expansion.expander import (
    Expander,
    Macro,
    Scope,
    cells,
    defined_name,
    is_proper,
    keyword,
    name_cell,
    special_form,
)
from minischeme.expansion.syntax_rules import ELLIPSIS, UNDERSCORE, Rule, SyntaxRules

SYNTAX_RULES = intern("syntax-rules")

_GRAMMAR = "expected (syntax-rules (literal …) (pattern template) …)"


@special_form("define-syntax", "(define-syntax name (syntax-rules (literal …) (pattern template) …))")
def expand_define_syntax(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Define a macro: a use that matches a pattern stands for the template beside it."""
    operands = cells(form.cdr)
    if len(operands) != 2 or type(operands[0].car) is not Symbol:
        expander.bad(form, span)
    _bind(expander, operands[0].car, _transformer(expander, form, operands[1], scope, span), scope)
    return core.Constant(span, intern(operands[0].car.name))


def _bind(expander: Expander, name: Symbol, macro: Macro, scope: Scope) -> None:
    if scope.is_toplevel:
        expander.define_macro(name.name, macro)
    else:
        scope.bind(name, macro)


def _expand_local_syntax(expander: Expander, form: Pair, scope: Scope, span: Span, *, recursive: bool) -> core.Node:
    if type(form.cdr) is not Pair or type(form.cdr.cdr) is not Pair or not is_proper(form.cdr.car):
        expander.bad(form, span)
    inner = Scope(scope)
    for cell in cells(form.cdr.car):
        parts = cells(cell.car)
        if len(parts) != 2 or type(parts[0].car) is not Symbol:
            expander.bad_binding(form, cell, span)
        inner.bind(parts[0].car, _transformer(expander, form, parts[1], inner if recursive else scope, span))
    return expander.body(form.cdr.cdr, inner, span)


@special_form("let-syntax", "(let-syntax ((name transformer) …) body …)")
def expand_let_syntax(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Macros for the body only."""
    return _expand_local_syntax(expander, form, scope, span, recursive=False)


@special_form("letrec-syntax", "(letrec-syntax ((name transformer) …) body …)")
def expand_letrec_syntax(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Macros for the body only, which may use each other."""
    return _expand_local_syntax(expander, form, scope, span, recursive=True)


@special_form("syntax-error", "(syntax-error message datum …)")
def expand_syntax_error(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Stop the expansion with an error."""
    operands = [expander.plain(cell.car) for cell in cells(form.cdr)]
    if not operands or type(operands[0]) is not String:
        expander.bad(form, span)
    raise ScmSyntaxError(operands[0].text, *operands[1:], span=span)


def _transformer(expander: Expander, form: Pair, cell: Pair, scope: Scope, span: Span) -> Macro:
    """The macro that a transformer spec describes: `syntax-rules`, or the name of another macro or form.

    Args: form: what a complaint names. cell: the pair that the spec is in.
    """
    spec, place = cell.car, expander.span_at(cell, span)
    if type(spec) is Symbol and expander.syntax_of(spec, scope) is not None:
        return Macro(lambda form, use_scope, use_span: Pair(expander.alias(spec, scope), form.cdr))
    if type(spec) is not Pair or not expander.is_word(spec.car, SYNTAX_RULES, scope) or not is_proper(spec):
        raise ScmSyntaxError(f"{keyword(form)}: not a syntax-rules form:", spec, span=place, hint=_GRAMMAR)
    rules = _rules(expander, spec, scope, place)

    def expand(form: Pair, use_scope: Scope, use_span: Span) -> Value:
        def is_literal(datum: Value, literal: Symbol) -> bool:
            return type(datum) is Symbol and expander.resolve(datum, use_scope) is expander.resolve(literal, scope)

        return rules.expand(form, is_literal, lambda symbol: expander.alias(symbol, scope), use_span)

    return Macro(expand)


def _rules(expander: Expander, spec: Pair, scope: Scope, span: Span) -> SyntaxRules:
    parts = cells(spec.cdr)
    ellipsis = ELLIPSIS
    is_own_ellipsis = bool(parts) and type(parts[0].car) is Symbol
    if is_own_ellipsis:
        ellipsis = parts.pop(0).car
    literals = cells(parts[0].car) if parts and is_proper(parts[0].car) else None
    if literals is None or not all(type(cell.car) is Symbol for cell in literals):
        raise ScmSyntaxError("syntax-rules: bad syntax:", expander.plain(spec), span=span, hint=_GRAMMAR)
    rules: list[Rule] = []
    for cell in parts[1:]:
        place = expander.span_at(cell, span)
        if is_circular(cell.car):
            raise ScmSyntaxError("syntax-rules: a rule that contains itself:", cell.car, span=place)
        # An ellipsis that another macro's template brought in is an alias.
        rule = cell.car if is_own_ellipsis else _with_words(expander, cell.car, scope)
        if not is_proper(rule) or len(cells(rule)) != 2:
            shown = expander.plain(cell.car)
            raise ScmSyntaxError("syntax-rules: badly formed rule:", shown, span=place, hint=_GRAMMAR)
        rules.append(Rule(rule.car, rule.cdr.car, place))
    words = [cell.car if is_own_ellipsis else _with_words(expander, cell.car, scope) for cell in literals]
    return SyntaxRules(frozenset(words), ellipsis, rules)


def _with_words(expander: Expander, datum: Value, scope: Scope) -> Value:
    """A rule with each symbol that means ``...`` or ``_`` replaced by the symbol itself."""
    if type(datum) is Symbol:
        for word in (ELLIPSIS, UNDERSCORE):
            if datum is not word and expander.is_word(datum, word, scope):
                return word
        return datum
    if type(datum) is Pair:
        parts = cells(datum)
        return list_of(
            [_with_words(expander, cell.car, scope) for cell in parts], _with_words(expander, parts[-1].cdr, scope)
        )
    if type(datum) is Vector:
        return Vector(_with_words(expander, item, scope) for item in datum)
    return datum


@special_form("define-macro", "(define-macro (name parameter …) body …)")
def expand_define_macro(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Define a macro by a procedure: from the unevaluated operands to the expression that the use stands for."""
    if type(form.cdr) is not Pair or form.cdr.cdr is NIL:
        expander.bad(form, span)
    target = form.cdr.car
    if type(target) is Pair:
        node: core.Node = expander.procedure(None, target.cdr, form.cdr.cdr, Scope(), span, form)
    else:
        node = expander.at(form.cdr.cdr, Scope(), span)
    name = defined_name(form)
    if type(name) is not Symbol:
        expander.bad(form, expander.span_at(name_cell(form), span), culprit=name)
    procedure = expander.run(node)
    if not callable(procedure):
        raise SchemeError("define-macro: not a procedure:", procedure, span=span)

    def expand(use: Pair, use_scope: Scope, use_span: Span) -> Value:
        if not is_proper(use):
            expander.bad(use, use_span)
        operands = tuple(core.Constant(use_span, cell.car) for cell in cells(use.cdr))
        return expander.run_macro(core.Call(use_span, core.Constant(use_span, procedure), operands))

    _bind(expander, name, Macro(expand), scope)
    return core.Constant(span, intern(name.name))
