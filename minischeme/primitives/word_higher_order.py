"""The course's higher-order procedures on words and sentences: `every`, `keep`, `accumulate`, `repeated`."""

from types import FunctionType

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, NIL, Pair, Value, list_of
from minischeme.primitives.folds import accumulated
from minischeme.primitives.kinds import WORD_TYPES, Procedure, as_number, is_list
from minischeme.primitives.loops import folded_right
from minischeme.primitives.registry import primitive
from minischeme.primitives.symbols import classify, spelling
from minischeme.primitives.words import add_words, letters
from minischeme.runtime.resumption import Locals, Resume, resumed_by, transparent
from minischeme.runtime.tail_calls import TailCall


def _check_procedure(procedure: Value, name: str) -> None:
    if type(procedure) is not FunctionType:
        raise SchemeError(f"Invalid first argument to {name} (not a procedure):", procedure)


@primitive("every", dialect="berkeley", example="(every first '(have fun now)) → (h f n)")
@transparent
def every(procedure: Procedure, thing: Value, *, tail: TailCall) -> Value:
    """The sentence of what procedure makes of each word of a sentence, or letter of a word."""
    _check_procedure(procedure, "EVERY")
    return _every(procedure, thing, list_of(letters(thing)) if type(thing) in WORD_TYPES else thing, [], tail)


def _every(procedure: Procedure, thing: Value, rest: Value, words: list[Value], tail: TailCall) -> Value:
    """The words, with the results of procedure for the rest of thing behind them."""
    while type(rest) is Pair:
        result = procedure(rest.car)
        if result is None:
            result = tail.run()
        if type(result) in WORD_TYPES:
            words.append(result)
        else:
            add_words(words, result)
        rest = rest.cdr
    if rest is not NIL:
        raise SchemeError("Invalid second argument to EVERY (not a word or sentence):", thing)
    return list_of(words)


@resumed_by(_every)
def _resume_every(frame: Locals) -> Resume:
    before = list(frame["words"])

    def resume(value: Value) -> Value:
        words = list(before)
        add_words(words, value)
        return _every(frame["procedure"], frame["thing"], frame["rest"].cdr, words, frame["tail"])

    return resume


@primitive("keep", dialect="berkeley", example="(keep even? '(1 2 3 4)) → (2 4)")
@transparent
def keep(predicate: Procedure, thing: Value, *, tail: TailCall) -> Value:
    """The words of a sentence, or letters of a word, of which predicate is true."""
    _check_procedure(predicate, "KEEP")
    return _kept(predicate, thing, list_of(letters(thing)) if type(thing) in WORD_TYPES else thing, [], tail)


def _kept(predicate: Procedure, thing: Value, rest: Value, kept: list[Value], tail: TailCall) -> Value:
    while type(rest) is Pair:
        element = rest.car
        result = predicate(element)
        if result is None:
            result = tail.run()
        if result is not FALSE:
            kept.append(element)
        rest = rest.cdr
    if rest is not NIL:
        raise SchemeError("Bad second argument to KEEP (not a word or sentence):", thing)
    return classify("".join(map(spelling, kept))) if type(thing) in WORD_TYPES else list_of(kept)


@resumed_by(_kept)
def _resume_keep(frame: Locals) -> Resume:
    before = list(frame["kept"])

    def resume(answer: Value) -> Value:
        kept = [*before, frame["element"]] if answer is not FALSE else list(before)
        return _kept(frame["predicate"], frame["thing"], frame["rest"].cdr, kept, frame["tail"])

    return resume


def _elements(thing: Value, name: str, which: str = "second") -> list[Value]:
    """The letters of a word or the elements of a list; for anything else the error of the procedure called `name`."""
    if type(thing) in WORD_TYPES:
        return letters(thing)
    if not is_list(thing):
        raise SchemeError(f"Bad {which} argument to {name} (not a word or sentence):", thing)
    return list(thing)


@primitive("accumulate", dialect="berkeley", example="(accumulate + '(1 2 3)) → 6")
@transparent
def accumulate(combiner: Procedure, thing: Value, sequence: Value = None, *, tail: TailCall) -> Value:
    """What combiner makes of a sentence or word, from the right: (accumulate combiner [initial] thing)."""
    _check_procedure(combiner, "ACCUMULATE")
    if sequence is None:
        return accumulated(combiner, _elements(thing, "ACCUMULATE"), tail)
    return folded_right(combiner, thing, [_elements(sequence, "ACCUMULATE", "third")], tail)


@primitive("repeated", dialect="berkeley", example="((repeated bf 2) '(a b c d)) → (c d)")
def repeated(procedure: Procedure, n: Value, *, tail: TailCall) -> Value:
    """A procedure that applies procedure n times, one upon the other."""
    _check_procedure(procedure, "REPEATED")
    times = n if type(n) is int else as_number(n)
    if type(times) is not int or times < 0:
        raise SchemeError("Invalid second argument to REPEATED:", n)

    return _repeater(procedure, times, tail)


def _repeater(procedure: Procedure, times: int, tail: TailCall) -> Procedure:
    def repeat(x: Value) -> Value:
        left = times
        while left > 0:
            left -= 1
            x = procedure(x)
            if x is None:
                x = tail.run()
        return x

    return repeat


@resumed_by(_repeater(None, 0, TailCall()))  # its code is that of all of them
def _resume_repeater(frame: Locals) -> Resume:
    return lambda value: _repeater(frame["procedure"], frame["left"], frame["tail"])(value)
