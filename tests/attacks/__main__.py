"""`python -m tests.attacks [--confine 10G] [--pools N] [NAME...]`: what each attack costs, as a table; unnamed: all."""

import argparse
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

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
    "others' longest request s",
    "others' failures",
    "others' run",
)


def cells(name: str, answer: str, cost: Cost) -> list[str]:
    """A row of the table."""
    sizes = [cost.web_mib, cost.limited_mib, cost.jvm_mib, cost.worker_mib, cost.all_mib]
    lost = cost.losses and f"{cost.losses.written} rows, {cost.losses.lost} lost, {cost.losses.doubled} doubled"
    run = f"{cost.states or 'nobody answers'}; {lost or 'nothing is known'}"
    killed = [f"killed for memory: {cost.killed}"] if cost.killed else []
    ended = ["THE WEB SERVER ENDED"] if cost.ended else []
    return [
        name.replace("_", " "),
        "; ".join([answer.replace("|", "/").replace("\n", " "), *killed, *ended]),
        f"{cost.seconds:.1f}",
        *(f"{size:.0f}" if size else "" for size in sizes),
        f"{cost.longest_s:.2f}",
        ", ".join(f"{cost.failures.count(each)} times {each}" for each in sorted(set(cost.failures))) or "none",
        run,
    ]


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description=__doc__)
    parser.add_argument("--confine", metavar="10G", type=bytes_of, help="so much memory for the whole installation")
    parser.add_argument("--pools", metavar="N", type=int, default=0, help="so many runners that organisations share")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ATTACKS)}")
    asked = parser.parse_args(arguments)
    unknown = set(asked.names) - ATTACKS.keys()
    if unknown:
        parser.error(f"there is no attack {', '.join(sorted(unknown))}")
    confined = memory_group(asked.confine) if asked.confine else nullcontext(None)
    with (
        confined as group,
        tempfile.TemporaryDirectory(prefix="attacks-") as folder,
        staged(Path(folder).resolve() / "var", group, asked.pools) as stage,
    ):
        print(f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|", sep="\n", flush=True)
        for name in asked.names or ATTACKS:
            print(f"| {' | '.join(cells(name, *attacked(stage, name)))} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
