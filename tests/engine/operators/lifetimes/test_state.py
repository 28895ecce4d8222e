"""Waiting rows of unions, order_edges and to_intervals: few tables, read when due, none in the end."""

from collections.abc import Callable
from random import Random

import pytest

from streaming.engine.operators.lifetimes.edges import LifetimeKernel
from streaming.engine.operators.lifetimes.union import UnionKernel
from streaming.planning.plan import LifetimeSpec, UnionSpec
from streaming.reference.flow import Flow
from streaming.temporal.ticks import INFINITY, Tick
from tests.engine.operators.lifetimes.flows_drawn import PortElement
from tests.engine.operators.lifetimes.kernel_runs import SCHEMA, ByKernel

TURNS = 200
KERNELS: dict[str, Callable[[], ByKernel]] = {
    "union": lambda: ByKernel(UnionKernel(UnionSpec("n", SCHEMA)), 2),
    "order_edges": lambda: ByKernel(LifetimeKernel(LifetimeSpec("n", "order_edges", SCHEMA))),
    "to_intervals": lambda: ByKernel(LifetimeKernel(LifetimeSpec("n", "to_intervals", SCHEMA))),
}


def opened(number: int, start: int) -> Flow:
    return Flow(f"e{number}", Tick(start), INFINITY, {"k": "a", "v": number}, frozenset(), Tick(start), opens=True)


@pytest.mark.parametrize("kind", KERNELS)
def test_one_event_a_turn_that_waits_long(kind: str) -> None:
    kernel = KERNELS[kind]()
    for number in range(TURNS):
        kernel.turn([PortElement(0, opened(number, 1000 + number)), PortElement(0, cti=number)])
        assert kernel.tables <= 65
    assert not kernel.output.rows
    kernel.turn([PortElement(port, cti=INFINITY) for port in range(2 if kind == "union" else 1)])
    assert kernel.tables == 0
    assert sum(kernel.output.rows.values()) == TURNS


def test_a_union_releases_each_row_when_it_is_due() -> None:
    rng = Random(7)
    kernel = KERNELS["union"]()
    starts = [[10_000 * turn + rng.randint(0, 100_000) for _ in range(1500)] for turn in range(12)]
    for turn, mine in enumerate(starts):
        heard = [PortElement(0, opened(1500 * turn + place, start)) for place, start in enumerate(mine)]
        cti = 10_000 * turn
        turn_output = kernel.turn([*heard, PortElement(0, cti=cti), PortElement(1, cti=cti)])
        before = 10_000 * (turn - 1)
        due = sorted(
            each for other in starts[: turn + 1] for each in other if (before < each or not turn) and each <= cti
        )
        assert sorted(row[0] for row in turn_output.rows.elements()) == due
        assert kernel.tables <= 65
