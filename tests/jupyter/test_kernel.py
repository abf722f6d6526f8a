"""The Jupyter kernel, asked as notebooks ask it."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

jupyter_kernel_test = pytest.importorskip("jupyter_kernel_test", reason="the group of notebooks is not installed")

from jupyter_client.blocking.client import BlockingKernelClient  # noqa: E402
from jupyter_client.manager import KernelManager, start_new_kernel  # noqa: E402

from minischeme.jupyter import installation  # noqa: E402

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True, scope="module")
def _installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The kernel, offered in a Jupyter of the test's own."""
    home = tmp_path_factory.mktemp("jupyter")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "XDG_DATA_HOME"):
            patch.setenv(name, str(home / name.lower()))
        patch.setenv("JUPYTER_PATH", str(home / "share" / "jupyter"))
        patch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
        installation.install(str(home))
        yield


class TestMessages(jupyter_kernel_test.KernelTests):  # type: ignore[misc]
    """The test suite for kernels; only paging and ``clear_output``, which no Scheme program can do, are left out."""

    kernel_name = installation.NAME
    language_name = "scheme"
    file_extension = ".scm"
    code_hello_world = '(display "hello, world")'
    code_stderr = '(display "oh" (current-error-port))'
    completion_samples = [  # noqa: RUF012 - as the base class has it
        {"text": "(butfi", "matches": {"butfirst"}},
        {"text": "(define (f number) (* numbe", "matches": {"number", "number?", "number->string"}},
    ]
    complete_code_samples = ["1", "(+ 1 2)", "'a ; comment", "", ",help first", "(car '())"]  # noqa: RUF012
    incomplete_code_samples = ["(+ 1", '(display "a', "#| text", "'", ",time (f"]  # noqa: RUF012
    invalid_code_samples = ["(a . b c)", "(list #what)"]  # noqa: RUF012
    code_generate_error = "(car '())"
    code_execute_result = [  # noqa: RUF012
        {"code": "(se 'so (bf 'ago))", "result": "(so go)"},
        {"code": "(define (double x) (* 2 x))", "result": "double"},
        {"code": "(every (lambda (x) (* x x)) '(1 2 3))", "result": "(1 4 9)"},
    ]
    code_display_data = [  # noqa: RUF012
        {"code": "(draw '(1 (2 . 3)))", "mime": "image/svg+xml"},
        {"code": ",draw '(1 2)", "mime": "image/svg+xml"},
        {
            "code": """(load "twenty-one.scm")
            (load "strategy-lab.scm")
            (define (best-total hand) (if (empty? hand) 0 (+ 5 (best-total (bf hand)))))
            (strategy-chart (lambda (hand up) (< (best-total hand) 12)))""",
            "mime": "image/svg+xml",
        },
    ]
    code_history_pattern = "(se *"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "butfirst"


class Notebook:
    """A kernel of its own, and its answers to cells."""

    def __init__(self) -> None:
        self.manager: KernelManager
        self.client: BlockingKernelClient
        self.manager, self.client = start_new_kernel(kernel_name=installation.NAME)

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def cell(self, code: str, answer: Callable[[], str] | None = None) -> tuple[dict[str, Any], str]:
        """The reply to a cell, and all that the notebook shows below it."""
        shown: list[str] = []

        def show(message: dict[str, Any]) -> None:
            content = message["content"]
            if message["msg_type"] == "stream":
                shown.append(content["text"])
            elif message["msg_type"] in ("execute_result", "display_data"):
                shown.append(content["data"]["text/plain"] + "\n")
            elif message["msg_type"] == "error":
                shown.append("\n".join(content["traceback"]) + "\n")

        def give(_message: dict[str, Any]) -> None:
            assert answer is not None
            self.client.input(answer())

        reply = self.client.execute_interactive(
            code, output_hook=show, stdin_hook=give, timeout=60, stop_on_error=False
        )
        return reply["content"], "".join(shown)


@pytest.fixture(scope="module")
def notebook(_installed: None) -> Iterator[Notebook]:
    made = Notebook()
    yield made
    made.close()


def test_each_form_of_a_cell_shows_its_value(notebook: Notebook) -> None:
    reply, shown = notebook.cell('(define (twice x) (* 2 x))\n(display "so: ")\n(twice 21)')
    assert (reply["status"], shown) == ("ok", "twice\nso: \nokay\n42\n")


def test_an_error_ends_the_cell_and_keeps_the_definitions(notebook: Notebook) -> None:
    reply, shown = notebook.cell("(define kept 7)\n(first '())\n(display 'unseen)")
    assert reply["status"] == "error"
    assert reply["evalue"].startswith("Invalid argument to FIRST")
    assert "unseen" not in shown
    assert "^" in shown
    assert notebook.cell("kept")[1] == "7\n"


def test_read_asks_the_front_end(notebook: Notebook) -> None:
    answers = iter(["(a b) rest", "a line"])
    code = '(display "Who? ")\n(list (read) (read-line) (read-line))'
    assert notebook.cell(code, lambda: next(answers))[1].endswith("((a b) (rest) (a line))\n")


def test_the_rest_of_an_answer_is_not_read_by_the_next_cell(notebook: Notebook) -> None:
    notebook.cell("(read)", lambda: "one two")
    assert notebook.cell("(read)", lambda: "three")[1] == "three\n"


def test_the_prompts_commands_work_in_a_cell(notebook: Notebook) -> None:
    assert notebook.cell(",help bf")[1].startswith("(bf ")
    reply, shown = notebook.cell(",no-such-command")
    assert reply["status"] == "error"
    assert "there is no command" in shown


def test_an_earlier_value_has_a_name(notebook: Notebook) -> None:
    notebook.cell("(* 6 7)")
    assert notebook.cell("(+ $ 1)")[1] == "43\n"


def test_an_endless_loop_is_interrupted_and_the_session_lives(notebook: Notebook) -> None:
    notebook.cell("(define before 5) (define (loop n) (loop (+ n 1)))")
    message = notebook.client.execute("(loop 0)", stop_on_error=False)
    while notebook.client.get_iopub_msg(timeout=30)["content"].get("execution_state") != "busy":
        pass
    time.sleep(0.3)
    notebook.manager.interrupt_kernel()
    while (reply := notebook.client.get_shell_msg(timeout=30))["parent_header"]["msg_id"] != message:
        pass
    assert reply["content"]["status"] == "error"
    assert "interrupted" in reply["content"]["evalue"]
    assert notebook.cell("before")[1] == "5\n"


def test_a_question_is_interrupted_too(notebook: Notebook) -> None:
    def interrupt() -> str:
        assert notebook.manager.provisioner is not None
        os.kill(notebook.manager.provisioner.pid, signal.SIGINT)
        time.sleep(0.5)
        return ""

    reply, _ = notebook.cell("(read)", interrupt)
    assert reply["status"] == "error"
    assert notebook.cell("(+ 1 1)")[1] == "2\n"


def test_deep_recursion_does_not_end_the_kernel(notebook: Notebook) -> None:
    notebook.cell("(define (down n) (if (= n 0) 0 (+ 1 (down (- n 1)))))")
    assert notebook.cell("(down 20000)")[1] == "20000\n"
    reply, shown = notebook.cell("(define (more n) (+ 1 (more n)))\n(more 1)")
    assert reply["status"] == "error"
    assert "recursion" in shown
    assert notebook.cell("(down 10)")[1] == "10\n"


def test_exit_asks_the_front_end_to_end(notebook: Notebook) -> None:
    reply, _ = notebook.cell("(exit)")
    assert reply["payload"] == [{"source": "ask_exit", "keepkernel": False}]


def test_help_appears_while_a_call_is_written(notebook: Notebook) -> None:
    content = notebook.client.inspect("(accumulate ", 12, reply=True, timeout=30)["content"]
    assert content["found"]
    assert content["data"]["text/plain"].startswith("(accumulate ")
    assert not notebook.client.inspect("(no-such-name ", 14, reply=True, timeout=30)["content"]["found"]


def test_an_unfinished_line_says_how_far_the_next_is_indented(notebook: Notebook) -> None:
    request = notebook.client.is_complete("(define (f x)")
    while (reply := notebook.client.get_shell_msg(timeout=30))["parent_header"]["msg_id"] != request:
        pass
    content = reply["content"]
    assert (content["status"], content["indent"]) == ("incomplete", "  ")


def test_installing_needs_a_folder_that_can_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from minischeme.cli.jupyter import jupyter

    (tmp_path / "share").write_text("")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "prefix", str(tmp_path))
        assert jupyter(["install", "--sys-prefix"]) == 1
        (tmp_path / "share").unlink()
        assert jupyter(["install", "--sys-prefix"]) == 0
    assert str(tmp_path) in capsys.readouterr().out
