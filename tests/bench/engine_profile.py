"""What a row costs in the engine, in memory and on one core: `python -m tests.bench.engine_profile`. Not a test."""

import os

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from streaming.definition.graph import QueryGraph
from streaming.definition.streams import StreamDefinition
from streaming.engine.compile import compile_binding
from streaming.engine.feed import LaneFeed
from streaming.engine.operators import Operators
from streaming.engine.plan import Plan
from streaming.engine.state import DictState
from streaming.temporal.settings import AdvanceTime, Generate, Late
from streaming.temporal.ticks import Ticks
from streaming.wire.arrived import Arrived, no_raw

SECOND = 1_000_000
KEYS = 1_000
CHUNK = 1_000_000


def plan_of(size_s: int, hop_s: int) -> Plan:
    """count, sum and avg per key; delay 5 s, a CTI every 100 events, keep (so that no raw row is asked for)."""
    graph = QueryGraph.model_validate(
        {
            "version": 1,
            "name": "profile",
            "nodes": [
                {"id": "s", "kind": "input", "stream": "s"},
                {
                    "id": "w",
                    "kind": "window",
                    "input": "s",
                    "group_by": ["key"],
                    "window": {"kind": "hopping", "size": size_s * SECOND, "hop": hop_s * SECOND},
                    "aggregates": [
                        {"name": "n", "function": "count"},
                        {"name": "total", "function": "sum", "of": "value"},
                        {"name": "mean", "function": "avg", "of": "value"},
                    ],
                },
                {"id": "out", "kind": "output", "input": "w"},
            ],
        }
    )
    stream = StreamDefinition.model_validate({"shape": "point", "fields": {"key": "string", "value": "double"}})
    generate = Generate(delay=Ticks(5 * SECOND), every_count=100)
    return compile_binding(graph, {"s": stream}, {"s": AdvanceTime(generate, Late.KEEP)}, 1)


def chunks(rows: int, per_second: int) -> Iterator[Arrived]:
    """Rows in time order but for a jitter of two seconds."""
    rng = np.random.default_rng(7)
    names = pa.array([f"key-{number:04}" for number in range(KEYS)])
    for first in range(0, rows, CHUNK):
        count = min(CHUNK, rows - first)
        start = (np.arange(first, first + count) * (SECOND // per_second)) + rng.integers(0, 2 * SECOND, count)
        key = names.take(pa.array(rng.integers(0, KEYS, count)))
        yield Arrived(
            kind=np.zeros(count, np.int8),
            start=start,
            end=start + 1,
            positions=np.arange(first, first + count),
            payload=pa.RecordBatch.from_arrays([key, pa.array(rng.random(count))], names=["key", "value"]),
            malformed={},
            raw=no_raw,
        )


def measure(name: str, size_s: int, hop_s: int, rows: int, per_second: int) -> None:
    """Fold `rows` in the feed, then close every window, and print both."""
    plan = plan_of(size_s, hop_s)
    given = list(chunks(rows, per_second))
    for _ in range(3):
        feed = LaneFeed(plan, "s", "0", None)
        begun = time.perf_counter()
        for chunk in given:
            feed.take(chunk)
        turn = feed.finish(end=True)
        folded = time.perf_counter()
        outputs = Operators(plan, 0, DictState()).turn(0, turn.envelopes)
        done = time.perf_counter()
        results = sum(pa.ipc.open_stream(each.chunk).read_all().num_rows for each in outputs if each.kind == "rows")
        print(
            f"{name}: feed {(folded - begun) / rows * 1e6:.4f} us a row, operators {done - folded:.3f} s "
            f"for {results} result rows, together {done - begun:.3f} s"
        )


if __name__ == "__main__":
    measure("tumbling 10 s, 5 M rows", 10, 10, 5_000_000, 10_000)
    measure("hopping 600 s by 10 s, 1 M rows", 600, 10, 1_000_000, 1_000)
    measure("hopping 600 s by 1 s, 0.2 M rows", 600, 1, 200_000, 1_000)
