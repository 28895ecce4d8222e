"""Running transcripts by the reference, in a limited process; nothing of it outlives the request."""

import contextlib
import io
import os
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Final

from streaming.definition.counts import counted
from streaming.definition.faults import FaultCode
from webapp.accounts.previews import previewing
from webapp.bundles.bodies import TranscriptResult, TranscriptResults
from webapp.core.errors import Faulty, TooMuchWork, fault
from webapp.core.limited.jobs import MIB, Limits, limited
from webapp.queries.models import LONGEST_TEXT

LIMITS: Final = Limits(cpu_s=18, wall_s=20, memory_bytes=768 * MIB, output_bytes=2 * MIB, file_bytes=2 * MIB, at_once=2)
"""The libraries of the reference, which the process imports itself, take a part of the memory."""
FILE: Final = "transcripts.yaml"
"""The name of the file in the folder of the process."""
FEWER: Final = "Run fewer or smaller transcripts at once."


def run(name: str, text: str) -> TranscriptResults:
    """Return which transcripts of the file `name` hold.

    Raises `Faulty` for a text that is no transcript, or one that needs more time, memory or output than there is;
    `Busy` while as many run as may, `OverQuota` when the day's time for previews is used up.
    """
    if len(text) > LONGEST_TEXT:
        message = f"The file has {counted(len(text), 'character')}; at most {LONGEST_TEXT:,} are run at once."
        raise _refused(message, "Divide it.")
    with previewing(), tempfile.TemporaryDirectory(prefix="punctual-transcript-") as made:
        (Path(made) / FILE).write_text(text, encoding="utf-8")
        try:
            told = verdicts(made)
        except TooMuchWork as refused:
            raise _refused(f"{name}: {refused.message}", "") from None
    return TranscriptResults(results=[each if each.name else _unread(each, name) for each in told])


@limited("Running these transcripts", FEWER, LIMITS)
def verdicts(folder: str) -> list[TranscriptResult]:
    """Return what `python -m streaming.transcripts` tells of the file in `folder`, a result a line."""
    os.chdir(folder)
    tempfile.tempdir = folder
    sys.argv = ["streaming.transcripts", "--json", "--executor", "reference", FILE]
    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.suppress(SystemExit):
        runpy.run_module("streaming.transcripts", run_name="__main__")
    return [TranscriptResult.model_validate_json(line) for line in told.getvalue().splitlines()]


def _unread(told: TranscriptResult, name: str) -> TranscriptResult:
    return told.model_copy(update={"name": name, "differs": told.differs.replace(FILE, name)})


def _refused(message: str, remedy: str) -> Faulty:
    return Faulty([fault(FaultCode.BAD_FILE, message, remedy)], f"{message} {remedy}".strip())
