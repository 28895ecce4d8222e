"""`python -m tests.attacks [--confine 10G] [--pools N] [NAME...]`: a table of the costs of attacks, by default all."""

import argparse
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

from tests.attacks.asking import EVERY_S
from tests.attacks.attacks import ATTACKS, attacked
from tests.attacks.confining import bytes_of, memory_group
from tests.attacks.stage import staged
from tests.attacks.watching import Cost

COLUMNS = (
    "attack",
    "answer",
    "s",
    "web MiB",
    "limited MiB",
    "JVM MiB",
    "worker MiB",
    "all MiB",
    *(f"others' {kind}: median, 99 % s" for kind in EVERY_S),
    "others' longest request s",
    "others' failures",
    "others' run",
)


def cells(name: str, answer: str, cost: Cost) -> list[str]:
    """Return a row of the table."""
    sizes = [cost.web_mib, cost.limited_mib, cost.jvm_mib, cost.worker_mib, cost.all_mib]
    lost = cost.losses and f"{cost.losses.written} rows, {cost.losses.lost} lost, {cost.losses.doubled} repeated"
    run = f"{cost.states or 'no answer'}; {lost or 'unknown'}"
    killed = [f"killed for memory: {cost.killed}"] if cost.killed else []
    ended = ["THE WEB SERVER ENDED"] if cost.ended else []
    return [
        name.replace("_", " "),
        "; ".join([answer.replace("|", "/").replace("\n", " "), *killed, *ended]),
        f"{cost.seconds:.1f}",
        *(f"{size:.0f}" if size else "" for size in sizes),
        *(f"{half:.2f}, {most:.2f} of {count}" for count, half, most in cost.others_s.values()),
        f"{cost.longest_s:.2f}",
        ", ".join(f"{cost.failures.count(each)} times {each}" for each in sorted(set(cost.failures))) or "none",
        run,
    ]


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description=__doc__)
    parser.add_argument("--confine", metavar="10G", type=bytes_of, help="memory of the whole installation")
    parser.add_argument("--pools", metavar="N", type=int, default=0, help="number of runners that organisations share")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(ATTACKS)}")
    options = parser.parse_args(arguments)
    unknown = set(options.names) - ATTACKS.keys()
    if unknown:
        parser.error(f"unknown attack: {', '.join(sorted(unknown))}")
    confined = memory_group(options.confine) if options.confine else nullcontext(None)
    with (
        confined as group,
        tempfile.TemporaryDirectory(prefix="attacks-") as folder,
        staged(Path(folder).resolve() / "var", group, options.pools) as stage,
    ):
        print(f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|", sep="\n", flush=True)
        for name in options.names or ATTACKS:
            print(f"| {' | '.join(cells(name, *attacked(stage, name)))} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
