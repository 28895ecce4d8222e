"""Running transcripts by the reference, in a process of its own with limits; nothing of it outlives the request."""

import contextlib
import logging
import os
import signal
import subprocess  # nosec B404 # programs of this machine, named by lists
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import BoundedSemaphore
from typing import Final

from django.conf import settings

from streaming.definition.faults import FaultCode
from webapp.accounts.previews import previewing
from webapp.bundles import limited
from webapp.bundles.bodies import TranscriptResult, TranscriptResults
from webapp.core.errors import Busy, Faulty, fault
from webapp.queries.texts import LONGEST_TEXT

logger = logging.getLogger(__name__)

SECONDS: Final = 20
"""Of time on the wall."""
CPU_SECONDS: Final = 18
MEMORY_BYTES: Final = 1024**3
"""Of address space; the libraries alone take more than half of it."""
OUTPUT_BYTES: Final = 2 * 1024 * 1024
AT_ONCE: Final = 2
"""How many a server process runs at the same time."""
FILE: Final = "transcripts.yaml"
"""The name of the file in the folder of the process."""
LONGEST_COMPLAINT: Final = 4_000
_running: Final = BoundedSemaphore(AT_ONCE)


def run(name: str, text: str) -> TranscriptResults:
    """Return which transcripts of the file `name` hold.

    Raises `Faulty` for a text that is no transcript, or one that needs more time, memory or output than there is;
    `Busy` while as many run as may, `OverQuota` when the day's time for previews is used up.
    """
    if len(text) > LONGEST_TEXT:
        raise _refused(f"The file has {len(text)} characters; at most {LONGEST_TEXT} are run at once.", "Divide it.")
    if not _running.acquire(blocking=False):
        raise Busy("Other transcripts are being run. Try again in a moment.")
    try:
        with previewing(), tempfile.TemporaryDirectory(prefix="punctual-transcript-") as made:
            return _run(name, text, Path(made))
    finally:
        _running.release()


def _run(name: str, text: str, folder: Path) -> TranscriptResults:
    file, output, errors = folder / FILE, folder / "output", folder / "errors"
    file.write_text(text, encoding="utf-8")
    command = [sys.executable, str(Path(limited.__file__)), str(CPU_SECONDS), str(MEMORY_BYTES), str(OUTPUT_BYTES)]
    command += [sys.executable, "-P", "-m", "streaming.transcripts", "--json", "--executor", "reference", file.name]
    with output.open("wb") as standard_output, errors.open("wb") as standard_error:
        process = subprocess.Popen(  # nosec B603 # a list of arguments, no shell, no word of a user in it
            command,
            cwd=folder,
            env=_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=standard_output,
            stderr=standard_error,
            start_new_session=True,
        )
        with _ended(process):
            try:
                process.wait(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                raise _too_much(name) from None
    return _results(name, process.returncode, output, errors)


def _environment(folder: Path) -> dict[str, str]:
    """Return what the process is told: where the program is, and nothing of this server's own settings."""
    return {
        "PATH": os.defpath,
        "PYTHONPATH": str(settings.BASE_DIR),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "POLARS_MAX_THREADS": "1",
    }


@contextlib.contextmanager
def _ended(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """See to it that the process and whatever it started are gone after the block."""
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _results(name: str, code: int, output: Path, errors: Path) -> TranscriptResults:
    """Return what the process told, a result a line; one without a name says why the file cannot be read."""
    complained = errors.read_text(encoding="utf-8", errors="replace")
    if code not in (0, 1) or "Traceback" in complained or output.stat().st_size >= OUTPUT_BYTES:
        if complained and "MemoryError" not in complained:
            logger.error("transcripts ended with %s: %r", code, complained[-LONGEST_COMPLAINT:])  # one line of the log
        raise _too_much(name)
    told = [TranscriptResult.model_validate_json(line) for line in output.read_bytes().splitlines()]
    return TranscriptResults(results=[each if each.name else _unread(each, name) for each in told])


def _unread(told: TranscriptResult, name: str) -> TranscriptResult:
    return told.model_copy(update={"name": name, "differs": told.differs.replace(FILE, name)})


def _too_much(name: str) -> Faulty:
    message = f"{name} did not end within {SECONDS} s, {MEMORY_BYTES // 1024**2} MiB of memory and its output."
    return _refused(message, "Run fewer or smaller transcripts at once.")


def _refused(message: str, remedy: str) -> Faulty:
    return Faulty([fault(FaultCode.BAD_FILE, message, remedy)], f"{message} {remedy}")
