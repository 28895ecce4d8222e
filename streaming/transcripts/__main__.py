"""`python -m streaming.transcripts PATH... [--executor reference|engine|spark] [--cuts all|none] [--json]`."""

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from streaming.transcripts.execute import EXECUTORS
from streaming.transcripts.judge import judge
from streaming.transcripts.load import LoadedTranscript, TranscriptError, UnreadableTranscript, load_each
from streaming.wire.standard_output import abandon_output

INTERRUPTED: Final = 130


def main(arguments: Sequence[str]) -> int:
    """Run transcripts and print a line for each.

    Return 1 if a transcript does not hold or cannot be read, or the lines cannot be written; 130 after an interruption;
    otherwise 0.
    """
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        _complain("Interrupted: not every transcript was run.")
        return INTERRUPTED
    except OSError as error:
        _complain(f"The verdicts cannot be written ({error.strerror or error}).")
        return 1


def _run(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m streaming.transcripts", description="Run executable examples.")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a .yaml file or a folder of them")
    parser.add_argument("--executor", choices=EXECUTORS, help="default: all three, one after the other")
    parser.add_argument("--cuts", choices=("all", "none"), default="none", help="all: every cut into micro-batches")
    parser.add_argument("--json", action="store_true", help="one JSON object a line: name, passed, differs")
    chosen = parser.parse_args(arguments)
    tell = _print_json if chosen.json else _print_text
    try:
        loaded = load_each(chosen.paths)
    except TranscriptError as error:
        tell(VerdictLine("", False, str(error)), "")
        if not chosen.json:
            _say("0 passed, 1 failed")
        return 1
    transcripts = [each for each in loaded if isinstance(each, LoadedTranscript)]
    unreadable = [each for each in loaded if isinstance(each, UnreadableTranscript)]
    for each in unreadable:
        tell(VerdictLine(each.name, False, each.reason), "")
    passed, failed = 0, len(unreadable)
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
    """One output line: a verdict, or without a name the reason why no transcript could be read.

    `executor` is None if only one was requested.
    """

    name: str
    passed: bool
    differs: str
    executor: str | None = None


def _print_text(verdict: VerdictLine, suffix: str) -> None:
    if not verdict.name:
        _say(f"FAIL {verdict.differs}")
    else:
        _say(f"ok {verdict.name}{suffix}" if verdict.passed else f"FAIL {verdict.name}{suffix}: {verdict.differs}")


def _print_json(verdict: VerdictLine, _suffix: str) -> None:
    values = {key: value for key, value in asdict(verdict).items() if value is not None}
    _say(json.dumps(values, ensure_ascii=False))


def _complain(line: str) -> None:
    with suppress(OSError):
        sys.stderr.write(line + "\n")
        sys.stderr.flush()


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    code = main(sys.argv[1:])
    abandon_output()
    sys.exit(code)
