"""The benchmarks run, at tiny sizes, and time the same work on all sides. No time is asserted."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence
from dataclasses import replace
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from benchmarks import peers as peers_module
from benchmarks import work
from benchmarks.__main__ import NAMES, main
from benchmarks.chart import chart
from benchmarks.counterparts import read_text
from benchmarks.environments import PACKAGED_PEERS, installed
from benchmarks.measuring import DifferentResults, Measurement, PeerMeasurement, Side, measure
from benchmarks.peers import PEERS, CannotRun, Peer, PeerSide, Run, complaint, run_program
from benchmarks.processes import Datum, Memory, measure_memory, measure_start, resident
from benchmarks.programs import ROOT, datum, student_program
from benchmarks.table import Table, aligned, markdown, memory_table, rate, ratio_table, reasons, report, speed_table
from benchmarks.workloads import WORKLOADS, Workload

from minischeme import Session
from minischeme.data.printer import write

pytestmark = pytest.mark.slow

BY_NAME = {workload.name: workload for workload in WORKLOADS}
WITH_COUNTERPART = [workload for workload in WORKLOADS if workload.counterpart is not None]
ELSEWHERE = [workload for workload in WORKLOADS if workload.only_here is None]


def named(workload: Workload) -> str:
    return workload.name


def fake_peer(folder: Path, script: str = "") -> Peer:
    """A peer that is an executable of ours: a script in Python, or else minischeme, as plain R7RS."""
    executable = folder / "fake-scheme"
    run = "from minischeme.cli.main import main\nsys.exit(main(['--r7rs', *sys.argv[1:]]))"
    executable.write_text(f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n{script or run}\n")
    executable.chmod(0o755)
    return Peer("Fake", str(executable), ("{program}",), "a fake", additions={"streams": peers_module.SYNTAX_RULES})


@pytest.fixture
def _short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers_module, "SHORTEST", 0.0)


# Both sides


@pytest.mark.parametrize("workload", WORKLOADS, ids=named)
def test_both_sides_do_the_same_work(workload: Workload) -> None:
    measurement = measure(workload, rounds=1, size=workload.small_size)
    assert measurement.name == workload.name
    assert (measurement.ratio is not None) == (workload.counterpart is not None)


@pytest.mark.parametrize("workload", WITH_COUNTERPART, ids=named)
def test_a_counterpart_that_does_other_work_is_noticed(workload: Workload) -> None:
    other = replace(workload, counterpart=lambda size: -size)
    with pytest.raises(DifferentResults, match=workload.name):
        measure(other, rounds=1, size=workload.small_size)


@pytest.mark.parametrize("workload", WORKLOADS, ids=named)
def test_growing_sizes_are_about_a_decade_of_work_apart(workload: Workload) -> None:
    works = [workload.work(size) for size in workload.growing_sizes]
    assert all(5 < more / less < 20 for less, more in pairwise(works))


def test_work_is_what_a_count_gives() -> None:
    session = Session()
    session.eval(
        """(define calls 0) (define (size) 0)
        (define (fib n) (set! calls (+ calls 1)) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))"""
    )
    assert session.eval("(fib 9) calls") == work.fib_calls(9)
    assert work.sieve_tests(3) == 0 + 1 + 1 + 2  # 2 is tried with none, 3 and 4 with 2, 5 with 2 and 3


def test_files_that_workloads_read() -> None:
    assert abs(student_program(2_000).count("\n") - 2_000) < 20
    assert 5_000 <= len(datum(5_000)) < 5_200
    assert write(read_text('(a "b c" (1 -2 . x) 2.5 () q)')) == '(a "b c" (1 -2 . x) 2.5 () q)'


# Peers


@pytest.mark.parametrize("workload", ELSEWHERE, ids=named)
def test_other_schemes_can_do_the_work(workload: Workload, tmp_path: Path) -> None:
    """What a peer is given needs nothing that plain R7RS lacks, and gives what minischeme gives."""
    printed = StringIO()
    session = Session(dialect="r7rs", output=printed)
    definitions = workload.definitions(workload.small_size, tmp_path)
    session.eval(fake_peer(tmp_path).program(definitions, portable=workload.portable))
    value = session.eval("(work)")
    side = Side(workload, workload.small_size, tmp_path)
    expected = side.result(side.run())
    if workload.prints:
        assert printed.getvalue() == expected
    elif workload.same_value:
        assert write(value) == expected


@pytest.mark.usefixtures("_short_runs")
def test_a_peer_is_run_and_timed(tmp_path: Path) -> None:
    workload, peer = BY_NAME["sentrev"], fake_peer(tmp_path)
    measurement = measure(workload, rounds=1, size=workload.small_size, peers=[peer])
    found = measurement.peers["Fake"]
    assert isinstance(found, PeerMeasurement), found
    assert found.seconds > 0
    assert found.ratio > 0


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("print('ERROR: unbound variable: fib'); sys.exit(1)", "ERROR: unbound variable: fib"),
        ("print('12'); print('the work is done')", "another result: 12"),
        # It can do the work once, but not again and again.
        ("print('5\\nthe work is done' if 'check' in sys.argv[1] else 'Aborting: stack overflow')", "stack overflow"),
    ],
)
def test_why_a_peer_cannot_do_the_work(script: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match=reason):
        PeerSide(fake_peer(tmp_path, script), BY_NAME["fib"], 5, tmp_path, "5")


def test_work_is_repeated_until_it_takes_long_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The start-up is subtracted: this peer needs a second for that, and one for doing the work 400 times."""

    def pretended(peer: Peer, program: Path) -> Run:
        times = re.search(r"\(repeat-work (\d+)\)", program.read_text(encoding="utf-8"))
        return Run(1 + int(times[1]) / 400 if times else 1.0, 0, "5 the work is done", stopped=False)

    monkeypatch.setattr(peers_module, "run_program", pretended)
    side = PeerSide(fake_peer(tmp_path), BY_NAME["fib"], 5, tmp_path, "5")
    assert side.seconds() * BY_NAME["fib"].work(5) * 400 == pytest.approx(1)
    assert (tmp_path / "work-200.scm").exists()  # half a second
    assert not (tmp_path / "work-1000.scm").exists()


def test_a_peer_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers_module, "LONGEST", 0.3)
    with pytest.raises(CannotRun, match="takes more than"):
        PeerSide(fake_peer(tmp_path, "import time; time.sleep(60)"), BY_NAME["fib"], 5, tmp_path, "5")


def test_what_only_minischeme_can_do(tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match="R5RS has no trace"):
        PeerSide(fake_peer(tmp_path), BY_NAME["trace"], 5, tmp_path, None)


def test_peers_that_are_not_there(tmp_path: Path) -> None:
    peer = fake_peer(tmp_path)
    assert peer.is_found()
    assert not replace(peer, executable=str(tmp_path / "nowhere")).is_found()


def test_a_peer_is_compiled_beforehand(tmp_path: Path) -> None:
    program = tmp_path / "program.scm"
    program.write_text("(display 1)")
    peer = replace(fake_peer(tmp_path), compiler=(sys.executable, "-c", "open('{program}', 'w').write('(display 2)')"))
    peer.compile(program)
    assert run_program(peer, program).printed == "2"


def test_a_packaged_peer_that_is_installed(tmp_path: Path) -> None:
    packaged = PACKAGED_PEERS[0]
    (tmp_path / packaged.package).mkdir()
    (tmp_path / packaged.package / "installed").touch()
    peer = installed(packaged, tmp_path)
    assert peer.executable.startswith(str(tmp_path))
    assert peer.name == packaged.peer.name


def test_a_packaged_peer_that_cannot_be_installed(tmp_path: Path) -> None:
    (tmp_path / "file").touch()  # where its folder should be
    with pytest.raises(CannotRun, match=r"calysto-scheme can't be installed: .+"):
        installed(PACKAGED_PEERS[0], tmp_path / "file")


def test_complaints() -> None:
    assert complaint("Traceback:\n  at 3\nRunTimeError: unbound variable 'x'\n") == "RunTimeError: unbound variable 'x'"
    assert complaint(";Unbound variable: x\n;To continue, say\n\n2 error> \nEnd of input stream reached.") == (
        ";Unbound variable: x"
    )
    assert complaint("") == "ends without a word"


# Processes


def test_starting(tmp_path: Path) -> None:
    measurement = measure_start(1, [fake_peer(tmp_path, "pass")])
    assert measurement.ratio is not None
    assert isinstance(measurement.peers["Fake"], PeerMeasurement)


@pytest.mark.skipif(resident() is None, reason="only Linux tells how much memory a process has")
def test_memory(tmp_path: Path) -> None:
    none = fake_peer(tmp_path, "print('error: no files')")
    memory = measure_memory(Datum("pair", "0", "0"), [none], count=300_000)
    assert 30 < memory.ours < 90
    assert memory.ours == pytest.approx(memory.by_hand, rel=0.3)
    assert memory.peers == {"Fake": "error: no files"}


# Tables


PEERS_FOUND: dict[str, PeerMeasurement | str] = {"Fake": PeerMeasurement(1e-7, 3.5), "Other": "no fib"}
MEASUREMENTS = [
    Measurement(
        "fib",
        0.0123,
        1_000,
        "calls",
        0.01,
        1.234,
        1.1,
        1.5,
        1.2,
        {"Fake": PeerMeasurement(1e-7, 3.5), "Other": "no fib"},
    ),
    Measurement("load", 0.5, peers={"Other": "no fib"}),
]


@pytest.mark.parametrize("make", [speed_table, ratio_table])
def test_tables(make: Callable[[Sequence[Measurement], Sequence[str]], Table]) -> None:
    table = make(MEASUREMENTS, ["Fake", "Other"])
    lines = aligned(table).splitlines()[2:]
    assert [len(line) for line in lines] == [len(lines[0])] * 3
    rows = markdown(table).splitlines()[2:]
    assert {row.count("|") for row in rows} == {len(table.headings) + 1}


def test_figures_in_tables() -> None:
    assert speed_table(MEASUREMENTS, ["Fake", "Other"]).rows[0] == ("fib", "calls", "81.3 k", "100 k", "10 M", "–")
    row = ratio_table(MEASUREMENTS, ["Fake", "Other"]).rows[0]
    assert row == ("fib", "12.3 ms", "10.0 ms", "1.23 ×", "1.5 ×", "1.10 ×", "1.2 ×", "3.50 ×", "–")
    memory = memory_table([Memory("pair", 48.2, 48.0, {"Fake": 16.0, "Other": "no"})], ["Fake", "Other"])
    assert memory.rows == (("pair", "48", "48", "16", "–"),)
    assert [rate(number) for number in (0.25, 12, 999_900, 2.5e6, 3e9)] == ["0.25", "12", "1e+03 k", "2.5 M", "3000 M"]


def test_reasons_stand_below_the_tables() -> None:
    assert reasons(MEASUREMENTS) == ["Other: fib; load: no fib"]
    text = report([ratio_table(MEASUREMENTS, [])], [["a note"], []], in_markdown=True)
    assert text.startswith("## minischeme's time")
    assert text.endswith("\n\n- a note\n")


# The chart


def test_the_chart_says_all_in_words_too() -> None:
    root = ElementTree.fromstring(chart(MEASUREMENTS))
    names = {child.tag.rpartition("}")[2]: child.text for child in root}
    assert names["title"] == "How fast others are beside minischeme"
    assert names["desc"] == "fib: Python by hand 1.23 ×, Fake 3.5 ×."
    assert root.get("role") == "img"
    bars = [bar for bar in root.iter() if bar.tag.endswith("rect") and len(bar)]
    assert [bar[0].text for bar in bars] == ["fib: Python by hand 1.23 ×", "fib: Fake 3.5 ×"]
    widths = [float(bar.get("width", "0")) for bar in bars]
    assert 0 < widths[0] < widths[1]
    labels = [text.text for text in root.iter() if text.tag.endswith("text")]
    assert "Fake 3.5 ×" in labels


def test_a_chart_of_the_slow_and_of_nothing() -> None:
    slow = Measurement("<slow>", 1.0, peers={"A & B": PeerMeasurement(1.0, 0.001)})
    root = ElementTree.fromstring(chart([slow]))
    bar = next(bar for bar in root.iter() if bar.tag.endswith("rect") and len(bar))
    assert bar[0].text == "<slow>: A & B 0.001 ×"
    assert float(bar.get("x", "-1")) > 0
    ElementTree.fromstring(chart([]))


# The command


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.__main__.WORKLOADS", [replace(BY_NAME["fib"], size=5)])
    tables, drawing = tmp_path / "tables.md", tmp_path / "chart.svg"
    main(["fib", "--rounds", "1", "--peers", "none", "--markdown", str(tables), "--svg", str(drawing)])
    printed = capsys.readouterr().out
    assert printed.splitlines()[0] == "Work per second"
    assert "| fib |" in tables.read_text(encoding="utf-8")
    assert drawing.read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize("words", [["nothing"], ["fib", "--rounds", "0"], ["growth", "nothing"]])
def test_wrong_commands(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(words)
    assert "error: " in capsys.readouterr().err


def test_names() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert len({peer.name for peer in PEERS}) == len(PEERS)
