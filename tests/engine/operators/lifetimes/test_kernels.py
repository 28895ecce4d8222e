"""Kernels of union, lifetimes and outputs agree with the reference after each turn, however turns are cut."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.engine.operators.kernel import Kernel
from streaming.engine.operators.lifetimes import held_edges, waiting
from streaming.engine.operators.lifetimes.edges import LifetimeKernel
from streaming.engine.operators.lifetimes.outputs import OutputKernel
from streaming.engine.operators.lifetimes.union import UnionKernel
from streaming.engine.state import segments
from streaming.planning.plan import LifetimeSpec, OutputSpec, UnionSpec
from streaming.reference.flow import Flow
from streaming.reference.operators.lifetimes.extend import ShorteningRule
from streaming.reference.operators.lifetimes.order_edges import OrderEdges
from streaming.reference.output import OutputOperator, OutputRow
from tests.engine.operators.lifetimes.flows_drawn import PortElement, cuts, heard
from tests.engine.operators.lifetimes.kernel_runs import (
    SCHEMA,
    ByKernel,
    ByReference,
    operator,
    reference_rows,
    settled,
    without_sources,
)


@pytest.fixture(scope="module", autouse=True)
def small_tables() -> Iterator[None]:
    """Use tables of two rows, so that few rows are cut, read and merged like many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(waiting, "_FEW_ROWS", 2)
        patch.setattr(held_edges, "_SEGMENT_ROWS", 2)
        patch.setattr(segments, "MOST_SEGMENTS", 4)
        yield


LIFETIMES = ("to_intervals", "point_at_end", "order_edges", "shorten")


def lifetime_kernel(kind: str, by: int = 0) -> Kernel:
    return LifetimeKernel(LifetimeSpec("n", kind, SCHEMA, by))


def node_of(kind: str, by: int) -> dict[str, Any]:
    return {"kind": "extend", "by": f"{by}us"} if kind == "shorten" else {"kind": kind}


def agree(
    kernel: ByKernel,
    reference: ByReference,
    turns: Sequence[Sequence[PortElement]],
    *,
    exact: bool = True,
    after: Callable[[], None] = lambda: None,
) -> None:
    """Check after each turn the same rows and, if `exact`, the same last CTI; the same CTIs if each step is a turn."""
    alone = all(len(steps) <= 1 for steps in turns)
    for steps in turns:
        kernel.turn(steps)
        for step in steps:
            reference.hear(step)
        assert kernel.output.rows == reference.output.rows
        assert kernel.output.ctis == sorted(set(kernel.output.ctis))
        assert kernel.output.horizon == reference.output.horizon
        if exact:
            assert kernel.output.ctis[-1:] == reference.output.ctis[-1:]
            assert set(kernel.output.ctis) <= set(reference.output.ctis)
        assert kernel.output.ctis == reference.output.ctis or not alone
        after()


@given(st.data())
def test_union(data: st.DataObject) -> None:
    ports = data.draw(st.integers(2, 3))
    turns = data.draw(cuts(data.draw(heard(ports))))
    union = operator({"kind": "union"}, ports)
    kernel = ByKernel(UnionKernel(UnionSpec("n", SCHEMA)), ports, data.draw(st.integers(0, 9)))
    part = union.parts[0]  # type: ignore[attr-defined]

    def says_who_waits() -> None:
        waits = reference_rows([*part.starts.values(), *part.ends.values()])
        assert kernel.waiting == {name for row in waits for name in row[-1]}

    agree(kernel, ByReference(union), turns, after=says_who_waits)


@given(st.data(), st.sampled_from(LIFETIMES), st.integers(-15, -1))
def test_step_by_step(data: st.DataObject, kind: str, by: int) -> None:
    steps = data.draw(heard())
    agree(ByKernel(lifetime_kernel(kind, by)), ByReference(operator(node_of(kind, by))), [[step] for step in steps])


@given(st.data(), st.sampled_from(LIFETIMES), st.integers(-15, -1))
def test_turns_that_end_with_a_cti(data: st.DataObject, kind: str, by: int) -> None:
    turns: list[list[PortElement]] = [[]]
    for step in data.draw(heard()):
        turns[-1].append(step)
        if step.flow is None and data.draw(st.booleans()):
            turns.append([])
    if turns[-1] and turns[-1][-1].flow is not None:
        turns.pop()
    kernel = ByKernel(lifetime_kernel(kind, by), seed=data.draw(st.integers(0, 9)))
    agree(kernel, ByReference(operator(node_of(kind, by))), turns)


@given(st.data(), st.sampled_from(LIFETIMES), st.integers(-15, -1))
def test_any_turns(data: st.DataObject, kind: str, by: int) -> None:
    turns = data.draw(cuts(data.draw(heard())))
    kernel = ByKernel(lifetime_kernel(kind, by), seed=data.draw(st.integers(0, 9)))
    node = operator(node_of(kind, by))

    def says_who_waits() -> None:
        assert kernel.waiting == {name for row in reference_rows(held_in(node)) for name in row[-1]}

    exact = kind in ("point_at_end", "order_edges")
    agree(kernel, ByReference(node), turns, exact=exact, after=says_who_waits)


def held_in(node: Any) -> Iterable[Flow]:
    """Return the rows that wait in an operator of the reference."""
    if isinstance(node, OrderEdges):
        return node.held
    return (node._intervals if isinstance(node, ShorteningRule) else node)._edges.held.values()


@given(st.data())
def test_points_at_the_ends_of_rows_that_are_replaced(data: st.DataObject) -> None:
    turns = [settled(turn) for turn in data.draw(cuts(data.draw(heard(replaced=True))))]
    agree(ByKernel(lifetime_kernel("point_at_end")), ByReference(operator({"kind": "point_at_end"})), turns)


@given(st.data(), st.sampled_from(("lifetime", "point_at_end", "latest_input")))
def test_outputs(data: st.DataObject, timestamp: Literal["lifetime", "point_at_end", "latest_input"]) -> None:
    turns = [settled(turn) for turn in data.draw(cuts(data.draw(heard(replaced=True))))]
    output = operator({"kind": "output", "timestamp": timestamp})
    assert isinstance(output, OutputOperator)
    kernel, reference = ByKernel(OutputKernel(OutputSpec("n", SCHEMA, timestamp))), ByReference(output)
    for turn in turns:
        turn_output = kernel.turn(turn)
        before = len(output.log)
        for step in turn:
            reference.hear(step)
        left = [entry.flow for entry in output.log[before:] if isinstance(entry, OutputRow)]
        assert without_sources(turn_output.rows) == without_sources(reference_rows(left))
        assert turn_output.ctis == [step.cti for step in turn if step.flow is None]
        assert kernel.output.taken == reference.witness.taken
