"""`lib/quickcheck.scm` and its engine: generators, counterexamples, seeds, reports, and what passes through."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sessions import error_in, shown, value

from minischeme import SchemeError, Session
from minischeme.data.errors import SchemeExit
from minischeme.data.printer import write
from minischeme.data.values import Value


def quickcheck(seed: int = 5) -> Session:
    """A session with the library."""
    session = Session(seed=seed, output=io.StringIO())
    session.load("quickcheck.scm")
    return session


@pytest.fixture(scope="module")
def session() -> Session:
    """A session with the library, for tests that define nothing."""
    return quickcheck()


def printed(session: Session, text: str) -> list[str]:
    """The lines that an expression prints, without its value."""
    return shown(session, text).splitlines()[:-1]


# ── generators ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("generator", "predicate"),
    [
        ("integers", "(lambda (x) (and (exact-integer? x) (<= -1000000 x 1000000)))"),
        ("(integers-between 95 120)", "(lambda (x) (<= 95 x 120))"),
        ("(integers-between -9000 -20)", "(lambda (x) (<= -9000 x -20))"),
        ("booleans", "boolean?"),
        ("words", "(lambda (x) (and (word? x) (not (empty? x))))"),
        ("sentences", "(lambda (x) (and (sentence? x) (<= (count x) 20)))"),
        ("(lists-of booleans 2 3)", "(lambda (x) (and (<= 2 (length x) 3) (equal? x (filter boolean? x))))"),
        ("(lists-of booleans 30)", "(lambda (x) (<= 30 (length x) 50))"),
        ("(element-of '(ace 2 #t))", "(lambda (x) (member x '(ace 2 #t)))"),
        ("(one-of booleans (integers-between 1 3))", "(lambda (x) (member x '(#t #f 1 2 3)))"),
        ("(such-that even? integers)", "even?"),
        ("(mapped + (integers-between 1 2) (integers-between 10 20))", "(lambda (x) (<= 11 x 22))"),
        ("(sized (lambda (n) (lists-of booleans n n)))", "(lambda (x) (<= 0 (length x) 10))"),
        ("(recursive booleans (lambda (smaller) (lists-of smaller 0 2)))", "(lambda (x) (or (list? x) (boolean? x)))"),
    ],
)
def test_generators_make_what_they_promise(session: Session, generator: str, predicate: str) -> None:
    assert value(session, f"(generator? {generator})") == "#t"
    assert value(session, f"(check-property 'kind (lambda (x) ({predicate} x)) {generator} 'trials 40)") == "#t"


@pytest.mark.parametrize(
    ("generator", "least"),
    [("integers", 60), ("words", 60), ("sentences", 60), ("(integers-between 0 9)", 10), ("booleans", 2)],
)
def test_values_differ(session: Session, generator: str, least: int) -> None:
    found = session.eval(f"(sample {generator} 100)")
    assert len({write(one) for one in found}) >= least


def test_recursive_values_are_nested(session: Session) -> None:
    texts = [write(one) for one in session.eval("(sample (recursive booleans (lambda (g) (lists-of g 1 2))) 50)")]
    assert any("((" in text for text in texts)
    assert not any("(((((" in text for text in texts)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("(one-of booleans 5)", "generator-choice: not a generator: 5"),
        ("(element-of '())", "generator-of-elements: not a list with elements: ()"),
        ("(element-of 'abc)", "generator-of-elements: not a list with elements: abc"),
        ("(integers-between 3 2)", "generator-of-integers: nothing lies between 3 2"),
        ("(integers-between 1.5 2)", "generator-of-integers: not an exact integer: 1.5"),
        ("(lists-of booleans 3 2)", "generator-of-lists: no list is that long: 3 2"),
        ("(lists-of booleans -1)", "generator-of-lists: bad index: -1"),
        ("(such-that booleans even?)", "generator-filter: not a procedure: #[generator]"),
        ("(mapped car 'cards)", "generator-map: not a generator: cards"),
        ("(sample 5)", "find-counterexample: not a generator: 5"),
        ("(sample (sized (lambda (n) n)))", "generator-bind: the procedure returned no generator: 0"),
        ("(sample (mapped car integers))", "car: wrong type of argument: 0"),
        ("(sample (mapped cons integers))", "too few arguments to: (cons 0)"),
        ("(check-property 'p (lambda (x) #t))", "check-property: each argument of the property needs a generator: (x)"),
        (
            "(check-property 'p cons words)",
            "check-property: each argument of the property needs a generator: (car cdr)",
        ),
        ("(check-property 'p 5 words)", "check-property: not a procedure: 5"),
        ("(check-property 'p (lambda (x y) #t) words 5)", "check-property: not a generator: 5"),
        (
            "(check-property 'p list words 'tries 5)",
            "check-property: no such option: tries (there are trials and seed)",
        ),
        ("(check-property 'p list words 'trials 0)", "check-property: trials needs a positive integer behind it"),
        ("(check-property 'p list words 'seed)", "check-property: seed needs a positive integer behind it"),
    ],
)
def test_bad_input_gets_a_clear_answer(session: Session, expression: str, message: str) -> None:
    assert str(error_in(session, expression)) == message


def test_a_generator_that_can_make_nothing(session: Session) -> None:
    text = "(check-property 'p list (such-that (lambda (n) #f) integers))"
    assert printed(session, text)[0].startswith("p: gave up after 0 trials, having left out ")


def test_a_generator_that_does_not_do_the_same_each_time(session: Session) -> None:
    text = """(let ((k 0))
                (check-property 'p list (sized (lambda (n) (set! k (+ k 1)) (lists-of booleans (remainder k 7) 9)))))"""
    assert str(error_in(session, text)) == "check-property: a generator does not do the same each time"


# ── counterexamples ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("property", "generators", "counterexample"),
    [
        ("(lambda (n) (< n 1234))", "integers", "(1234)"),
        ("(lambda (n) (> n -77))", "integers", "(-77)"),
        ("(lambda (n) (< n 115))", "(integers-between 100 200)", "(115)"),
        ("(lambda (n) (< n -115))", "(integers-between -200 -100)", "(-100)"),
        ("(lambda (a b) (< (+ a b) 1000))", "integers integers", "(0 1000)"),
        ("(lambda (a b) (or (not a) (not b)))", "booleans booleans", "(#t #t)"),
        ("(lambda (list) (< (length list) 3))", "(lists-of integers)", "((0 0 0))"),
        ("(lambda (list) (< (apply + list) 60))", "(lists-of (integers-between 0 100))", "((60))"),
        ("(lambda (list) (equal? list (sort list <)))", "(lists-of (integers-between 0 50))", "((1 0))"),
        ("(lambda (w) (not (member? 'q w)))", "(such-that symbol? words) 'trials 2000", "(q)"),
        ("(lambda (s) (< (count (keep symbol? s)) 2))", "sentences", "((a a))"),
        ("(lambda (x) (not (equal? x 'king)))", "(element-of '(ace 2 3 king))", "(king)"),
        ("(lambda (x) (not (even? x)))", "(such-that (lambda (n) (> n 4)) integers)", "(6)"),
        ("(lambda (n) (< n 12))", "(mapped * (integers-between 1 9) (integers-between 1 9))", "(12)"),
        ("(lambda (l) (< (length l) 4))", "(sized (lambda (n) (lists-of booleans n n)))", "((#f #f #f #f))"),
        ("(lambda (t) (boolean? t))", "(recursive booleans (lambda (g) (lists-of g)))", "(())"),
        ("(lambda arguments (< (length arguments) 2))", "booleans booleans", "(#f #f)"),
        ("(lambda (n) (car n))", "integers", "(0)"),
    ],
)
def test_the_counterexample_is_the_smallest(
    session: Session, property: str, generators: str, counterexample: str
) -> None:
    assert value(session, f"(check-property 'p {property} {generators} 'seed 5)") == "#f"
    assert value(session, "(counterexample)") == counterexample


def test_an_error_in_the_property_makes_it_fail(session: Session) -> None:
    lines = printed(
        session, "(check-property 'heads (lambda (list) (member (car list) list)) (lists-of words) 'seed 3)"
    )
    assert lines == [
        "heads: falsified after 1 trial. The smallest counterexample found:",
        "  list = ()",
        "  error: car: wrong type of argument: ()",
        "  To repeat the search, add 'seed 3",
    ]
    assert printed(session, "(check-property 'p (lambda (x) (raise 'oops)) words)")[2] == (
        "  error: uncaught exception: oops"
    )


def test_the_arguments_are_shown_as_they_were(session: Session) -> None:
    text = "(check-property 'p (lambda (v) (vector-fill! v 9) #f) (mapped vector (integers-between 3 5)))"
    assert printed(session, text)[1] == "  v = #(3)"


def test_labels_of_arguments() -> None:
    session = quickcheck()
    assert printed(session, "(check-property 'p (lambda (a . rest) #f) booleans booleans words)")[1:3] == [
        "  a = #f",
        "  rest = (#f a)",
    ]
    session.eval("(define (f first second) #f) (trace f)")
    assert "  second = #f" in printed(session, "(check-property 'p f booleans booleans)")


def test_a_property_that_fails_only_sometimes(session: Session) -> None:
    text = "(let ((k 0)) (check-property 'p (lambda (n) (set! k (+ k 1)) (not (= k 20))) integers))"
    assert printed(session, text)[0] == (
        "p: falsified, but not each time, after 20 trials. The smallest counterexample found:"
    )


# ── trials and seeds ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_number_of_trials(session: Session) -> None:
    assert printed(session, "(check-property 'p list sentences)") == ["p: OK, passed 100 trials."]
    assert printed(session, "(check-property 'p list sentences 'trials 7)") == ["p: OK, passed 7 trials."]
    assert printed(session, "(check-property 'p list booleans booleans)") == ["p: OK, passed all possible 4 trials."]


def test_the_seed_that_is_shown_repeats_the_search() -> None:
    """Also in a process that has loaded more modules since."""
    property = "(lambda (n s) (implies (not (empty? s)) (< (+ (abs n) (random 100)) 500)))"
    session = quickcheck()
    first = printed(session, f"(check-property 'p {property} integers sentences)")
    assert first[0].startswith("p: falsified after ")
    import xml.dom.minidom  # noqa: F401

    seed = first[-1].rpartition(" ")[2]
    again = printed(quickcheck(seed=99), f"(check-property 'p {property} integers sentences 'seed {seed})")
    assert again == first
    assert value(session, "(counterexample)") == value(session, f"(list {first[1][6:]} '{first[2][6:]})")


def test_other_seeds_try_other_arguments(session: Session) -> None:
    def tried(seed: int) -> Value:
        session.eval("(define tried '())")
        session.eval(f"(check-property 'p (lambda (n) (set! tried (cons n tried)) #t) integers 'seed {seed})")
        return value(session, "tried")

    assert tried(1) == tried(1) != tried(2)


def test_random_numbers_of_a_property_can_be_repeated(session: Session) -> None:
    """A failure that depends on them is found again while the arguments are made smaller."""
    text = "(check-property 'p (lambda (n) (> (random 10) 0)) integers 'seed 8)"
    assert printed(session, text) == printed(session, text)
    assert printed(session, text)[1] == "  n = 0"


def test_a_check_takes_one_random_number_of_the_session() -> None:
    def next_number(check: str) -> str:
        session = quickcheck(seed=3)
        session.eval(check)
        return value(session, "(random 1000000)")

    passing = next_number("(check-property 'p (lambda (n) (random 5)) integers)")
    assert (
        passing == next_number("(check-property 'p (lambda (n) (< n 50)) integers)") == next_number("(random 999999)")
    )


# ── what is left out, and labels ─────────────────────────────────────────────────────────────────────────────────────


def test_implies(session: Session) -> None:
    assert printed(session, "(check-property 'p (lambda (n) (implies (even? n) (odd? (+ n 1)))) integers)") == [
        "p: OK, passed 100 trials."
    ]
    (interaction,) = session.interact("(check-property 'p (lambda (n) (implies (= n 777) #t)) integers)")
    assert interaction.output.startswith("p: gave up after ")
    assert interaction.output.endswith("\n#f\n")


def test_labels(session: Session) -> None:
    lines = printed(
        session,
        """(check-property 'p
                          (lambda (a b) (implies (or a b) (classify (and a b) "both" (collect (list a b) #t))))
                          booleans booleans)""",
    )
    assert lines[0] == "p: OK, passed all possible 3 trials."
    assert sorted(lines[1:]) == ["   33.3 % (#f #t)", "   33.3 % (#t #f)", "   33.3 % (#t #t)", "   33.3 % both"]
    lines = printed(session, "(check-property 'p (lambda (n) (classify (< n 6) 'small n)) (integers-between 0 9))")
    assert lines == ["p: OK, passed all possible 10 trials.", "   60.0 % small"]


# ── what passes through ──────────────────────────────────────────────────────────────────────────────────────────────


def test_escapes_and_exit_pass_through(session: Session) -> None:
    assert value(session, "(call/cc (lambda (k) (check-property 'p (lambda (n) (k 'out)) integers)))") == "out"
    assert value(
        session, "(call/cc (lambda (k) (check-property 'p list (mapped (lambda (n) (k 'out)) integers))))"
    ) == ("out")
    with pytest.raises(SchemeExit) as caught:
        session.eval("(check-property 'p (lambda (n) (exit 3)) integers)")
    assert caught.value.status == 3
    assert value(session, "(check-property 'p list booleans)") == "#t"


def test_an_error_of_a_generator_reaches_the_handler(session: Session) -> None:
    text = "(guard (e (#t (list 'caught e))) (check-property 'p list (mapped (lambda (n) (raise n)) integers)))"
    assert value(session, text) == "(caught 0)"
    text = "(guard (e (#t 'caught)) (check-property 'p (lambda (n) (raise n)) integers))"
    assert value(session, text) == "#f"


def test_ctrl_c_passes_through() -> None:
    def interrupt(n: Value) -> Value:
        raise KeyboardInterrupt

    session = quickcheck()
    usual = session.context.chance.random
    session.define("interrupt", interrupt)
    with pytest.raises(KeyboardInterrupt):
        session.eval("(check-property 'p (lambda (n) (interrupt n)) integers)")
    assert session.context.chance.random is usual
    assert value(session, "(check-property 'p list booleans)") == "#t"


def test_deep_recursion_inside_a_property(session: Session) -> None:
    session.eval("(define (count-to n) (if (= n 0) 0 (+ 1 (count-to (- n 1)))))")
    limit = sys.getrecursionlimit()
    assert value(session, "(check-property 'p (lambda (n) (= (count-to 50000) 50000)) booleans)") == "#t"
    assert value(session, "(car (sample (mapped (lambda (n) (count-to 50000)) booleans)))") == "50000"
    assert sys.getrecursionlimit() == limit


def test_a_check_deep_inside_a_recursion(session: Session) -> None:
    session.eval("(define (deep n) (if (= n 0) (check-property 'p list booleans) (not (deep (- n 1)))))")
    assert value(session, "(deep 100)") == "#t"
    assert str(error_in(session, "(deep 5000)")) == "check-property: called too deep inside a recursion"


def test_a_check_inside_a_property(session: Session) -> None:
    text = """(check-property 'outer
                              (lambda (n) (check-property 'inner (lambda (m) (< (+ n m) 9)) (integers-between 0 5)))
                              (integers-between 0 5))"""
    assert value(session, text) == "#f"
    assert value(session, "(counterexample)") == "(4)"


# ── a good neighbour ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_the_user_defines_does_not_disturb_the_library() -> None:
    session = quickcheck()
    session.eval(
        """
        (define (reverse list) list)
        (define (append . lists) '())
        (define (sort list) list)
        (define (report x) x)
        (define (member x list) #f)
        """
    )
    text = (
        "(check-property 'reversed (lambda (a b) (collect 'pair (equal? (reverse (list a b)) (list b a)))) words words)"
    )
    assert value(session, text) == "#f"
    assert value(session, "(counterexample)") in ("(a b)", "(b a)", "(a 0)", "(0 a)", "(a aa)")
    assert printed(session, "(check-property 'p (lambda (b) (collect b #t)) booleans)") == [
        "p: OK, passed all possible 2 trials.",
        "   50.0 % #t",
        "   50.0 % #f",
    ]


def test_hypothesis_says_and_writes_nothing(tmp_path: Path) -> None:
    """In a process of its own: in this one it has written all that it wants to."""
    program = """
        (load "quickcheck.scm")
        (check-property 'first (lambda (s) (< (count s) 2)) sentences)
        (check-property 'second (lambda (n) (< (random 9) 8)) (such-that even? integers))
        (check-property 'third (lambda (n) (< n 10)) (such-that even? integers))
        """
    done = subprocess.run(
        [sys.executable, "-m", "minischeme", "--seed", "1", "-e", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert [line.partition(":")[0] for line in done.stdout.splitlines() if ":" in line] == ["first", "second", "third"]
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []


def test_without_hypothesis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(SchemeError) as caught:
        quickcheck()
    assert str(caught.value) == ("quickcheck: needs the Python package hypothesis: install minischeme[quickcheck]")


def test_help_of_the_library(session: Session) -> None:
    from minischeme.session.describe import describe

    for name in ("check-property", "sample", "counterexample", "lists-of", "sized", "recursive", "collect", "classify"):
        found = describe(session, name)
        assert found is not None, name
        assert found.doc, name
    assert value(session, "(procedure-parameters (lambda (a . b) a))") == "(a . b)"
    assert value(session, "(procedure-parameters car)") == "(pair)"
