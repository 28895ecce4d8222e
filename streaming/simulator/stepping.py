"""A run of the reference on a sample without recorders."""

from collections.abc import Mapping
from dataclasses import dataclass

from streaming.planning.checked import CheckedGraph
from streaming.planning.validity import checked_graph
from streaming.reference.executor import ReferenceRun
from streaming.simulator.samples.sample import SampledElement, SampledQuery
from streaming.temporal.settings import AdvanceTime


@dataclass(frozen=True)
class PlainRun:
    """A run after its end, with the checked graph."""

    run: ReferenceRun
    checked: CheckedGraph


def plain_run(query: SampledQuery, settings: Mapping[str, AdvanceTime]) -> PlainRun:
    """Run `query` with other `settings` to its end. Raises as `simulate` does."""
    checked = checked_graph(query.graph, query.streams, settings)
    run = ReferenceRun(query.graph, query.streams, settings)
    for row in query.elements:
        step(run, row)
    if query.elements:
        run.boundary()
    run.end(query.end)
    return PlainRun(run, checked)


def step(run: ReferenceRun, row: SampledElement) -> None:
    """End the micro-batches that end before `row`, then feed it to the run."""
    for _ in range(row.ends_batch):
        run.boundary()
    if row.input is None:
        return
    if row.at is not None:
        run.heartbeat(row.input, row.at)
    elif row.element is not None:
        run.take(row.input, row.lane, row.element, row.arrival)
