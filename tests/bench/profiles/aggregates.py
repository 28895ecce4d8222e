"""The cost of a pair of member and pane, for each aggregate, on one core: `python -m tests.bench.profiles.aggregates`.

Not a test. Processor time, the best of three, for doubles, longs and texts; then for members in 60 panes each.
"""

import os

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import sys
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Final

import numpy as np
import pyarrow as pa

from streaming.definition.aggregate_functions import AGGREGATES, aggregate_type
from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.payload.types import DOUBLE, LONG, STRING, Type
from streaming.engine.columns.flows import Flows
from streaming.engine.operators.aggregates import PaneAggregator
from streaming.planning.columns import AggregateColumn
from streaming.planning.plan import WindowSpec
from streaming.temporal.ticks import NO_TICKS, Ticks
from streaming.temporal.windows import HoppingWindows
from streaming.wire.rows.arrived import Int64s

MEMBERS: Final = 1_000_000
KEYS: Final = 1_000
SECOND: Final = 1_000_000


def spec_of(function: str, of: Type, size_s: int, hop_s: int) -> WindowSpec:
    """Return a window by k with `function` over v."""
    value = typed(parse("v"), {"k": LONG, "v": of})
    result = aggregate_type(function, of)
    assert isinstance(value, TypedExpression)
    assert result is not None
    parameter = AGGREGATES[function].parameter
    k, fraction = (3 if parameter == "k" else None), (Fraction("0.95") if parameter == "fraction" else None)
    column = AggregateColumn("x", function, value.expression, None, of, result, k, fraction)
    panes = HoppingWindows(Ticks(size_s * SECOND), Ticks(hop_s * SECOND))
    return WindowSpec("w", panes, NO_TICKS, True, ("k",), (column,), {"k": LONG, "x": result})


def members_of(of: Type, rows: int, seconds: int) -> Flows:
    """Return points of 1,000 keys at random times, in order."""
    rng = np.random.default_rng(3)
    start = np.sort(rng.integers(0, seconds * SECOND, rows))
    numbers = rng.integers(0, 100_000, rows)
    values = {LONG: numbers, DOUBLE: rng.normal(size=rows)}.get(of)
    column = pa.array([f"device-{each}" for each in numbers.tolist()]) if values is None else pa.array(values)
    return Flows(start, start + 1, {"k": pa.array(rng.integers(0, KEYS, rows)), "v": column})


def best(work: Callable[[], object]) -> float:
    """Return the minimum processor time of three runs, in seconds."""
    taken = []
    for _ in range(3):
        before = time.process_time()
        work()
        taken.append(time.process_time() - before)
    return min(taken)


def measured(function: str, of: Type, members: Flows, size_s: int, hop_s: int) -> float:
    """Return the seconds for all rows of `members`."""
    windows = HoppingWindows(Ticks(size_s * SECOND), Ticks(hop_s * SECOND))
    first = (members.start - windows.size) // windows.hop + 1
    last = (members.end - 1) // windows.hop

    def bounds(number: Int64s) -> tuple[Int64s, Int64s]:
        return number * windows.hop, number * windows.hop + windows.size

    aggregator = PaneAggregator(spec_of(function, of, size_s, hop_s))
    return best(lambda: aggregator.rows(members, first, last, bounds))


def main() -> None:
    """Print one line for each function."""
    kinds = [of for of in (DOUBLE, LONG, STRING) if len(sys.argv) == 1 or str(of) in sys.argv[1:]]
    print(f"{'ns per pair, tumbling, 1 M':32}" + "".join(f"{of!s:>10}" for of in kinds))
    drawn = {of: members_of(of, MEMBERS, 10) for of in kinds}
    for function in sorted(AGGREGATES):
        line = f"{function:32}"
        for of in kinds:
            fits = aggregate_type(function, of) is not None
            line += f"{measured(function, of, drawn[of], 1, 1) * 1e9 / MEMBERS:10.0f}" if fits else f"{'':10}"
        print(line, flush=True)
    wide = members_of(DOUBLE, MEMBERS // 60, 120)
    print(f"{'hopping 60 s by 1 s, 1 M pairs':32}{'double':>10}")
    for function in sorted(AGGREGATES):
        print(f"{function:32}{measured(function, DOUBLE, wide, 60, 1) * 1e9 / MEMBERS:10.0f}", flush=True)


if __name__ == "__main__":
    main()
