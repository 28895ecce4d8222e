"""`python -m streaming.transcripts PATH... [--executor reference|engine|spark] [--cuts all|none]`."""

import argparse
import sys
from collections.abc import Sequence
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
    chosen = parser.parse_args(arguments)
    try:
        transcripts = load(chosen.paths)
    except TranscriptError as error:
        _say(f"FAIL {error}")
        _say("0 passed, 1 failed")
        return 1
    passed = failed = 0
    for executor in (chosen.executor,) if chosen.executor else EXECUTORS:
        suffix = "" if chosen.executor else f" [{executor}]"
        for verdict in judge(transcripts, executor, chosen.cuts):
            passed += verdict.passed
            failed += not verdict.passed
            _say(f"ok {verdict.name}{suffix}" if verdict.passed else f"FAIL {verdict.name}{suffix}: {verdict.differs}")
    _say(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
