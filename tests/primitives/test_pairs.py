"""Pairs, lists, and what is built on them: searching, removing, trees, tagged data."""

from __future__ import annotations

import itertools
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from primitive_calls import LIBRARIES, TAIL, datum, evaluate, pending, result
from sessions import error_of
from tables import cases

from minischeme import Session
from minischeme.data.errors import SchemeError
from minischeme.data.printer import write
from minischeme.data.rationals import Complex, Rational
from minischeme.data.values import (
    FALSE,
    NIL,
    TRUE,
    UNSPECIFIED,
    Char,
    Pair,
    String,
    Value,
    Vector,
    boolean,
    intern,
    list_of,
)
from minischeme.primitives import equivalence, lists, pairs, searching, words
from minischeme.primitives.equivalence import equal_standard
from minischeme.primitives.kinds import WORD_TYPES
from minischeme.primitives.registry import primitive_of

CALLS = """
    (cons 1 '(2)) → (1 2)
    (cons 1 2) → (1 . 2)
    (car '(1 2)) → 1
    (cdr '(1 2)) → (2)
    (cdr '(1 . 2)) → 2
    (null? '()) → #t
    (null? #f) → #f
    (pair? '(1)) → #t
    (pair? '()) → #f
    (pair? '#(1)) → #f
    (list? '(1 2)) → #t
    (list? '()) → #t
    (list? '(1 . 2)) → #f
    (list) → ()
    (list 1 '(2) "3") → (1 (2) "3")
    (cons* 1 2 '(3)) → (1 2 3)
    (cons* 1 2) → (1 . 2)
    (cons* '(1)) → (1)
    (list* 1 '()) → (1)
    (make-list 3 'a) → (a a a)
    (make-list 0 'a) → ()
    (length (make-list "4")) → 4
    (length '()) → 0
    (length '(a (b c) d)) → 3
    (append) → ()
    (append '(1)) → (1)
    (append 5) → 5
    (append '(1) '(2) '(3)) → (1 2 3)
    (append '(1) 2) → (1 . 2)
    (append '() '() '(1 . 2)) → (1 . 2)
    (append '(1) '()) → (1)
    (reverse '(1 2 3)) → (3 2 1)
    (reverse '()) → ()
    (list-copy '(1 2 . 3)) → (1 2 . 3)
    (list-copy 7) → 7
    (list-ref '(a b c) 1) → b
    (list-ref '(a b c) "2") → c
    (list-ref '(a b . c) 1) → b
    (nth 1 '(a b c)) → b
    (list-tail '(1 2 3) 2) → (3)
    (list-tail '(1 2 3) 3) → ()
    (list-tail '(1 . 2) 1) → 2
    (list-head '(1 2 3) 2) → (1 2)
    (list-head '(1 2 3) 0) → ()
    (sublist '(a b c d e) 1 3) → (b c)
    (sublist '(a b c) 0 3) → (a b c)
    (last-pair '(1 2 3)) → (3)
    (last-pair '(1 2 . 3)) → (2 . 3)
    (except-last-pair '(1 2 3)) → (1 2)
    (except-last-pair! '(1)) → ()
    (iota 3) → (0 1 2)
    (iota 3 1) → (1 2 3)
    (iota 3 0 1/2) → (0 1/2 1)
    (enumerate-interval 2 5) → (2 3 4 5)
    (enumerate-interval 5 2) → ()
    (enumerate-interval "1" 2.5) → (1 2)
    (atom? 'a) → #t
    (atom? '()) → #t
    (atom? '(a)) → #f
    (datum (make-node 'a '((b) (c)))) → a
    (children (make-node 'a '((b) (c)))) → ((b) (c))
    (attach-tag 'complex '(1 . 2)) → (complex 1 . 2)
    (type-tag '(complex 1 . 2)) → complex
    (contents '(complex 1 . 2)) → (1 . 2)
"""

SEARCHES = """
    (memq 'c '(a b c d)) → (c d)
    (memq 'e '(a b c d)) → #f
    (memq 101 '(100 101 102)) → (101 102)
    (memq 100000000000000000000 '(1 100000000000000000000)) → (100000000000000000000)
    (memq "a" '("a")) → #f
    (memq '(a) '((a))) → #f
    (memq 1 '()) → #f
    (memv 1.5 '(1 1.5 2)) → (1.5 2)
    (memv 1.0 '(1 2)) → #f
    (memv "" '("a" "")) → ("")
    (member '(a) '(b (a) c)) → ((a) c)
    (member "B" '("a" "B")) → ("B")
    (member "b" '("a" "B")) → #f
    (member "7" '(6 7)) → #f
    (member "10s" '(9s 10s)) → #f
    (member 7 '(7.0 7 8)) → (7 8)
    (member #\\a '(#\\b #\\a)) → (#\\a)
    (assq 'b '((a 1) (b 2))) → (b 2)
    (assq 'c '((a 1) (b 2))) → #f
    (assq "a" '(("a" 1))) → #f
    (assv 5 '((2 3) (5 7) (11 13))) → (5 7)
    (assv 5.0 '((5 7))) → #f
    (assv 5 '((5.0 no) ("5" no) (5 yes))) → (5 yes)
    (memv 5 '(5.0 "5" a 5)) → (5)
    (member 5 '(5.0 "5" a 5)) → (5)
    (assq 100000000000 '((99999999999 no) (100000000000 yes))) → (100000000000 yes)
    (assoc '(a) '(((b)) ((a)) ((c)))) → ((a))
    (assoc 2.0 '((1 one) (2 two)) =) → (2 two)
    (assoc 2 '((2 two) (3 three)) <) → (3 three)
    (member 2.0 '(1 2 3) =) → (2 3)
    (member 4 '(1 2 3) =) → #f
    (delete 'b '(a b c b)) → (a c)
    (delete 1 '()) → ()
    (delete-duplicates '(a b a c b)) → (a b c)
    (delete-duplicates '(1 2.0 2 1.0) =) → (1 2.0)
    (remove odd? '(1 2 3 4)) → (2 4)
"""

BY_DIALECT = """
    (assoc "a" '((a 1))) → (a 1) #f
    (assoc 7.0 '((7 yes))) → (7 yes) #f
    (assoc "7" '((7 yes))) → (7 yes) #f
    (assoc 5 '((a no) ("5" yes) (5 also))) → ("5" yes) (5 also)
    (assoc 5 '((5.0 yes) (5 also))) → (5.0 yes) (5 also)
    (assoc 'a '((A yes) (a also))) → (|A| yes) (a also)
    (delete "10s" '(9s 10s)) → (9s) (9s 10s)
    (delete-duplicates '(a "A" 1 "1")) → (a 1) (a "A" 1 "1")
"""

ERRORS = """
    (car 5) → car: wrong type of argument: 5
    (cdr '()) → cdr: wrong type of argument: ()
    (set-car! car 1) → set-car!: wrong type of argument: #[subr car]
    (set-cdr! '() 1) → set-cdr!: wrong type of argument: ()
    (cadr '(1)) → cadr: bad list: (1)
    (apply cddar '(((1)))) → cddar: bad list: ((1))
    (length 5) → length: not calculable. 5
    (length '(1 . 2)) → length: not calculable. (1 . 2)
    (append '(1) 2 '(3)) → append: not a list: 2
    (append '(1 . 2) '(3)) → append: not a list: (1 . 2)
    (append! '(1) 2 '(3)) → append!: not a list: 2
    (reverse '(1 . 2)) → reverse: not a list: (1 . 2)
    (reverse! 'a) → reverse!: not a list: a
    (list-ref '(a) 5) → list-ref: list too short: (a)
    (list-ref '(a) -1) → list-ref: bad index: -1
    (list-ref '(a) 1.0) → list-ref: bad index: 1.0
    (nth 3 '(a)) → nth: list too short: (a)
    (list-set! '(a) 1 'b) → list-set!: list too short: (a)
    (list-tail '(1 2) 3) → list-tail: list too short: (1 2)
    (list-tail '(1) -1) → list-tail: bad index: -1
    (list-head '(1 2) 3) → list-head: list too short: (1 2)
    (sublist '(1 2 3) 2 9) → sublist: bad bounds: (2 . 9)
    (sublist '(1 2 3) 2 1) → sublist: bad bounds: (2 . 1)
    (make-list 'a) → make-list: bad index: a
    (make-list 1000000000000000) → make-list: too long: 1000000000000000
    (last-pair '()) → last-pair: wrong type of argument: ()
    (except-last-pair '()) → except-last-pair: wrong type of argument: ()
    (memq 'a '(b . c)) → memq: not a list: (b . c)
    (member 'a 5) → member: not a list: 5
    (member 'a '(a) 5) → member: not a procedure: 5
    (assq 'a '((b) c)) → assq: not an association list: ((b) c)
    (assoc 'a 5) → assoc: not an association list: 5
    (delete 1 'a) → delete: not a list: a
    (remove odd? 5) → remove: not a list: 5
    (enumerate-interval 'a 5) → enumerate-interval: bad number: a
    (type-tag 5) → Bad tagged datum -- TYPE-TAG 5
    (contents 'a) → Bad tagged datum -- CONTENTS a
    (datum '()) → datum: wrong type of argument: ()
"""


@pytest.mark.parametrize(("expression", "expected"), cases(CALLS) + cases(SEARCHES))
def test_calls(expression: str, expected: str) -> None:
    assert result(expression) == expected


@pytest.mark.parametrize(("expression", "expected"), cases(BY_DIALECT))
def test_what_the_dialects_compare_differently(expression: str, expected: str) -> None:
    assert f"{result(expression)} {result(expression, 'r7rs')}" == expected


@pytest.mark.parametrize(("expression", "expected"), cases(ERRORS))
def test_errors(expression: str, expected: str) -> None:
    assert str(error_of(expression)) == expected


# Accessors


def tree(depth: int, path: str = "") -> Value:
    """A full binary tree of pairs, each leaf of which is a list of the letters that lead to it."""
    if depth == 0:
        return list_of([path])
    return Pair(tree(depth - 1, path + "a"), tree(depth - 1, path + "d"))


@pytest.mark.parametrize("count", [2, 3, 4])
def test_accessors(count: int) -> None:
    for letters in itertools.product("ad", repeat=count):
        name = f"c{''.join(letters)}r"
        accessor = LIBRARIES["r7rs"][name]
        assert accessor(tree(count)).car == "".join(reversed(letters))
        with pytest.raises(AttributeError):
            accessor(tree(0))
        known = primitive_of(accessor)
        assert known is not None
        assert (known.names, known.arity, known.parameters) == ((name,), (1, 1), ("pair",))


def test_accessors_can_be_told_apart_by_their_code() -> None:
    accessors = [value for name, value in LIBRARIES["r7rs"].items() if re.fullmatch("c[ad]{2,4}r", name)]
    assert len({accessor.__code__ for accessor in accessors}) == len(accessors) == 28


# Changing lists


def test_changing_pairs() -> None:
    pair = Pair(1, 2)
    assert pairs.set_car(pair, 3) is UNSPECIFIED
    assert pairs.set_cdr(pair, NIL) is UNSPECIFIED
    assert write(pair) == "(3)"
    items = datum("(a b c)")
    lists.list_set(items, 1, 7)
    assert write(items) == "(a 7 c)"


def test_a_procedure_is_no_pair_although_python_could_set_its_attributes() -> None:
    for change in (pairs.set_car, pairs.set_cdr):
        with pytest.raises(TypeError):
            change(pairs.car, 1)


def test_append_in_place_changes_the_ends() -> None:
    first, empty, last = datum("(1 2)"), NIL, datum("(3)")
    joined = lists.append_in_place(empty, first, empty, last)
    assert joined is first
    assert joined.cdr.cdr is last
    assert lists.append_in_place() is NIL
    assert lists.append_in_place(NIL, NIL) is NIL


def test_append_shares_its_last_argument_and_copies_the_others() -> None:
    first, last = datum("(1)"), datum("(2)")
    joined = lists.append(first, last)
    assert joined.cdr is last
    assert joined is not first


@pytest.mark.parametrize("length", [*range(20), 1000])
def test_lists_of_any_length(length: int) -> None:
    items: list[Value] = [*range(length)]
    end = Pair(1, 2)
    for made in list_of(items, end), list_of(tuple(items), end), list_of(iter(items), end):
        cell = made
        for item in items:
            assert cell.car == item
            cell = cell.cdr
        assert cell is end
    assert list(evaluate("(append x x)", x=list_of(items))) == items + items
    assert list(evaluate("(reverse x)", x=list_of(items))) == items[::-1]
    assert list(evaluate("(list-copy x)", x=list_of(items))) == items


def test_reverse_in_place_uses_the_same_pairs() -> None:
    items = datum("(1 2 3)")
    end = items.cdr.cdr
    assert lists.reverse_in_place(items) is end
    assert write(end) == "(3 2 1)"
    assert lists.reverse_in_place(NIL) is NIL


def test_list_copy_makes_new_pairs() -> None:
    items = datum("(1 2)")
    copy = lists.list_copy(items)
    assert copy is not items
    assert write(copy) == "(1 2)"


# Circular and long lists


def circular() -> Pair:
    pair = Pair(1, NIL)
    pair.cdr = Pair(2, pair)
    return pair


WITHOUT_END = """
    (length x), (reverse x), (reverse! x), (list-copy x), (append x x), (append! x x), (last-pair x),
    (except-last-pair x), (sublist x 0 1), (memq 3 x), (memv 3 x), (member 3 x), (member 3 x =), (assq 3 x),
    (assoc 3 x), (delete 3 x), (remove 3 x), (delete-duplicates x)
"""


@pytest.mark.parametrize("expression", [text.strip() for text in WITHOUT_END.split(",")])
def test_a_circular_list_is_an_error(expression: str) -> None:
    with pytest.raises((SchemeError, TypeError, AttributeError)):
        evaluate(expression, x=circular())


def test_what_a_circular_list_is_good_for() -> None:
    x = circular()
    assert result("(list? x)", x=x) == "#f"
    assert result("(list-ref x 101)", x=x) == "2"
    assert result("(list-head x 3)", x=x) == "(1 2 1)"
    assert evaluate("(memq 2 x)", x=x) is x.cdr


def test_lists_beyond_the_steps_that_are_taken_before_a_check() -> None:
    size = 1_000_003
    items = list_of(range(size))
    assert lists.length(items) == size
    assert pairs.elements(items)[-1] == size - 1
    assert searching.memq(size - 1, items).car == size - 1
    assert searching.memq(-1, items) is FALSE
    assert lists.length(items.cdr.cdr.cdr) == 1_000_000


# Procedures as arguments


def test_comparisons_are_called_with_the_object_first() -> None:
    def before(a: Value, b: Value) -> Value:
        return boolean(a < b)

    for compare in (before, pending(before)):
        assert result("(member 2 '(1 2 3 4) compare)", compare=compare) == "(3 4)"
        assert result("(assoc 2 '((1) (3 x)) compare)", compare=compare) == "(3 x)"
        assert result("(delete 2 '(1 2 3) compare)", compare=compare) == "(1 2)"
    assert searching.remove(pending(lambda x: boolean(x > 1)), datum("(1 2 3)"), tail=TAIL).car == 1


def test_remove_takes_an_item_or_a_predicate() -> None:
    assert result("""(remove "B" '(a b "b" c))""") == "(a c)"
    assert result("(remove even? '(1 2 3))") == result("(remove even? '(1 2 3))", "r7rs") == "(1 3)"
    with pytest.raises(TypeError):
        evaluate("(remove 'a '())", "r7rs")


# Laws

LISTS = st.lists(st.integers(0, 5), max_size=8)


@given(LISTS, LISTS)
def test_laws_of_lists(a: list[int], b: list[int]) -> None:
    first, second = list_of(a), list_of(b)
    assert pairs.elements(lists.append(first, second)) == a + b
    assert pairs.elements(lists.reverse(lists.append(first, second))) == (a + b)[::-1]
    assert pairs.elements(lists.reverse_in_place(list_of(a))) == a[::-1]
    assert lists.length(first) == len(a)
    assert pairs.elements(searching.delete_duplicates(first, equal=equal_standard, tail=TAIL)) == list(dict.fromkeys(a))
    assert pairs.elements(lists.append_in_place(list_of(a), second)) == a + b


def test_constants() -> None:
    session = Session()
    assert [session.eval(name) for name in ("nil", "null")] == [NIL, NIL]


# What is found and what is left out, by the kind of the key


def keys() -> list[Value]:
    numbers = [7, 0, 7.0, -0.0, 0.0, Rational(1, 2), 2**70, 2**70 + 1, Complex(7, 1)]
    others = [TRUE, FALSE, NIL, Char.of("a"), list_of([1, 2]), list_of([1, 2]), Vector([1]), Vector([1]), lists.append]
    return [*map(intern, "abA"), *map(String, ["", "a", "B", "7", "7.0", "07"]), *numbers, *others]


@pytest.mark.parametrize("same", [equivalence.eq, equivalence.eqv, equivalence.equal_standard, equivalence.equal])
def test_searches_find_what_the_comparison_calls_the_same(same: equivalence.Comparison) -> None:
    items = keys()
    random.Random(7).shuffle(items)
    plain, entries = list_of(items), list_of([Pair(item, NIL) for item in items])
    for key in [*keys(), *items]:
        at = next((index for index, item in enumerate(items) if same(key, item)), None)
        for cells, is_alist in (plain, False), (entries, True):
            found = searching.search(same, key, cells, is_alist)
            for _ in range(at or 0):
                cells = cells.cdr
            assert found is (FALSE if at is None else cells.car if is_alist else cells)
        left = [id(item) for item in items if not same(key, item)]
        assert [id(item) for item in searching._without(same, key, plain)] == left
        if same is equivalence.equal and type(key) in WORD_TYPES:
            assert words.is_member(key, plain) is boolean(at is not None)


def test_a_wrong_list_is_noticed_behind_what_is_found_and_before_what_is_not() -> None:
    improper = Pair(intern("a"), Pair(7, intern("b")))
    for key in intern("a"), 7, 7.0, String("a"):
        for same in equivalence.eq, equivalence.equal:
            with pytest.raises(TypeError):
                searching._without(same, key, improper)
    with pytest.raises(AttributeError):
        searching.search(equivalence.eq, 8, improper)
