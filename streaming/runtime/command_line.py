"""The command line of a runner."""

import argparse
from pathlib import Path
from typing import Final

from streaming.runtime.carriers.slow_bindings import FIRST_S

MOST_BUCKETS: Final = 256


def _buckets(text: str) -> int:
    number = int(text)
    if not 1 <= number <= MOST_BUCKETS:
        raise ValueError
    return number


def command_line() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="python -m streaming.runtime", description="The runner of one organisation.")
    whose = parser.add_mutually_exclusive_group(required=True)
    whose.add_argument("--organisation", metavar="ID")
    whose.add_argument("--pool", type=int, metavar="N", help="be pooled runner N instead")
    whose.add_argument(
        "--standby",
        type=Path,
        metavar="SOCKET",
        help="wait at this socket until a launcher assigns an organisation or a pool",
    )
    parser.add_argument("--pooled", action="store_true", help="with --standby: become a pooled runner only")
    parser.add_argument("--root", required=True, type=Path, metavar="PATH", help="holds a folder for each organisation")
    parser.add_argument(
        "--idle-exit-s", type=float, default=60.0, metavar="S", help="exit after this time without a desired run"
    )
    parser.add_argument(
        "--min-interval-s", type=float, default=5.0, metavar="S", help="freshness of bindings without a setting"
    )
    parser.add_argument(
        "--rows-per-batch", type=int, default=200_000, metavar="N", help="approximate maximum for each input"
    )
    parser.add_argument(
        "--read-deadline-s", type=float, default=30.0, metavar="S", help="deadline for an answer of an input"
    )
    parser.add_argument(
        "--apart-s",
        type=float,
        default=FIRST_S,
        metavar="S",
        help="how long a slow binding stays in a pool's second carrier",
    )
    parser.add_argument(
        "--keep-results-s", type=float, metavar="S", help="delete results and quarantine after this time"
    )
    parser.add_argument(
        "--worker-memory-mb", type=int, default=1_024, metavar="MB", help="memory limit of a worker; 0: no limit"
    )
    parser.add_argument("--jvm-memory-mb", type=int, default=2_048, metavar="MB", help="maximum heap of the JVM")
    parser.add_argument("--master", default="local[2]", help="Spark master")
    parser.add_argument(
        "--dedicated-buckets",
        type=_buckets,
        metavar="N",
        help="buckets of a dedicated binding; default: the number of cores",
    )
    return parser
