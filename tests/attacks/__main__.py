"""Run the attacks one after the other and print what each of them cost. A new attack is a function and a line here."""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from tests.attacks import bombs, walls
from tests.attacks.stage import Stage, staged
from tests.attacks.watching import Watch, run_states

ATTACKS: dict[str, Callable[[Stage], str]] = {
    each.__name__: each
    for each in (
        walls.platform_files_as_streams,
        walls.files_open_to_others,
        bombs.parquet_of_one_text,
        bombs.parquet_of_large_cells,
        bombs.gzip_without_a_line_end,
        bombs.csv_with_an_open_quote,
        bombs.deep_and_wide_json,
        bombs.queries_that_take_seconds,
        bombs.a_stream_of_many_lanes,
        bombs.brackets,
        bombs.plans_of_a_megabyte,
        bombs.event_streams,
        walls.forged_addresses,
    )
}
HEAD = "| attack | answer | s | web MiB | limited MiB | others' longest request s | others' failures | others' runs |"


def main(names: list[str]) -> None:
    """Print the table; `names` are the attacks that are wanted, all without any."""
    with tempfile.TemporaryDirectory(prefix="attacks-") as folder, staged(Path(folder).resolve()) as stage:
        print(HEAD, "|---" * 8 + "|", sep="\n", flush=True)
        for name in names or ATTACKS:
            began, watch = time.monotonic(), Watch(stage)
            with watch as cost:
                try:
                    answer = ATTACKS[name](stage)
                except httpx.HTTPError as error:
                    answer = f"no answer ({type(error).__name__})"
            cells = [name.replace("_", " "), answer, f"{time.monotonic() - began:.1f}", f"{cost.web_mib:.0f}"]
            cells += [f"{cost.limited_mib:.0f}", f"{cost.longest_s:.2f}"]
            cells += [", ".join(sorted(set(cost.failures))) or "none", run_states(stage)]
            print(f"| {' | '.join(cells)} |", "THE WEB SERVER ENDED" if cost.ended else "", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
