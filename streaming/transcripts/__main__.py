"""`python -m streaming.transcripts PATH... [--executor reference|engine|spark] [--cuts all|none] [--json]`."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from streaming.transcripts.execute import EXECUTORS
from streaming.transcripts.judge import judge
from streaming.transcripts.load import TranscriptError, load


def main(arguments: Sequence[str]) -> int:
    """Run transcripts and print a line for each; 1 if one does not hold or cannot be read, else 0."""
    parser = argparse.ArgumentParser(prog="python -m streaming.transcripts", description="Run executable examples.")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a .yaml file or a folder of them")
    parser.add_argument("--executor", choices=EXECUTORS, help="default: all three, one after the other")
    parser.add_argument("--cuts", choices=("all", "none"), default="none", help="all: every cut into micro-batches")
    parser.add_argument("--json", action="store_true", help="one JSON object a line: name, passed, differs")
    chosen = parser.parse_args(arguments)
    tell = _tell_json if chosen.json else _tell
    try:
        transcripts = load(chosen.paths)
    except TranscriptError as error:
        tell(VerdictLine("", False, str(error)), "")
        if not chosen.json:
            _say("0 passed, 1 failed")
        return 1
    passed = failed = 0
    for executor in (chosen.executor,) if chosen.executor else EXECUTORS:
        suffix = "" if chosen.executor else f" [{executor}]"
        for verdict in judge(transcripts, executor, chosen.cuts):
            passed += verdict.passed
            failed += not verdict.passed
            told_by = None if chosen.executor else executor
            tell(VerdictLine(verdict.name, verdict.passed, verdict.differs, told_by), suffix)
    if not chosen.json:
        _say(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


@dataclass(frozen=True)
class VerdictLine:
    """One line: a verdict, or with no name why no transcript could be read.

    `executor` is None where only one was asked for.
    """

    name: str
    passed: bool
    differs: str
    executor: str | None = None


def _tell(told: VerdictLine, suffix: str) -> None:
    if not told.name:
        _say(f"FAIL {told.differs}")
    else:
        _say(f"ok {told.name}{suffix}" if told.passed else f"FAIL {told.name}{suffix}: {told.differs}")


def _tell_json(told: VerdictLine, _suffix: str) -> None:
    said = {key: value for key, value in asdict(told).items() if value is not None}
    _say(json.dumps(said, ensure_ascii=False))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
