"""The course's data: words and sentences, taken apart, put together, looked into, mapped (DIALECT.md 1.1 to 1.4).

These run in every turn of a student's loops, so the usual case stands first in each.
"""

from types import FunctionType

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, NIL, TRUE, Boolean, Pair, String, Symbol, Value, boolean, list_of
from minischeme.primitives.equivalence import equal, word_key
from minischeme.primitives.kinds import WORD_TYPES, Procedure, as_number, is_integer, is_list, is_word
from minischeme.primitives.loops import folded_over
from minischeme.primitives.mapping import accumulated
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import predicate, primitive
from minischeme.primitives.symbols import classify, spelling
from minischeme.runtime.resumption import Locals, Resume, resumed_by, resumed_loop
from minischeme.runtime.sentence_sharing import Sentences
from minischeme.runtime.tail_calls import TailCall


def letters(word: Value) -> list[Value]:
    """The letters of a word, each a word of its own."""
    return [classify(letter) for letter in spelling(word)]


def _part(x: Value, name: str, part: int | slice) -> Value:
    """A part of a word; a SchemeError of the procedure of that name if there is none.

    A symbol remembers those of its parts that are no strings, which string-set! could change.
    """
    text = spelling(x) if type(x) in WORD_TYPES else ""
    if not text:
        raise SchemeError(f"Invalid argument to {name.upper()}:", x)
    word = classify(text[part])
    if type(x) is Symbol and type(word) is not String:
        setattr(x, name, word)
    return word


@primitive("first", dialect="berkeley", example="(first '(have fun)) → have")
def first(x: Value) -> Value:
    """The first word of a sentence, or the first letter of a word."""
    if type(x) is Pair:
        return x.car
    if type(x) is Symbol and x.first is not None:
        return x.first
    if type(x) is String and x.text:
        return classify(x.text[0])
    return _part(x, "first", 0)


@primitive("butfirst", "bf", dialect="berkeley", example="(bf '(have fun now)) → (fun now)")
def butfirst(x: Value) -> Value:
    """All words of a sentence, or letters of a word, but the first."""
    if type(x) is Pair:
        return x.cdr
    if type(x) is Symbol and x.butfirst is not None:
        return x.butfirst
    if type(x) is String and x.text:
        return classify(x.text[1:])
    return _part(x, "butfirst", slice(1, None))


@primitive("last", dialect="berkeley", example="(last 'hello) → o")
def last(x: Value) -> Value:
    """The last word of a sentence, or the last letter of a word."""
    if type(x) is Symbol and x.last is not None:
        return x.last
    if type(x) is String and x.text:
        return classify(x.text[-1])
    if type(x) is Pair:
        cell, rest = x, x.cdr
        while type(rest) is Pair:
            cell, rest = rest, rest.cdr
        if rest is not NIL:
            raise SchemeError("Invalid argument to LAST:", x)
        return cell.car
    return _part(x, "last", -1)


@primitive("butlast", "bl", dialect="berkeley", example="(bl '10s) → 10")
def butlast(x: Value) -> Value:
    """All words of a sentence, or letters of a word, but the last."""
    if type(x) is Symbol and x.butlast is not None:
        return x.butlast
    if type(x) is String and x.text:
        return classify(x.text[:-1])
    if type(x) is Pair:
        words = []
        rest: Value = x
        while type(rest) is Pair:
            words.append(rest.car)
            rest = rest.cdr
        if rest is not NIL:
            raise SchemeError("Invalid argument to BUTLAST:", x)
        return list_of(words[:-1])
    return _part(x, "butlast", slice(-1))


@primitive("item", dialect="berkeley", example="(item 2 '(have fun now)) → fun")
def item(n: Value, thing: Value) -> Value:
    """The nth word of a sentence, or letter of a word; the first is number 1."""
    if type(n) is int:
        position = n
    elif is_integer(n):
        position = int(as_number(n))  # type: ignore[arg-type]
    else:
        raise SchemeError("Invalid first argument to ITEM (must be an integer):", n)
    if position < 1:
        raise SchemeError("Invalid first argument to ITEM (must be positive):", n)
    if type(thing) is Pair:
        rest: Value = thing
        for _ in range(position - 1):
            if type(rest) is not Pair:
                break
            rest = rest.cdr
        if type(rest) is Pair:
            return rest.car
    elif type(thing) in WORD_TYPES:
        text = spelling(thing)
        if position <= len(text):
            return classify(text[position - 1])
    elif thing is not NIL:
        raise SchemeError("Invalid second argument to ITEM (not a word or sentence):", thing)
    raise SchemeError("No such item:", n, thing)


# ── Putting together ─────────────────────────────────────────────────────────────────────────────────────────────────
@primitive("word", dialect="berkeley", example='(word 10 \'h) → "10h"')
def word(*words: Value) -> Value:
    """Joins words to one word."""
    try:
        text = ""
        for part in words:
            text += part.name if type(part) is Symbol else spelling(part)
        return classify(text)
    except TypeError:
        culprit = next(part for part in words if type(part) not in WORD_TYPES)
        raise SchemeError("Invalid argument to WORD:", culprit) from None


@primitive("sentence", "se", dialect="berkeley", example="(se 'have '(fun now)) → (have fun now)")
def sentence(*things: Value, sentences: Sentences) -> Value:
    """Joins words and sentences to one sentence."""
    words: list[Value] = []
    for thing in things:
        if type(thing) in WORD_TYPES:
            words.append(thing)
        else:
            add_words(words, thing)
    return sentences.made(words)


@primitive("%sentence", dialect="berkeley")
def sentence_of_two(front: Value, rest: Value, *, sentences: Sentences) -> Value:
    """Joins two words or sentences to one sentence: what compiled code calls for two, unless the first is a word and
    the second may be shared."""
    if front is sentences.listed and type(rest) in WORD_TYPES:
        words = sentences.words
        words.append(rest)
        return sentences.made(words)
    words = []
    if type(front) in WORD_TYPES:
        words.append(front)
    else:
        add_words(words, front)
    if rest is sentences.last and words:
        sentences.last = shared = list_of(words, rest)
        return shared
    if rest is not NIL:
        add_words(words, rest)
    return sentences.made(words)


def add_words(words: list[Value], thing: Value) -> None:
    """Append a word, or the words of a sentence, to `words`; a SchemeError, as of `sentence`, for any other thing."""
    if type(thing) in WORD_TYPES:
        words.append(thing)
        return
    rest = thing
    try:
        while rest is not NIL and type(rest.car) in WORD_TYPES:
            words.append(rest.car)
            rest = rest.cdr
    except AttributeError:
        pass
    if rest is not NIL:
        raise SchemeError("Argument to SENTENCE not a word or sentence:", thing)


# ── Looking ──────────────────────────────────────────────────────────────────────────────────────────────────────────
predicate("word?", is_word, "a word: a symbol, a number or a string", example="(word? 'hello) → #t", dialect="berkeley")


@primitive("sentence?", dialect="berkeley", example="(sentence? '(have fun)) → #t")
def is_sentence(thing: Value) -> Boolean:
    """Whether thing is a list of words, the empty one included."""
    if not is_list(thing):
        return FALSE
    rest = thing
    while rest is not NIL and type(rest.car) in WORD_TYPES:
        rest = rest.cdr
    return boolean(rest is NIL)


@primitive("empty?", dialect="berkeley", example="(empty? '()) → #t")
def is_empty(thing: Value) -> Boolean:
    """Whether thing is the empty sentence or the empty word."""
    if type(thing) is Pair:
        return FALSE
    return TRUE if thing is NIL or (type(thing) is String and not thing.text) else FALSE


@primitive("count", dialect="berkeley", example="(count '(have fun now)) → 3")
def count(thing: Value) -> int:
    """How many words a sentence has, or letters a word."""
    if type(thing) in WORD_TYPES:
        return len(spelling(thing))
    total = 0
    rest = thing
    while type(rest) is Pair:
        total += 1
        rest = rest.cdr
    if rest is not NIL:
        raise SchemeError("Invalid argument to COUNT:", thing)
    return total


@primitive("member?", dialect="berkeley", example="(member? 'a '(a e i o u)) → #t")
def is_member(word: Value, thing: Value) -> Boolean:
    """Whether word is one of the words of a sentence, or a letter of a word."""
    if type(word) not in WORD_TYPES:
        raise SchemeError("Invalid first argument to MEMBER?:", word)
    if type(thing) in WORD_TYPES:
        letter = spelling(word).lower()
        if len(letter) != 1:
            raise SchemeError("Invalid arguments to MEMBER?:", word, thing)
        return boolean(letter in spelling(thing).lower())
    kind, key = type(word), word_key(word)
    rest = thing
    while type(rest) is Pair:
        element = rest.car
        if (
            element.folded == key
            if type(element) is Symbol
            else element == word
            if type(element) is int is kind
            else equal(word, element)
        ):
            return TRUE
        rest = rest.cdr
    if rest is not NIL:
        raise SchemeError("Invalid second argument to MEMBER? (not a word or sentence):", thing)
    return FALSE


@primitive("appearances", dialect="berkeley", example="(appearances 'a 'banana) → 3")
def appearances(word: Value, thing: Value) -> int:
    """How often word occurs among the words of a sentence, or the letters of a word."""
    if type(word) not in WORD_TYPES:
        raise SchemeError("Invalid first argument to APPEARANCES (not a word):", word)
    if type(thing) in WORD_TYPES:
        letter = spelling(word).lower()
        return spelling(thing).lower().count(letter) if len(letter) == 1 else 0
    items = _items(thing, "Invalid second argument to APPEARANCES (not a word or sentence):")
    keys = [each.folded if type(each) is Symbol else word_key(each) for each in items]
    return keys.count(word_key(word))


def _items(thing: Value, complaint: str) -> list[Value]:
    """The words of a sentence, or the letters of a word."""
    try:
        return letters(thing) if type(thing) in WORD_TYPES else elements(thing)
    except TypeError:
        raise SchemeError(complaint, thing) from None


@primitive("before?", dialect="berkeley", example="(before? 'apple 'banana) → #t")
def is_before(word_1: Value, word_2: Value) -> Boolean:
    """Whether word-1 stands before word-2 in a dictionary, capital letters counting as small ones."""
    if type(word_1) not in WORD_TYPES:
        raise SchemeError("Invalid first argument to BEFORE? (not a word):", word_1)
    if type(word_2) not in WORD_TYPES:
        raise SchemeError("Invalid second argument to BEFORE? (not a word):", word_2)
    return boolean(spelling(word_1).lower() < spelling(word_2).lower())


# ── Higher-order procedures ──────────────────────────────────────────────────────────────────────────────────────────
def _check_procedure(procedure: Value, name: str) -> None:
    if type(procedure) is not FunctionType:
        raise SchemeError(f"Invalid first argument to {name} (not a procedure):", procedure)


@primitive("every", dialect="berkeley", example="(every first '(have fun now)) → (h f n)", transparent=True)
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


@resumed_loop(_every, "words")
def _go_on_with_every(state: Locals, result: Value) -> None:
    add_words(state["words"], result)
    state["rest"] = state["rest"].cdr


@primitive("keep", dialect="berkeley", example="(keep even? '(1 2 3 4)) → (2 4)", transparent=True)
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
    return kept_of(thing, kept)


def kept_of(thing: Value, kept: list[Value]) -> Value:
    """A word of the letters that are kept of a word, or a list of the elements kept of a list."""
    return classify("".join(map(spelling, kept))) if type(thing) in WORD_TYPES else list_of(kept)


@resumed_loop(_kept, "kept")
def _go_on_keeping(state: Locals, answer: Value) -> None:
    if answer is not FALSE:
        state["kept"].append(state["element"])
    state["rest"] = state["rest"].cdr


@primitive("accumulate", dialect="berkeley", example="(accumulate + '(1 2 3)) → 6", transparent=True)
def accumulate(combiner: Procedure, thing: Value, sequence: Value = None, *, tail: TailCall) -> Value:
    """What combiner makes of a sentence or word, from the right: (accumulate combiner [initial] thing)."""
    _check_procedure(combiner, "ACCUMULATE")
    which, source = ("second", thing) if sequence is None else ("third", sequence)
    complaint = f"Bad {which} argument to ACCUMULATE (not a word or sentence):"
    items = _items(source, complaint)
    if sequence is None:
        return accumulated(combiner, items, tail)
    return folded_over(reversed(items), combiner, thing, tail)


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
