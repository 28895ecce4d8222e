"""Runs of the reference that record every node: with an output after each, and its CTI after each row."""

from collections.abc import Iterator, Mapping

from streaming.definition.checks.advance import temporal_settings
from streaming.definition.graph import InputNode, OutputNode, QueryGraph
from streaming.reference.executor import ReferenceRun
from streaming.temporal.events import Cti
from streaming.temporal.ticks import NO_CTI, Tick
from streaming.wire.execution.case import Case
from streaming.wire.rows.row_json import read_row

SEEN = "_seen"


def seen(graph: QueryGraph) -> QueryGraph:
    """Return `graph` with an output after each node that isn't an output."""
    behind = [
        OutputNode(kind="output", id=f"{node.id}{SEEN}", input=node.id)
        for node in graph.nodes
        if not isinstance(node, OutputNode)
    ]
    return graph.model_copy(update={"nodes": [*graph.nodes, *behind]})


def steps(case: Case) -> Iterator[ReferenceRun]:
    """Yield the run of `case` after each of its rows, and after its end."""
    run = ReferenceRun(case.graph, case.streams, temporal_settings(case.graph, case.streams, case.advance))
    inputs = {node.stream: node.id for node in case.graph.nodes if isinstance(node, InputNode)}
    batch = 0
    for row in case.rows:
        while batch != row.batch:
            run.boundary()
            batch += 1
        if row.heartbeat is not None:
            run.heartbeat(inputs[row.stream], Tick(row.heartbeat))
        else:
            arrival = None if row.arrival is None else Tick(row.arrival)
            element = read_row(row.fields, case.streams[row.stream], arrival)
            run.take(inputs[row.stream], row.lane, element, arrival)
        yield run
    run.boundary()
    run.end(case.end)
    yield run


def leaving(run: ReferenceRun) -> Mapping[str, Tick]:
    """Return the last output CTI of each node, including outputs; NO_CTI without one."""
    last = {
        output: max((entry.at for entry in log if isinstance(entry, Cti)), default=NO_CTI)
        for output, log in run.logs.items()
    }
    return last | {name.removesuffix(SEEN): cti for name, cti in last.items() if name.endswith(SEEN)}
