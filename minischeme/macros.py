"""`syntax-rules`: patterns and templates, data to data (R7RS 4.3).

Hygiene is by renaming: a symbol that a template brings in becomes an alias, a fresh symbol that stands for the original
where the macro was defined, unless the expansion itself binds it. What an alias stands for is known to `expander`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minischeme.errors import ScmSyntaxError
from minischeme.source import Span
from minischeme.values import NIL, Bytevector, Pair, String, Symbol, Value, Vector, intern, list_of

ELLIPSIS = intern("...")
UNDERSCORE = intern("_")

Bindings = dict[Symbol, Any]
"""What a pattern's variables matched: a datum, or a `_Many` for a variable that an ellipsis follows."""


class _Many(list[Bindings]):
    """What the turns of an ellipsis matched, one `Bindings` for each."""


class SyntaxRules:
    """The rules of a macro.

    Args: literals: symbols that match themselves. ellipsis: the symbol that repeats what stands before it. rules:
    patterns with their templates. span: where the macro is defined.
    """

    def __init__(
        self, literals: frozenset[Symbol], ellipsis: Symbol, rules: list[tuple[Value, Value]], span: Span
    ) -> None:
        self._literals = literals
        self._ellipsis = ellipsis
        self._rules = rules
        self._span = span
        for pattern, _ in rules:
            self._check_pattern(pattern)

    def expand(
        self, form: Pair, is_literal: Callable[[Value, Symbol], bool], alias: Callable[[Symbol], Symbol], span: Span
    ) -> Value:
        """What a use of the macro stands for.

        Args: form: the use. is_literal: whether a datum there means the same as a literal of the pattern. alias: gives
        the symbol to bring in for one of a template. span: where the use stands.
        Raises: ScmSyntaxError if no pattern matches.
        """
        for pattern, template in self._rules:
            bindings: Bindings = {}
            if self._match(pattern.cdr, form.cdr, is_literal, bindings):
                renamed: dict[Symbol, Symbol] = {}

                def bring_in(symbol: Symbol, renamed: dict[Symbol, Symbol] = renamed) -> Symbol:
                    found = renamed.get(symbol)
                    if found is None:
                        found = renamed[symbol] = alias(symbol)
                    return found

                return self._instantiate(template, bindings, bring_in, self._ellipsis)
        name = form.car.name if type(form.car) is Symbol else "macro"
        raise ScmSyntaxError(f"{name}: bad syntax:", form, span=span, hint="no pattern of the macro matches")

    # ── patterns ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _check_pattern(self, pattern: Value) -> None:
        if type(pattern) is not Pair:
            raise ScmSyntaxError("syntax-rules: bad pattern:", pattern, span=self._span)
        seen: set[Symbol] = set()
        waiting = [pattern.cdr]
        while waiting:
            part = waiting.pop()
            if type(part) is Symbol:
                if part in seen:
                    raise ScmSyntaxError("syntax-rules: variable twice in a pattern:", part, span=self._span)
                if part not in self._literals and part is not self._ellipsis and part is not UNDERSCORE:
                    seen.add(part)
            elif type(part) is Pair:
                waiting += [part.car, part.cdr]
            elif type(part) is Vector:
                waiting.append(list_of(part))

    def _match(
        self, pattern: Value, datum: Value, is_literal: Callable[[Value, Symbol], bool], bindings: Bindings
    ) -> bool:
        while type(pattern) is Pair:
            if type(pattern.cdr) is Pair and self._is_ellipsis(pattern.cdr.car):
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
        return _same_atom(pattern, datum)

    def _match_many(
        self, pattern: Pair, datum: Value, is_literal: Callable[[Value, Symbol], bool], bindings: Bindings
    ) -> bool:
        """Match ``(repeated ... after . rest)``: as many turns as leave enough for what comes after."""
        repeated, after = pattern.car, pattern.cdr.cdr
        items: list[Value] = []
        rest = datum
        while type(rest) is Pair:
            items.append(rest.car)
            rest = rest.cdr
        needed = _length(after)
        turns = len(items) - needed
        if turns < 0:
            return False
        matched = _Many()
        for item in items[:turns]:
            turn: Bindings = {}
            if not self._match(repeated, item, is_literal, turn):
                return False
            matched.append(turn)
        for variable in self._variables(repeated):
            bindings[variable] = matched
        remaining = datum
        for _ in range(turns):
            remaining = remaining.cdr
        return self._match(after, remaining, is_literal, bindings)

    def _variables(self, pattern: Value) -> list[Symbol]:
        found: list[Symbol] = []
        waiting = [pattern]
        while waiting:
            part = waiting.pop()
            if type(part) is Symbol:
                if part not in self._literals and part is not self._ellipsis and part is not UNDERSCORE:
                    found.append(part)
            elif type(part) is Pair:
                waiting += [part.car, part.cdr]
            elif type(part) is Vector:
                waiting.extend(part)
        return found

    def _is_ellipsis(self, datum: Value) -> bool:
        return datum is self._ellipsis and self._ellipsis not in self._literals

    # ── templates ────────────────────────────────────────────────────────────────────────────────────────────────

    def _instantiate(
        self, template: Value, bindings: Bindings, bring_in: Callable[[Symbol], Symbol], ellipsis: Symbol | None
    ) -> Value:
        if type(template) is Symbol:
            if template not in bindings:
                return bring_in(template)
            value = bindings[template]
            if isinstance(value, _Many):
                raise ScmSyntaxError("syntax-rules: no ellipsis behind", template, span=self._span)
            return value
        if type(template) is Vector:
            items = self._instantiate(list_of(template), bindings, bring_in, ellipsis)
            return Vector(items)
        if type(template) is not Pair:
            return template
        if ellipsis is not None and template.car is ellipsis and type(template.cdr) is Pair:
            return self._instantiate(template.cdr.car, bindings, bring_in, None)
        items, rest = self._elements(template, bindings, bring_in, ellipsis)
        return list_of(items, self._instantiate(rest, bindings, bring_in, ellipsis) if rest is not NIL else NIL)

    def _elements(
        self, template: Pair, bindings: Bindings, bring_in: Callable[[Symbol], Symbol], ellipsis: Symbol | None
    ) -> tuple[list[Value], Value]:
        """The instantiated elements of a list template, and its end: ``()`` or a dotted tail."""
        items: list[Value] = []
        rest: Value = template
        while type(rest) is Pair:
            element, rest = rest.car, rest.cdr
            depth = 0
            while type(rest) is Pair and ellipsis is not None and rest.car is ellipsis:
                depth += 1
                rest = rest.cdr
            items += self._repeated(element, depth, bindings, bring_in, ellipsis)
            if type(rest) is Pair and rest.car is ellipsis and ellipsis is not None:
                break
        return items, rest

    def _repeated(
        self,
        element: Value,
        depth: int,
        bindings: Bindings,
        bring_in: Callable[[Symbol], Symbol],
        ellipsis: Symbol | None,
    ) -> list[Value]:
        if depth == 0:
            return [self._instantiate(element, bindings, bring_in, ellipsis)]
        driving = [value for name in self._variables(element) if isinstance(value := bindings.get(name), _Many)]
        if not driving:
            raise ScmSyntaxError("syntax-rules: nothing to repeat before the ellipsis:", element, span=self._span)
        distinct = {id(many): many for many in driving}
        turns = max(map(len, distinct.values()))
        items: list[Value] = []
        for turn in range(turns):
            inner = dict(bindings)
            for many in distinct.values():
                if turn >= len(many):
                    raise ScmSyntaxError("syntax-rules: ellipses of different lengths:", element, span=self._span)
                inner.update(many[turn])
            items += self._repeated(element, depth - 1, inner, bring_in, ellipsis)
        return items


def _length(pattern: Value) -> int:
    """How many elements a pattern without an ellipsis takes."""
    count = 0
    while type(pattern) is Pair:
        count += 1
        pattern = pattern.cdr
    return count


def _same_atom(pattern: Value, datum: Value) -> bool:
    """Whether an atom of a pattern matches: ``equal?`` on atoms."""
    if type(pattern) is not type(datum):
        return False
    if type(pattern) is String:
        return bool(pattern.text == datum.text)
    if type(pattern) is Bytevector:
        return bytes(pattern) == bytes(datum)
    if isinstance(pattern, int | float):
        return bool(pattern == datum)
    return pattern is datum
