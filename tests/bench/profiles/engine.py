"""The cost of an event in the engine, in memory, on one core, by part: `python -m tests.bench.profiles.engine [WORK]`.

Works are those of `catalogue`, with their queries and data: by default FEED and AFTER_FEED. The first batches warm up,
the last one is profiled: processor time, in nanoseconds per event, of each function of the engine with all its calls
outside the engine (numpy, Arrow, Polars). `--rows FACTOR` as in `tests.bench`; `--parts N` limits the output. Not a
test.
"""

import os

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import argparse
import cProfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from itertools import zip_longest
from pathlib import Path
from types import CodeType
from typing import Any, Final

import numpy as np
import pyarrow as pa

from streaming.definition.checks.advance import temporal_settings
from streaming.engine.columns.ipc import from_bytes
from streaming.engine.exchange.envelopes import Envelope, OperatorOutput
from streaming.engine.feed.lane_feed import LaneFeed
from streaming.engine.operators.bucket import BucketOperators
from streaming.engine.state.state_store import DictState
from streaming.planning.compile import compile_binding
from streaming.planning.plan import QueryPlan
from streaming.wire.rows.arrived import Arrived
from tests.bench import data
from tests.bench.catalogue import WORKS
from tests.bench.data import Source
from tests.bench.works import Work

FEED: Final = ("tumbling-5m", "hopping-60", "hopping-600")
"""Works that the feed folds."""
AFTER_FEED: Final = ("join", "session", "snapshot", "snapshot-fine", "spl", "percentile", "distinct")
"""Works whose rows travel as flows, or are stored until windows close."""
BATCHES: Final = 3
CHUNK: Final = 1_000_000
ENGINE: Final = str(Path("streaming", "engine"))
Parts = dict[str, float]


def plan_of(work: Work) -> QueryPlan:
    """Return the plan of one bucket."""
    spec = work.spec()
    streams = {name: given.stream for name, given in spec.inputs.items()}
    advance = {name: given.advance for name, given in spec.inputs.items() if given.advance is not None}
    return compile_binding(spec.query, streams, temporal_settings(spec.query, streams, advance), 1)


def chunks(source: Source, table: pa.Table, first: int) -> Iterator[Arrived]:
    """Yield a batch in the form of an adapter; `first` is the position of its first row."""
    for low in range(0, table.num_rows, CHUNK):
        part = table.slice(low, CHUNK).combine_chunks()
        start = part.column("ts").cast(pa.int64()).to_numpy()
        payload = part.select(list(source.fields)).to_batches()[0]
        kind, positions = np.zeros(len(start), np.int8), np.arange(first + low, first + low + len(start))
        yield Arrived(kind, start, start + 1, positions, payload, {}, lambda indices: ["{}"] * len(indices))


class Profiled:
    """A work in one process: the feeds of its inputs, then the operators of one bucket."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._plan = plan_of(work)
        self._lanes: dict[str, bytes | None] = dict.fromkeys(work.sources)
        self._state = DictState()
        self._batch = 0

    def feed(self, given: dict[str, list[Arrived]]) -> list[Envelope]:
        """Feed one batch of each input."""
        envelopes = []
        for name, arrived in given.items():
            feed = LaneFeed(self._plan, name, "0", self._lanes[name])
            for chunk in arrived:
                feed.take(chunk)
            turn = feed.finish(end=False)
            self._lanes[name] = turn.state
            envelopes += turn.envelopes
        return envelopes

    def operate(self, envelopes: list[Envelope]) -> list[OperatorOutput]:
        """Run a turn of the bucket."""
        self._batch += 1
        return BucketOperators(self._plan, 0, self._state).turn(self._batch, envelopes)


def measure(name: str, work: Work, shown: int) -> None:
    """Run `work` and print the cost of its last batch."""
    running = Profiled(work)
    given = zip_longest(*(data.tables(of, (1.0,) * BATCHES, seed) for seed, of in enumerate(work.sources.values())))
    for number, tables in enumerate(given):
        batch = {
            each: list(chunks(source, table, number * source.rows))
            for (each, source), table in zip(work.sources.items(), tables, strict=True)
        }
        last = number == BATCHES - 1
        envelopes, feed_s, feed_parts = _spent(partial(running.feed, batch), profiled=last)
        outputs, operators_s, parts = _spent(partial(running.operate, envelopes), profiled=last)
    results = sum(from_bytes(each.chunk).num_rows for each in outputs if each.kind == "rows")
    sent_bytes = sum(len(each.chunk) for each in envelopes)
    both = feed_s + operators_s
    print(
        f"\n{name}: {work.rows:,} events, {both / work.rows * 1e9:,.0f} ns each ({work.rows / both:,.0f} events/s), "
        f"{results:,} result rows, {sent_bytes / 1e6:.1f} MB sent"
    )
    for title, seconds, found in (("feed", feed_s, feed_parts), ("operators", operators_s, parts)):
        print(f"  {title} {seconds / work.rows * 1e9:,.1f} ns")
        largest = sorted(found.items(), key=lambda each: -each[1])[:shown]
        for part, own_s in largest:
            print(f"    {own_s / work.rows * 1e9:8.1f}  {part}")


def _spent(run: Callable[[], Any], *, profiled: bool) -> tuple[Any, float, Parts]:
    """Return the result of `run`, its processor seconds, and those of its parts."""
    profile = cProfile.Profile(time.process_time, builtins=True)
    began = time.process_time()
    if profiled:
        found = profile.runcall(run)
        seconds = time.process_time() - began
        return found, seconds, parts_of(profile)
    found = run()
    return found, time.process_time() - began, {}


def parts_of(profile: cProfile.Profile) -> Parts:
    """Return the seconds of each function of the engine, with its calls outside the engine."""
    entries = profile.getstats()
    inside = {
        entry.code: 1 - sum(call.totaltime for call in entry.calls or () if _name(call.code)) / entry.totaltime
        for entry in entries
        if _name(entry.code) is None and entry.totaltime
    }
    parts: Parts = defaultdict(float)
    for entry in entries:
        name = _name(entry.code)
        if name is not None:
            outside = (call for call in entry.calls or () if _name(call.code) is None)
            parts[name] += entry.inlinetime + sum(call.totaltime * inside.get(call.code, 1) for call in outside)
    return parts


def _name(code: CodeType | str) -> str | None:
    """Return `module.function` of the engine; None for all other code."""
    if isinstance(code, str) or ENGINE not in code.co_filename:
        return None
    return f"{Path(code.co_filename).stem}.{code.co_qualname.partition('.<locals>')[0]}"


def main() -> None:
    """Print the profiles, one after the other."""
    made = argparse.ArgumentParser(prog="python -m tests.bench.profiles.engine", description="Engine time by part.")
    made.add_argument("works", nargs="*", choices=[[], *WORKS])
    made.add_argument("--rows", type=float, default=1.0)
    made.add_argument("--parts", type=int, default=14)
    options = made.parse_args()
    for name in options.works or (*FEED, *AFTER_FEED):
        measure(name, WORKS[name].scaled(options.rows), options.parts)


if __name__ == "__main__":
    main()
