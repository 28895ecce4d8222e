"""Rows per second of one core of the engine, without Spark, for sequences, analytic functions, tables and modules.

`python -m tests.bench.profiles.targets [NAME ...] [--rows FACTOR] [--runs N]` prints the median of N runs next to the
target. Each run feeds three batches and times the last one: feed and operators, processor time. `asof-table` is printed
as the ratio to `asof-join`, the same rows as events, measured in turns. Not a test.
"""

import os

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import zip_longest
from typing import Any, Final

import numpy as np
import pyarrow as pa

from streaming.definition.payload.types import DOUBLE
from streaming.engine.executor import EngineRun
from tests.bench import data
from tests.bench.data import Source
from tests.bench.profiles.engine import chunks, plan_of
from tests.bench.works import Node, Work
from tests.wasm.modules import caller

BATCHES: Final = 3
ROWS: Final = Source(1_000_000, 10_000)
MULTIPLY: Final = '(module (func (export "f") (param f64 f64) (result f64) (f64.mul (local.get 0) (local.get 1))))'
KEYS: Final = 100_000
PRICED: Final = {
    "left": Source(300_000, 10_000, keys=KEYS, value="a"),
    "right": Source(300_000, 10_000, keys=KEYS, value="b"),
}
ASOF: Final = {"id": "priced", "kind": "asof_join", "left": "left", "right": "right", "keys": ["key"]}


CHANGES: Final = 1_000
"""The rows of the right side in each batch but the first."""


class TableWork(Work):
    """A work whose input `right` is a table of the versions of its keys."""

    def _input(self, name: str, source: Source, path: str, *, follow: bool) -> dict[str, Any]:
        found = super()._input(name, source, path, follow=follow)
        if name == "right":
            found["stream"] |= {"shape": "table", "keys": ["key"]}
        return found


def sequence(middle: str, high: str) -> Node:
    """Return three steps within a minute; 1,000 groups have about six hundred rows each in that time."""
    node = {"id": "m", "kind": "match_recognize", "input": "events", "group_by": ["key"], "within": "1m"}
    steps = {"LOW": "LOW.value < 20", "MIDDLE": middle, "HIGH": high}
    return {
        **node,
        "pattern": " ".join(steps),
        "define": [{"name": name, "of": of} for name, of in steps.items()],
        "measures": [{"name": "total", "of": "LOW.value + HIGH.value"}],
    }


def analytic(**column: Any) -> Node:
    """Return one analytic column `x` by key, over rows less than a minute away."""
    node = {"id": "a", "kind": "analytic", "input": "events", "group_by": ["key"], "reach": "1m"}
    return {**node, "columns": [{"name": "x", **column}]}


def events(title: str, target: str, node: Node) -> Work:
    return Work(title, target, {"events": ROWS}, (node,), None)


WORKS: Final[Mapping[str, Work]] = {
    "sequence": events(
        "three steps within 1 min, 1,000 groups",
        "300,000 rows/s",
        sequence("MIDDLE.value >= 20 AND MIDDLE.value < 80", "HIGH.value >= 80"),
    ),
    "sequence-compared": events(
        "three steps, each compared with the one before",
        "",
        sequence("MIDDLE.value > LOW.value + 20", "HIGH.value > MIDDLE.value + 20"),
    ),
    "lag": events("lag", "1,000,000 rows/s", analytic(function="lag", of="value")),
    "running": events("running sum", "1,000,000 rows/s", analytic(function="sum", of="value")),
    "frame": events(
        "average of the last 10 rows",
        "1,000,000 rows/s",
        analytic(function="avg", of="value", frame={"unit": "rows", "preceding": 9}),
    ),
    "asof-join": Work("as-of join with events, 100,000 keys", "", PRICED, (ASOF,), None),
    "asof-table": TableWork("as-of join with a table, 100,000 keys", "1.0 of asof-join", PRICED, (ASOF,), None),
}


def select_rows(name: str, number: int, table: pa.Table) -> pa.Table:
    """Return the rows of an input's batch: after the first one, the right side of a join has few changes."""
    if name != "right" or number == 0:
        return table
    return table.take(np.linspace(0, table.num_rows - 1, CHANGES).astype(np.int64))


def engine_s(work: Work) -> float:
    """Return the processor seconds of the last batch."""
    running, seconds = EngineRun(plan_of(work), {name: ["0"] for name in work.sources}), 0.0
    batches = zip_longest(*(data.tables(of, (1.0,) * BATCHES, seed) for seed, of in enumerate(work.sources.values())))
    for number, tables in enumerate(batches):
        batch = [
            (each, "0", chunk)
            for (each, source), table in zip(work.sources.items(), tables, strict=True)
            for chunk in chunks(source, select_rows(each, number, table), number * source.rows)
        ]
        began = time.process_time()
        running.turn(batch)
        seconds = time.process_time() - began
    return seconds


def wasm_s(rows: int) -> float:
    """Return the processor seconds of a function of two doubles, called for each row."""
    multiply = caller(MULTIPLY, DOUBLE, DOUBLE, returns=DOUBLE)
    columns = [np.random.default_rng(each).random(rows) for each in (1, 2)]
    began = time.process_time()
    multiply.call_rows(columns, rows)
    return time.process_time() - began


def report(title: str, rows: int, seconds: list[float], target: str) -> None:
    rates = sorted(rows / each for each in seconds)
    spread = f"{rates[0]:,.0f} to {rates[-1]:,.0f}"
    print(f"{title}: {statistics.median(rates):,.0f} rows/s ({spread}); target {target or '-'}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(WORKS)}, wasm; default: all")
    parser.add_argument("--rows", type=float, default=1.0, help="FACTOR of the rows of each batch")
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args()
    names = chosen.names or [*WORKS, "wasm"]
    measures: dict[str, tuple[str, int, str, Callable[[], float]]] = {}
    for name in names:
        if name == "wasm":
            rows = round(1_000_000 * chosen.rows)
            measures[name] = ("module, two doubles", rows, "1,000,000 rows/s", partial(wasm_s, rows))
        else:
            work = WORKS[name].scaled(chosen.rows)
            rows = sum(CHANGES if each == "right" else of.rows for each, of in work.sources.items())
            measures[name] = (work.title, rows, work.target, partial(engine_s, work))
    spent: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(chosen.runs):
        for name, (_, _, _, measured) in measures.items():
            spent[name].append(measured())
    for name, (title, rows, target, _) in measures.items():
        report(f"{name}, {title}", rows, spent[name], target)
    if {"asof-join", "asof-table"} <= spent.keys():
        ratios = [join / table for join, table in zip(spent["asof-join"], spent["asof-table"], strict=True)]
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        print(f"asof-table is {statistics.median(ratios):.2f} times as fast as asof-join ({spread})")


if __name__ == "__main__":
    main()
