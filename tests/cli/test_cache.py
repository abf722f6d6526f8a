"""The cache of compiled code: what runs from it does all that it does without, and nothing that is wrong is run."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import minischeme
from minischeme import SchemeError, Session
from minischeme.compiler.assembly import Stored, Unit, origin_of
from minischeme.data.errors import report
from minischeme.data.source import Source
from minischeme.evaluation import compiled_files
from minischeme.evaluation.code_cache import CodeCache
from minischeme.evaluation.namespaces import Namespace
from minischeme.expansion import core
from minischeme.expansion.unparse import core_text
from minischeme.reading.reader import read

ROOT = Path(minischeme.__file__).parent.parent
FOLDERS = ("lib", "tests/sicp", "tests/r7rs", "transcripts")
FILES = [
    path
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.scm"))
    if "fold-case" not in (text := path.read_text(encoding="utf-8")) and "\n(" in text
]
"""All that have forms of which code is kept."""


@pytest.fixture(autouse=True)
def _any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the shortest texts are kept."""
    monkeypatch.setattr(compiled_files, "SMALLEST", 0)


@pytest.fixture
def cache(tmp_path: Path) -> CodeCache:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    return CodeCache(folder)


@pytest.fixture
def hits(monkeypatch: pytest.MonkeyPatch) -> list[Unit]:
    """The units that come from the cache."""
    found: list[Unit] = []
    make = Namespace.unit

    def unit(self: Namespace, form: core.Node | Stored, *others: Any, **named: Any) -> Unit:
        made = make(self, form, *others, **named)
        if isinstance(form, Stored):
            found.append(made)
        return made

    monkeypatch.setattr(Namespace, "unit", unit)
    return found


def load(path: Path, cache: CodeCache | None, *typed: str, before: str = "", dialect: str = "berkeley") -> str:
    """What a session shows that loads a file and is then used at the prompt.

    Args: before: evaluated first. typed: the entries at the prompt.
    """
    output = io.StringIO()
    session = Session(seed=1, output=output, input=io.StringIO(""), dialect=dialect)
    session.eval(before)
    session.cache = cache
    try:
        session.load(path)
    except SchemeError as error:
        output.write(report(error))
    except minischeme.SchemeExit as request:
        output.write(f"exit {request.status}")
    for text in typed:
        for interaction in session.interact(text):
            output.write(interaction.output)
    return re.sub(r"#\[(.*?) [0-9a-f]{6,}", r"#[\1 …", output.getvalue())


Same = Callable[..., str]


@pytest.fixture
def same(tmp_path: Path, cache: CodeCache, hits: list[Unit]) -> Same:
    """Gives what `load` shows of a text, if it is always the same: without a cache, with an empty one, and from it."""

    def run(text: str, *typed: str, before: str = "", dialect: str = "berkeley", kept: int | None = None) -> str:
        """Args: kept: how many forms must come from the cache, all that there are if None."""
        path = tmp_path / "program.scm"
        path.write_text(text, encoding="utf-8")
        usual = load(path, None, *typed, before=before, dialect=dialect)
        assert load(path, cache, *typed, before=before, dialect=dialect) == usual
        assert not hits
        for _ in range(2):
            assert load(path, cache, *typed, before=before, dialect=dialect) == usual
            assert len(hits) == (len(list(read(Source(text, "")))) if kept is None else kept)
            hits.clear()
        return usual

    return run


# ── the same behaviour ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_of_all_kinds(path: Path, cache: CodeCache, hits: list[Unit], monkeypatch: pytest.MonkeyPatch) -> None:
    """They do the same, and the core that is made again of a form is what it was."""
    monkeypatch.chdir(path.parent)
    dialect = "r7rs" if "r7rs" in path.parts else "berkeley"
    usual = load(path, None, dialect=dialect)
    compiled: list[Unit] = []
    compile_unit = Unit.compile

    def compile_and_note(unit: Unit) -> Any:
        compiled.append(unit)
        return compile_unit(unit)

    with monkeypatch.context() as patch:
        patch.setattr(Unit, "compile", compile_and_note)
        assert load(path, cache, dialect=dialect) == usual
    fresh = {_described(unit.root) for unit in compiled if unit not in hits}
    hits.clear()
    assert load(path, cache, dialect=dialect) == usual
    assert hits
    assert fresh.issuperset(_described(unit.root) for unit in hits)


def _described(root: core.Node) -> tuple[Any, ...]:
    places = [(type(node), node.span and (node.span.source.name, *node.span[1:])) for node in core.nodes(root)]
    return core_text(root), *places


DEEP = """
(define (sum numbers)
  (if (null? numbers)
      0
      (+ (car numbers) (sum (cdr numbers)))))
(define (twice f) (lambda (x) (f (f x))))
(define (loop n) (let next ((i n)) (if (= i 0) (vector-ref (vector 1) n) (next (- i 1)))))
(define (tail x) (other x))
(define (other x) (car x))
(define inner (let ((count 0)) (lambda () (set! count (+ count 1)) (undefined-name count))))
(define-record-type point (make-point x y) point? (x point-x) (y point-y set-point-y!))
(define-class (counter start) (instance-vars (n start)) (method (next) (set! n (+ n 1)) n))
"""

MISTAKES = (
    "(sum '(1 2 x))", "(sum 5)", "((twice car) '(1))", "(loop 5)", "(tail 7)", "(inner)", "(inner)", "(twice 1 2)",
    "(point-x 5)", "(make-point 1)", "sum", "(define (sum) 1)", "(sum '(1))", "(ask (instantiate counter 'a) 'next)",
    "(define (car x) 'mine)", "(tail '(7))", "(other '(8))",
)  # fmt: skip


def test_errors_and_their_places(same: Same) -> None:
    shown = same(DEEP, *MISTAKES)
    assert "program.scm:5" in shown
    assert "^" in shown


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("(define x 1) (display x) (car x) (display 'never)", 3),
        ("(display 1) (if) (display 2)", 1),
        ("(display 1) (exit 3) (display 2)", 2),
        ('(display 1) (load "no-such-file") (display 2)', 2),
        ("(display 1) (no-such-name) (display 2)", 2),
    ],
)
def test_a_file_that_stops_in_the_middle(text: str, kept: int, same: Same) -> None:
    same(text, "x", kept=kept)


def test_a_form_behind_one_that_stopped_is_compiled_when_it_is_reached(
    tmp_path: Path, cache: CodeCache, hits: list[Unit]
) -> None:
    path = tmp_path / "program.scm"
    path.write_text("(define x 1) (if stop (car x)) (display 'end)", encoding="utf-8")
    for stop, count in (("#t", 0), ("#t", 2), ("#f", 2), ("#f", 3)):
        hits.clear()
        shown = load(path, cache, before=f"(define stop {stop})")
        assert shown.endswith("end") == (stop == "#f")
        assert len(hits) == count


def test_procedures_are_described(same: Same) -> None:
    same(DEEP, "(pp sum)", "(trace sum)", "(sum '(1 2))", "(untrace sum)", "(trace (helper sum))", "twice")
    shown = same("(define (outer x) (define (inner y) (* y 2)) (inner (+ x 1)))", "(trace (inner outer))", "(outer 3)")
    assert "inner" in shown


def test_the_text_of_a_procedure_and_its_python(tmp_path: Path, cache: CodeCache, hits: list[Unit]) -> None:
    path = tmp_path / "program.scm"
    path.write_text(DEEP, encoding="utf-8")
    seen: list[tuple[list[str], str | None]] = []
    for kept in (None, cache, cache):
        session = Session()
        session.cache = kept
        python: list[str] = []
        session.show_python = python.append
        session.load(path)
        seen.append((python, session.source_of(session.globals["sum"])))
        assert session.loaded == {path: DEEP}
    assert seen[0] == seen[1] == seen[2]
    assert len(hits) == len(seen[0][0])


GENERATOR = """
(define saved #f)
(define count 0)
(define (walk items)
  (for-each (lambda (item) (call/cc (lambda (k) (set! saved k))) (set! count (+ count 1))) items)
  (list count (map (lambda (x) (* x count)) items) '(a literal)))
(define result (walk '(1 2 3)))
(if (< count 8) (saved 'again))
(display result)
"""


def test_continuations_go_back_into_code_from_the_cache(same: Same) -> None:
    assert same(GENERATOR, "(if (< count 12) (saved 1) result)", "result").startswith("(4 (4 8 12) (a literal))")


def test_a_literal_is_one_object(same: Same) -> None:
    text = """
    (define (a-list) '(1 (2 . "x") #(3 "y")))
    (define (shared) (list '#0=(a b . #0#) '#0#))
    (define other '(1 . #1=(2)))
    (define place #f)
    (define (text) (call/cc (lambda (k) (set! place k))) "a string")
    (define first-text (text))
    """
    same(
        text, "(eq? (a-list) (a-list))", "(eq? (car (shared)) (cadr (shared)))",
        "(eq? (cddr (car (shared))) (caddr (shared)))", "(set-car! (a-list) 5)", "(a-list)",
        "(define before (a-list))", "(define (car x) 1)", "(eq? before (a-list))", "(define old first-text)",
        "(define (cdr x) 1)", "(eq? old (text))", "(begin (place 1) 2)", "(eq? old first-text)",
    )  # fmt: skip


def test_what_a_program_changes_is_kept_as_it_was_written(same: Same) -> None:
    text = """
    (define numbers '(1 2 3))
    (set-car! numbers 'changed)
    (define text "abc")
    (string-set! text 0 #\\z)
    (define all (list numbers text (vector-map (lambda (x) x) #(1 2))))
    """
    assert same(text, "all") == '((changed 2 3) "zbc" #(1 2))\n'


def test_constants_of_every_kind(same: Same) -> None:
    text = """
    (define all (list 1/3 -0.0 1e400 123456789012345678901234567890 #\\a #\\x3bb "λ" 'sym '|odd sym| #u8(1 2) '()
      #t #f (if #f #f) '#(1 #(2)) ':key :key (quote #!eof) '(1 . 2)))
    (define (zero x) (list (= x 0.5) (eqv? x 1/2) (memq x '(1 2)) (case x ((a "b" 1/2) 1) (else 2))))
    """
    same(text, "all", "(map zero '(1/2 1 a))")


# ── what code relies on ──────────────────────────────────────────────────────────────────────────────────────────────

USES = """
(define (use x) (list (car x) (+ 1 (cadr x)) (first 'word) (map square '(1 2))))
(define-values (p q) (floor/ 17 5))
(define (again x) (assert (pair? x)) (use x))
(display (again '(1 2)))
"""


@pytest.mark.parametrize(
    "before",
    [
        "(define (car x) 'mine)",
        "(define (first x) 'mine)",
        "(define (+ . x) 'mine)",
        "(define (square x) 'mine)",
        "(define (assert x) (display 'mine))",
        "(define (let x) 'mine)",
        "(define-syntax use (syntax-rules () ((_ x) 'mine)))",
        "(define-syntax first (syntax-rules () ((_ x) 'mine)))",
        "(define-macro (cadr x) ''mine)",
        "(define-library (cars) (export car) (import (scheme base)) (begin (define (car x) 'mine))) (import (cars))",
    ],
)
def test_names_that_mean_something_else_before_the_load(
    before: str, tmp_path: Path, cache: CodeCache, hits: list[Unit]
) -> None:
    path = tmp_path / "program.scm"
    path.write_text(USES, encoding="utf-8")
    after = ("(again '(1 2))", "(define (map . x) 'late)", "(again '(3 4))", "(again 5)")
    for first, second in (("", before), (before, "")):
        for made in (first, second, first):
            assert load(path, cache, *after, before=made) == load(path, None, *after, before=made)
        assert hits
        hits.clear()
        for kept in cache.folder.iterdir():
            kept.unlink()


HELPERS = (
    "(define (helper x) (* 2 x))",
    "(define (other x) (list x)) (define (helper x) (if (pair? x) x (other x)))",
    "(define (helper x) ((car (list (lambda () (list 'pending x))))))",
    "(define helper (lambda (x) (apply list (list x x))))",
    "(define (helper x) (if (eq? x 0) 'done (last-call (- x 1)))) (define (last-call x) (helper x))",
    "(define helper vector)",
    "",
)


@pytest.mark.parametrize(("first", "second"), list(pairwise((*HELPERS, HELPERS[0]))))
def test_procedures_that_return_in_other_ways_than_before(
    first: str, second: str, tmp_path: Path, cache: CodeCache, hits: list[Unit]
) -> None:
    path = tmp_path / "program.scm"
    path.write_text(
        "(define (use x) (list 'used (helper x)))\n(define (last-call x) (helper x))\n"
        "(define (itself x) (if (eq? x 0) (last-call x) (itself (- x 1))))\n(display 'loaded)",
        encoding="utf-8",
    )
    typed = ["(use 3)", "(last-call 4)", "(itself 5)", "(list (itself 6) (use 7))"]
    typed = [*typed, second, *typed, first, *typed, f'(load "{path}")', *typed]
    load(path, cache, before=first)
    for before in (first, second, first):
        hits.clear()
        assert load(path, cache, *typed, before=before) == load(path, None, *typed, before=before)
        assert hits


def test_a_file_that_binds_names_of_the_library_and_of_syntax(same: Same) -> None:
    text = """
    (define (before x) (car x))
    (define (car x) 'mine)
    (define (assert x) (list 'asserted x))
    (define (after x) (assert (+ x (car x))))
    (define (car x) 5)
    (display (list (before 1) (after 1)))
    """
    assert same(text, "(define (+ . x) 'sum)", "(after 1)") == "(5 (asserted 6))\n+\n(asserted sum)\n"


@pytest.mark.parametrize(
    "text",
    [
        "(define helper (car (list (lambda (x) ((car (list (lambda () (list 'pending x)))))))))",
        "(define (helper x) ((car (list (lambda () (list 'pending x))))))",
        "(define (helper x) (list 'settled x))",
    ],
)
def test_a_file_that_is_loaded_while_code_runs_that_relies_on_what_it_defines(
    text: str, tmp_path: Path, cache: CodeCache, hits: list[Unit]
) -> None:
    path = tmp_path / "program.scm"
    path.write_text(text, encoding="utf-8")
    before = "(define (helper x) (* 2 x)) (define (run) (let ((first (helper 1))) (go) (list first (helper 3))))"
    typed = (f'(define (go) (load "{path}"))', "(run)")
    for beside in (None, cache, cache):
        output = io.StringIO()
        session = Session(output=output)
        session.cache = beside
        if beside is not None and not hits:
            session.load(path)
            hits.clear()
        session.eval(before)
        shown = [interaction.output for entry in typed for interaction in session.interact(entry)]
        assert re.fullmatch(r"\(2 \((pending|settled) 3\)\)\n", shown[-1])
    assert hits


def test_tail_calls_that_would_lead_back_are_proper(tmp_path: Path, cache: CodeCache, hits: list[Unit]) -> None:
    path = tmp_path / "program.scm"
    path.write_text("(define (start n) (other n))", encoding="utf-8")
    for before, near in (("", {"other"}), ("(define (other n) (start n))", set())):
        for beside in (cache, cache, None):
            session = Session()
            session.cache = beside
            session.eval(before)
            session.load(path)
            origin = origin_of(session.globals["start"].__code__)
            assert origin is not None
            assert origin.assumptions.near == near
    assert hits


def test_a_file_that_is_loaded_twice_in_a_session(tmp_path: Path, cache: CodeCache) -> None:
    path = tmp_path / "program.scm"
    path.write_text("(define (assert x) 'mine) (define (list . x) (assert x)) (display (list 1))", encoding="utf-8")
    again = f'(load "{path}")'
    usual = load(path, None, again, again)
    for _ in range(3):
        assert load(path, cache, again, again) == usual


def test_forms_that_change_what_others_mean(same: Same) -> None:
    text = """
    (define-syntax swap! (syntax-rules () ((_ a b) (let ((tmp a)) (set! a b) (set! b tmp)))))
    (define (swapped tmp other) (swap! tmp other) (list tmp other))
    (define-macro (twice form) `(begin ,form ,form))
    (twice (display 'x))
    (define (plain x) (list x x))
    (define (with-local x) (let-syntax ((foo (syntax-rules () ((_ y) (list y x))))) (foo 3)))
    (define swap! list)
    (display (swap! 1 2))
    (display (swapped 1 2))
    (display (with-local 2))
    """
    assert same(text, "(plain 5)", kept=5) == "xx(1 2)(2 1)(3 2)\n(5 5)\n"


def test_forms_that_stand_at_one_place(same: Same) -> None:
    text = """
    (define-syntax define-both
      (syntax-rules () ((_ a b) (cond-expand (else (define a 1) (define b 2))))))
    (define-both x y)
    (define (plain) (list x y))
    """
    assert same(text, "(plain)", kept=1).endswith("(1 2)\n")


def test_files_that_are_included(tmp_path: Path, cache: CodeCache) -> None:
    path, inner = tmp_path / "program.scm", tmp_path / "inner.scm"
    path.write_text('(define (f) (include "inner.scm")) (include "inner.scm") (display (f))', encoding="utf-8")
    for number in (1, 2):
        inner.write_text(f"(define y {number}) y", encoding="utf-8")
        assert load(path, cache) == str(number)


def test_a_variable_that_another_namespace_shares(tmp_path: Path, cache: CodeCache) -> None:
    """What sets it tells the other one so, by code that is the session's own."""
    path = tmp_path / "program.scm"
    path.write_text("(define count 1) (define (set-it) (set! count 5))", encoding="utf-8")
    load(path, cache)
    session = Session()
    session.cache = cache
    other = session.namespace()
    session.main.lead("count", other, "count", is_owner=True)
    session.load(path)
    session.eval("(set-it)")
    assert other.globals["count"] == 5


def test_sentences_are_not_shared_with_a_program_that_changes_pairs(same: Same) -> None:
    text = "(define a (se 'x 'y))\n(define b (se 'w a))\n(set-car! (cdr b) 'new)\n(display (list a b))"
    assert same(text) == "((x y) (w new y))"


def test_both_dialects_have_code_of_their_own(tmp_path: Path, cache: CodeCache) -> None:
    path = tmp_path / "program.scm"
    path.write_text("(define (F x) 'Abc) (display (F 1))", encoding="utf-8")
    for _ in range(2):
        assert load(path, cache) == "abc"
        assert load(path, cache, dialect="r7rs") == "Abc"


@pytest.mark.parametrize(
    "text",
    [
        "(display 1)\n(display 2", "(display 1) ) (display 2)", "(display 1)\n(display #bad)",
        "#!no-fold-case\n(display 'Abc)\n#!fold-case (display 'Abc)",
    ],
)  # fmt: skip
def test_texts_that_are_not_kept(text: str, same: Same, cache: CodeCache) -> None:
    same(text, kept=0)
    assert not list(cache.folder.iterdir())


def test_a_form_that_is_nested_as_deep_as_can_be(same: Same) -> None:
    depth = 1_500
    same(f"(define deep '{'(' * depth}{')' * depth})\n(define (f x) {'(lambda () ' * 40}x{')' * 40})", "(f 1)")
    same("(define long '(" + "x " * 100_000 + "))", "(length long)")


def test_code_from_a_session_with_procedures_of_its_own_is_not_run_in_others(
    tmp_path: Path, cache: CodeCache, hits: list[Unit]
) -> None:
    path = tmp_path / "program.scm"
    path.write_text("(define (f x) (own x)) (display 'loaded)", encoding="utf-8")
    session = Session(output=io.StringIO())
    session.library["own"] = lambda x: x
    session.cache = cache
    session.load(path)
    assert "unbound variable: own" in load(path, cache, "(f 1)")
    assert not hits
