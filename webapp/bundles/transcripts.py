"""Running transcripts with the reference, in a limited process; nothing is stored."""

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
from webapp.accounts.limits.previews import previewing
from webapp.bundles.bodies import TranscriptResult, TranscriptResults
from webapp.core.errors import Faulty, TooMuchWork, fault
from webapp.core.limited.jobs import MIB, Limits, limited
from webapp.queries.models import LONGEST_TEXT

LIMITS: Final = Limits(cpu_s=18, wall_s=20, memory_bytes=768 * MIB, output_bytes=2 * MIB, file_bytes=2 * MIB, at_once=2)
"""The libraries of the reference, which the process imports itself, need a part of the memory."""
FILE: Final = "transcripts.yaml"
"""The name of the file in the folder of the process."""
FEWER: Final = "Run fewer or smaller transcripts at once."


def run(name: str, text: str) -> TranscriptResults:
    """Return the result of each transcript in the file `name`.

    Raises `Faulty` for a text that isn't a transcript or exceeds time, memory or output, `Busy` while too many run at
    once, `OverQuota` if the day's time for previews is used up.
    """
    if len(text) > LONGEST_TEXT:
        message = f"The file has {counted(len(text), 'character')}; the limit is {LONGEST_TEXT:,}."
        raise _refused(message, "Split it.")
    with previewing(), tempfile.TemporaryDirectory(prefix="punctual-transcript-") as made:
        (Path(made) / FILE).write_text(text, encoding="utf-8")
        try:
            results = verdicts(made)
        except TooMuchWork as refused:
            raise _refused(f"{name}: {refused.message}", "") from None
    return TranscriptResults(results=[_at_file(each, name) for each in results])


@limited("Running these transcripts", FEWER, LIMITS)
def verdicts(folder: str) -> list[TranscriptResult]:
    """Return the results that `python -m streaming.transcripts` prints for the file in `folder`, one a line."""
    os.chdir(folder)
    tempfile.tempdir = folder
    sys.argv = ["streaming.transcripts", "--json", "--executor", "reference", FILE]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        runpy.run_module("streaming.transcripts", run_name="__main__")
    return [TranscriptResult.model_validate_json(line) for line in printed.getvalue().splitlines()]


def _at_file(result: TranscriptResult, name: str) -> TranscriptResult:
    return result.model_copy(update={"name": result.name or name, "differs": result.differs.replace(FILE, name)})


def _refused(message: str, remedy: str) -> Faulty:
    return Faulty([fault(FaultCode.BAD_FILE, message, remedy)], f"{message} {remedy}".strip())
