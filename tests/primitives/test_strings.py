"""The standard procedures on strings, characters and symbols, by tables of cases and by properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from primitive_calls import LIBRARIES, pending, result
from sessions import error_of
from tables import cases

from minischeme.data.values import UNSPECIFIED, Char, String, Symbol, boolean, intern
from minischeme.primitives import strings, symbols

R7RS = LIBRARIES["r7rs"]

STRINGS = r"""
    (string? "a") → #t
    (string? 'a) → #f
    (string-null? "") → #t
    (string-null? " ") → #f
    (make-string 3 #\x) → "xxx"
    (make-string "2") → "  "
    (string) → ""
    (string #\a #\b) → "ab"
    (string-length "abc") → 3
    (string-length "") → 0
    (string-ref "abc" 0) → #\a
    (string-ref "abc" "2") → #\c
    (string-append) → ""
    (string-append "a" "" "b") → "ab"
    (string-join '("a" "b" "c")) → "a b c"
    (string-join '("a" "b") ", ") → "a, b"
    (string-join '()) → ""
    (substring "abcde" 1 3) → "bc"
    (substring "abcde" 2) → "cde"
    (substring "abc" 3 3) → ""
    (string-head "abc" 2) → "ab"
    (string-tail "abc" 2) → "c"
    (string-copy "abc") → "abc"
    (string-copy "abc" 1) → "bc"
    (string-copy "abc" 1 2) → "b"
    (string->list "abc") → (#\a #\b #\c)
    (string->list "abc" 1) → (#\b #\c)
    (string->list "abc" 1 2) → (#\b)
    (list->string '(#\a #\b)) → "ab"
    (list->string '()) → ""
    (string-upcase "Straße") → "STRASSE"
    (string-downcase "ABc") → "abc"
    (string-foldcase "Straße") → "strasse"
    (string-reverse "abc") → "cba"
    (string-pad-left "12" 4) → "  12"
    (string-pad-left "12345" 3) → "345"
    (string-pad-left "7" 3 #\0) → "007"
    (string-pad-left "7" 0) → ""
    (string-pad-right "12" 4) → "12  "
    (string-pad-right "12345" 3) → "123"
    (string-search-forward "b" "abcb" 0) → 1
    (string-search-forward "b" "abcb" 2) → 3
    (string-search-forward "x" "abc" 0) → #f
    (string-search-forward "" "abc") → 0
    (string-search-backward "b" "abcb" 3) → 2
    (string-search-backward "b" "abcb") → 4
    (string-search-backward "x" "abc" 3) → #f
    (string-search-all "aa" "aaaa") → (0 1 2)
    (string-search-all "x" "aaaa") → ()
    (string-index "abc" #\c) → 2
    (string-index "abc" #\x) → #f
    (string-index "abC" char-upper-case?) → 2
    (string-index "abc" char-upper-case?) → #f
    (string-index "c" "abc") → 2
    (string=? "a" "a" "a") → #t
    (string=? "a" "a" "b") → #f
    (string=? "a" "A") → #f
    (string<? "a" "b" "c") → #t
    (string<? "a" "c" "b") → #f
    (string<? "a" "a") → #f
    (string>? "c" "b" "a") → #t
    (string<=? "a" "a" "b") → #t
    (string<=? "b" "a") → #f
    (string>=? "b" "b" "a") → #t
    (string>=? "a" "b") → #f
    (string-ci=? "Straße" "STRASSE") → #t
    (string-ci=? "a" "b") → #f
    (string-ci<? "a" "B" "c") → #t
    (string-ci>? "C" "b" "A") → #t
    (string-ci<=? "a" "A" "b") → #t
    (string-ci>=? "b" "B" "a") → #t
"""

CHARACTERS = r"""
    (char? #\a) → #t
    (char? "a") → #f
    (char=? #\a #\a #\a) → #t
    (char=? #\a #\A) → #f
    (char<? #\a #\b #\c) → #t
    (char<? #\a #\c #\b) → #f
    (char>? #\c #\b #\a) → #t
    (char<=? #\a #\a #\b) → #t
    (char>=? #\b #\b #\a) → #t
    (char>=? #\a #\b) → #f
    (char-ci=? #\a #\A) → #t
    (char-ci<? #\a #\B) → #t
    (char-ci>? #\B #\a) → #t
    (char-ci<=? #\a #\A #\b) → #t
    (char-ci>=? #\A #\b) → #f
    (char-alphabetic? #\é) → #t
    (char-alphabetic? #\1) → #f
    (char-numeric? #\7) → #t
    (char-numeric? #\٣) → #t
    (char-numeric? #\²) → #f
    (char-whitespace? #\space) → #t
    (char-whitespace? #\tab) → #t
    (char-whitespace? #\x1c) → #f
    (char-whitespace? #\a) → #f
    (char-upper-case? #\A) → #t
    (char-upper-case? #\1) → #f
    (char-lower-case? #\a) → #t
    (char-lower-case? #\A) → #f
    (digit-value #\7) → 7
    (digit-value #\٣) → 3
    (digit-value #\a) → #f
    (char->integer #\A) → 65
    (integer->char 955) → #\λ
    (integer->char "65") → #\A
    (char-upcase #\i) → #\I
    (char-upcase #\ß) → #\ß
    (char-downcase #\A) → #\a
    (char-foldcase #\Σ) → #\σ
"""

SYMBOLS = """
    (symbol? 'a) → #t
    (symbol? "a") → #f
    (symbol->string 'abc) → "abc"
    (string->symbol "Foo") → |Foo|
    (string->symbol "10") → |10|
    (intern "foo") → foo
    (symbol-append 'foo 'bar 'baz) → foobarbaz
    (symbol<? 'a 'b 'c) → #t
    (symbol<? 'a 'c 'b) → #f
    (string->word "10") → 10
    (string->word "10s") → "10s"
    (string->word "abc") → abc
    (string->word "007") → "007"
    (word->string 'abc) → "abc"
    (word->string 1.5) → "1.5"
    (word->string "Foo") → "Foo"
"""

ERRORS = r"""
    (string-append "a" 'b) → string-append: bad string: b
    (symbol->string "a") → symbol->string: bad symbol: "a"
    (string->symbol 'a) → string->symbol: bad string: a
    (substring "abc" 2 9) → substring: bad bounds: (2 . 9)
    (substring "abc" 2 1) → substring: bad bounds: (2 . 1)
    (substring "abc" -1 2) → substring: bad index: -1
    (substring 'abc 0 1) → substring: bad string: abc
    (string-head "abc" 4) → string-head: bad bounds: (0 . 4)
    (string-tail "abc" 4) → string-tail: bad bounds: (4 . 3)
    (string-ref "abc" 3) → string-ref: index out of bounds: 3
    (string-ref "abc" 'x) → string-ref: bad index: x
    (string-ref "abc" 1.0) → string-ref: bad index: 1.0
    (string-ref #\a 0) → string-ref: bad string: #\a
    (string-set! (string-copy "abc") 3 #\x) → string-set!: index out of bounds: 3
    (string-set! (string-copy "abc") 0 "x") → string-set!: bad character: "x"
    (string-length #t) → string-length: bad string: #t
    (string=? "a" 'a) → string=?: bad string: a
    (string=? "a" "b" 'a) → string=?: bad string: a
    (string<? 1 "a") → string<?: bad string: 1
    (list->string '(#\a b)) → list->string: bad character: b
    (list->string 5) → list->string: not a list: 5
    (string-join '("a" b)) → string-join: bad string: b
    (string-copy! (make-string 2) 1 "abc") → string-copy!: bad bounds: (1 . 4)
    (make-string -1) → make-string: bad index: -1
    (string-pad-left 5 3) → string-pad-left: bad string: 5
    (string-index "" 5) → string-index: not a character, string or predicate: 5
    (char->integer "a") → char->integer: bad character: "a"
    (char-upcase 'a) → char-upcase: bad character: a
    (char<? #\a "b") → char<?: bad character: "b"
    (integer->char 55296) → integer->char: not the number of a character: 55296
    (integer->char 1114112) → integer->char: not the number of a character: 1114112
    (integer->char -1) → integer->char: bad index: -1
    (symbol-append 'a "b") → symbol-append: bad symbol: "b"
    (word->string '()) → word->string: not a word: ()
    (gensym 5) → gensym: not a symbol or string: 5
"""


@pytest.mark.parametrize(("expression", "expected"), cases(STRINGS) + cases(CHARACTERS) + cases(SYMBOLS))
def test_calls(expression: str, expected: str) -> None:
    assert result(expression) == expected


@pytest.mark.parametrize(("expression", "expected"), cases(ERRORS))
def test_errors(expression: str, expected: str) -> None:
    assert str(error_of(expression)) == expected


# Changing strings


def test_changing_strings() -> None:
    string = String("abcdef")
    assert strings.string_set(string, 1, Char.of("X")) is UNSPECIFIED
    assert string.text == "aXcdef"
    strings.string_fill(string, Char.of("-"), 4)
    assert string.text == "aXcd--"
    strings.string_copy_to(string, 0, String("12345"), 2, 4)
    assert string.text == "34cd--"
    strings.string_copy_to(string, 1, string, 0, 3)
    assert string.text == "334c--"
    strings.string_fill(string, Char.of("z"))
    assert string.text == "zzzzzz"


def test_results_are_strings_of_their_own() -> None:
    string = String("abc")
    for copy in (R7RS["string-copy"](string), strings.string_append(string), strings.substring(string, 0, 3)):
        strings.string_set(copy, 0, Char.of("X"))
    assert string.text == "abc"


def test_a_predicate_may_leave_its_work_to_a_tail_call() -> None:
    is_c = pending(lambda char: boolean(char.char == "c"))
    assert result('(string-index "abc" is-c)', **{"is-c": is_c}) == "2"


# Symbols


def test_fresh_symbols() -> None:
    made = [symbols.gensym(), symbols.gensym(), symbols.gensym(String("t")), symbols.gensym(intern("t"))]
    assert len({symbol.name for symbol in made}) == 4
    assert made[2].name.startswith("t")
    assert all(type(symbol) is Symbol and intern(symbol.name) is not symbol for symbol in made)
    assert symbols.string_to_uninterned_symbol(String("a")) is not intern("a")


@given(st.text())
def test_symbols_keep_their_names(text: str) -> None:
    symbol = symbols.string_to_symbol(String(text))
    assert symbols.symbol_to_string(symbol).text == text
    assert symbols.string_to_symbol(String(text)) is symbol


# Laws


@given(st.text(max_size=10), st.text(max_size=10))
def test_order_is_total(a: str, b: str) -> None:
    first, second = String(a), String(b)
    answers = [R7RS[f"string{order}?"](first, second) for order in "<=>"]
    assert answers == [boolean(a < b), boolean(a == b), boolean(a > b)]
    assert R7RS["string<=?"](first, second) is boolean(a <= b)
    assert R7RS["string>=?"](first, second) is boolean(a >= b)


@given(st.text(max_size=10))
def test_a_string_and_the_list_of_its_characters(text: str) -> None:
    chars = R7RS["string->list"](String(text))
    assert [char.char for char in chars] == list(text)
    assert strings.list_to_string(chars).text == text


@given(st.characters(exclude_categories=["Cs"]))  # halves of surrogate pairs are no characters
def test_case_of_characters(text: str) -> None:
    char = Char.of(text)
    assert strings.integer_to_char(ord(text)) is char
    for convert in (R7RS[f"char-{case}"] for case in ("upcase", "downcase", "foldcase")):
        assert convert(convert(char)) is convert(char)
