"""`syntax-rules`: patterns and templates, data to data (R7RS 4.3).

Hygiene is by renaming: a symbol that a template introduces becomes an alias, a fresh symbol that stands for the
original where the macro was defined, unless the expansion itself binds it (`scopes.alias`).
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec

from minischeme.data.errors import ScmSyntaxError
from minischeme.data.source import Span
from minischeme.data.values import NIL, Pair, Symbol, Value, Vector, intern, list_of
from minischeme.expansion.lists import cells
from minischeme.primitives.equivalence import equal_standard

ELLIPSIS = intern("...")
UNDERSCORE = intern("_")

Bindings = dict[Symbol, Any]
"""The match of each variable of a pattern: a datum, or a `_Many` for a variable that an ellipsis follows."""

Alias = Callable[[Symbol], Symbol]
"""The function from a symbol of a template to the one that replaces it."""

IsLiteral = Callable[[Value, Symbol], bool]
"""The test whether a datum of a use means the same as a literal of the pattern."""


class _Many(list[Any]):
    """The matches of a variable that an ellipsis follows, one for each repetition."""


class Rule(msgspec.Struct, frozen=True):
    """A rule of a macro: the pattern of a use, its template, and the span of the rule."""

    pattern: Value
    template: Value
    span: Span


class SyntaxRules:
    """The rules of a macro; a ScmSyntaxError for a rule that no use can be expanded by.

    Args:
        literals: symbols that match themselves.
        ellipsis: the symbol that repeats the element before it.
    """

    def __init__(self, literals: frozenset[Symbol], ellipsis: Symbol, rules: list[Rule]) -> None:
        self._literals = literals
        self._ellipsis = None if ellipsis in literals else ellipsis
        self._rules = rules
        for rule in rules:
            self._check(rule)

    def expand(self, form: Pair, is_literal: IsLiteral, alias: Alias, span: Span) -> Value:
        """The expansion of a use; a ScmSyntaxError if no pattern matches, or the matches can't be repeated together."""
        name = form.car.name if type(form.car) is Symbol else "macro"
        for rule in self._rules:
            bindings: Bindings = {}
            if self._match(rule.pattern.cdr, form.cdr, is_literal, bindings):
                try:
                    return self._instantiate(rule.template, bindings, cache(alias), self._ellipsis)
                except ScmSyntaxError as error:
                    raise ScmSyntaxError(f"{name}: {error.message}", *error.irritants, span=span) from None
        raise ScmSyntaxError(f"{name}: bad syntax:", form, span=span, hint="no pattern of the macro matches")

    # ── patterns ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _check(self, rule: Rule) -> None:
        """Raise a ScmSyntaxError for a misplaced ellipsis, or a variable that occurs twice in a pattern."""
        if type(rule.pattern) is not Pair:
            raise ScmSyntaxError("syntax-rules: bad pattern:", rule.pattern, span=rule.span)
        depths: dict[Symbol, int] = {}
        self._note_depths(rule.pattern.cdr, 0, depths, rule)
        self._check_template(rule.template, 0, depths, self._ellipsis, rule)

    def _note_depths(self, pattern: Value, depth: int, depths: dict[Symbol, int], rule: Rule) -> None:
        """Record the number of ellipses after each variable."""
        if type(pattern) is Symbol:
            if pattern in depths:
                raise ScmSyntaxError("syntax-rules: variable twice in a pattern:", pattern, span=rule.span)
            if pattern is self._ellipsis:
                raise ScmSyntaxError("syntax-rules: misplaced ellipsis in:", rule.pattern, span=rule.span)
            if self._is_variable(pattern):
                depths[pattern] = depth
        elif type(pattern) is Vector:
            self._note_depths(list_of(pattern), depth, depths, rule)
        has_ellipsis = False
        while type(pattern) is Pair:
            part, pattern = pattern.car, pattern.cdr
            is_repeated = not has_ellipsis and type(pattern) is Pair and pattern.car is self._ellipsis
            if is_repeated:
                has_ellipsis, pattern = True, pattern.cdr
            self._note_depths(part, depth + is_repeated, depths, rule)
            if type(pattern) is not Pair and pattern is not NIL:
                self._note_depths(pattern, depth, depths, rule)

    def _check_template(
        self, template: Value, depth: int, depths: dict[Symbol, int], ellipsis: Symbol | None, rule: Rule
    ) -> None:
        if type(template) is Symbol and depths.get(template, 0) > depth:
            raise ScmSyntaxError("syntax-rules: no ellipsis behind", template, span=rule.span)
        if type(template) is Vector:
            template = list_of(template)
        if type(template) is not Pair:
            return
        if ellipsis is not None and template.car is ellipsis and type(template.cdr) is Pair:
            self._check_template(template.cdr.car, depth, depths, None, rule)
            return
        while type(template) is Pair:
            part, template = template.car, template.cdr
            inner = depth
            while type(template) is Pair and ellipsis is not None and template.car is ellipsis:
                inner, template = inner + 1, template.cdr
            if inner > depth and inner > max([depths.get(name, 0) for name in self._variables(part)], default=0):
                raise ScmSyntaxError("syntax-rules: nothing to repeat before the ellipsis:", part, span=rule.span)
            self._check_template(part, inner, depths, ellipsis, rule)
        self._check_template(template, depth, depths, ellipsis, rule)

    def _match(self, pattern: Value, datum: Value, is_literal: IsLiteral, bindings: Bindings) -> bool:
        while type(pattern) is Pair:
            if type(pattern.cdr) is Pair and pattern.cdr.car is self._ellipsis:
                return self._match_many(pattern, datum, is_literal, bindings)
            if type(datum) is not Pair or not self._match(pattern.car, datum.car, is_literal, bindings):
                return False
            pattern, datum = pattern.cdr, datum.cdr
        if type(pattern) is Symbol:
            if pattern in self._literals:
                return is_literal(datum, pattern)
            if pattern is not UNDERSCORE:
                bindings[pattern] = datum
            return True
        if type(pattern) is Vector:
            return type(datum) is Vector and self._match(list_of(pattern), list_of(datum), is_literal, bindings)
        return equal_standard(pattern, datum)

    def _match_many(self, pattern: Pair, datum: Value, is_literal: IsLiteral, bindings: Bindings) -> bool:
        """Match ``(repeated ... after . rest)``, with as many repetitions as leave enough for `after`."""
        repeated, after = pattern.car, pattern.cdr.cdr
        try:
            found = cells(datum)
        except ScmSyntaxError:
            return False  # circular
        turns = len(found) - len(cells(after))
        if turns < 0:
            return False
        if self._is_variable(repeated):  # the usual case, without the detour
            bindings[repeated] = _Many([cell.car for cell in found[:turns]])
        else:
            matched: list[Bindings] = [{} for _ in range(turns)]
            for cell, turn in zip(found, matched, strict=False):
                if not self._match(repeated, cell.car, is_literal, turn):
                    return False
            for variable in self._variables(repeated):
                bindings[variable] = _Many([turn[variable] for turn in matched])
        return self._match(after, found[turns - 1].cdr if turns else datum, is_literal, bindings)

    def _variables(self, pattern: Value) -> list[Symbol]:
        found: list[Symbol] = []
        waiting = [pattern]
        while waiting:
            part = waiting.pop()
            if type(part) is Symbol:
                if self._is_variable(part):
                    found.append(part)
            elif type(part) is Pair:
                waiting += [part.car, part.cdr]
            elif type(part) is Vector:
                waiting.extend(part)
        return found

    def _is_variable(self, part: Value) -> bool:
        """Whether a part of a pattern is a variable: a symbol that matches any datum."""
        return type(part) is Symbol and part not in self._literals and part not in (self._ellipsis, UNDERSCORE)

    # ── templates ────────────────────────────────────────────────────────────────────────────────────────────────

    def _instantiate(self, template: Value, bindings: Bindings, bring_in: Alias, ellipsis: Symbol | None) -> Value:
        if type(template) is Symbol:
            return bindings[template] if template in bindings else bring_in(template)
        if type(template) is Vector:
            return Vector(self._instantiate(list_of(template), bindings, bring_in, ellipsis))
        if type(template) is not Pair:
            return template
        if ellipsis is not None and template.car is ellipsis and type(template.cdr) is Pair:
            return self._instantiate(template.cdr.car, bindings, bring_in, None)
        items: list[Value] = []
        while type(template) is Pair:
            element, template = template.car, template.cdr
            depth = 0
            while type(template) is Pair and ellipsis is not None and template.car is ellipsis:
                depth, template = depth + 1, template.cdr
            items += self._repeated(element, depth, bindings, bring_in, ellipsis)
        return list_of(items, self._instantiate(template, bindings, bring_in, ellipsis))

    def _repeated(
        self, element: Value, depth: int, bindings: Bindings, bring_in: Alias, ellipsis: Symbol | None
    ) -> list[Value]:
        if depth == 0:
            return [self._instantiate(element, bindings, bring_in, ellipsis)]
        if depth == 1 and type(element) is Symbol:  # the usual case, without the detour
            return list(bindings[element])
        driving = {name: many for name in self._variables(element) if type(many := bindings.get(name)) is _Many}
        turns = max(map(len, driving.values()))
        if turns > min(map(len, driving.values())):
            raise ScmSyntaxError("as many are needed of each:", *map(_as_datum, reversed(driving.values())))
        items: list[Value] = []
        for turn in range(turns):
            inner = bindings | {name: many[turn] for name, many in driving.items()}
            items += self._repeated(element, depth - 1, inner, bring_in, ellipsis)
        return items


def _as_datum(matched: Any) -> Value:
    """The match of a variable, with the repetitions of an ellipsis as a list."""
    return list_of(map(_as_datum, matched)) if type(matched) is _Many else matched
