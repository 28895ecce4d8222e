"""Every command line ends with its documented exit code and a sentence, never a traceback."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from streaming.transcripts.__main__ import main as transcripts
from tests.run.runs import Folder

CELLS = "ts,v\n" + "2024-03-05T10:00:00Z,1\n" * 5_000
QUERY = "SELECT v FROM a EVENTTIME BY ts\n"
ROOT = Path(__file__).resolve().parents[2]
TRANSCRIPT = ROOT / "tests/transcripts/advance/bounds.yaml"


@contextmanager
def nobody() -> Iterator[int]:
    """The end of a pipe from which nobody reads."""
    reads, writes = os.pipe()
    os.close(reads)
    yield writes
    os.close(writes)


@contextmanager
def full() -> Iterator[int]:
    """A disk without room."""
    device = os.open("/dev/full", os.O_WRONLY)
    yield device
    os.close(device)


def ended(output: int, module: str, *arguments: str) -> tuple[int, str]:
    """The exit code and the messages of a command whose standard output is `output`."""
    command = [sys.executable, "-m", module, *arguments]
    run = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, cwd=ROOT, check=False, text=True)  # nosec B603
    assert "Traceback" not in run.stderr
    assert "Exception ignored" not in run.stderr
    return run.returncode, run.stderr


def test_output_that_cannot_be_written_is_a_sentence(folder: Folder) -> None:
    query, cells = folder.write("q.sql", QUERY), folder.write("a.csv", CELLS)
    run = ("--query", query, "--input", f"a={cells}", "--output", "-", "--quiet")
    with nobody() as output:
        for more, what in ((), "results"), (("--explain",), "explanation"):
            code, messages = ended(output, "streaming.run", *run, *more)
            assert (code, messages.splitlines()[-1]) == (4, f"The {what} cannot be written (Broken pipe).")
        code, messages = ended(output, "streaming.transcripts", str(TRANSCRIPT), "--executor", "reference")
        assert (code, messages) == (1, "The verdicts cannot be written (Broken pipe).\n")
        assert ended(output, "webapp.client", "completion", "bash") == (0, "")
    with full() as output:
        code, messages = ended(output, "streaming.run", *run)
        assert (code, messages.splitlines()[-1]) == (4, "The results cannot be written (No space left on device).")
        code, messages = ended(output, "webapp.client", "completion", "bash")
        assert (code, messages) == (1, "punctual: The output cannot be written: No space left on device.\n")


@pytest.mark.parametrize("option", ["--output", "--late"])
def test_a_path_that_is_not_a_file_is_not_replaced(folder: Folder, option: str) -> None:
    query, cells = folder.write("q.sql", QUERY), folder.write("a.csv", CELLS)
    pipe = folder.path / "pipe.jsonl"
    os.mkfifo(pipe)
    ran = folder.run(query, {"a": cells}, option, str(pipe))
    assert (ran.code, "is a folder, a device or a pipe" in ran.messages) == (2, True)
    assert pipe.is_fifo()


def test_a_name_that_no_file_can_have_is_a_sentence(
    folder: Folder, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    query, cells = folder.write("q.sql", QUERY), folder.write("a.csv", CELLS)
    ran = folder.run(query, {"a": cells}, output="x" * 300 + ".jsonl")
    assert (ran.code, "cannot be written (File name too long)" in ran.messages) == (4, True)
    assert folder.run(query, {"a": str(tmp_path / ("x" * 300 + ".csv"))}).code == 3
    assert transcripts([str(tmp_path / ("x" * 300 + ".yaml"))]) == 1
    assert "cannot be read (File name too long)" in capsys.readouterr().out


def test_an_interruption_of_transcripts_is_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("streaming.transcripts.__main__.judge", interrupted)
    assert transcripts([str(TRANSCRIPT), "--executor", "reference"]) == 130
    assert capsys.readouterr().err == "Interrupted: not every transcript was run.\n"
