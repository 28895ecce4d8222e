"""Dynamic query composition: the output of one query is the input of another."""

from collections.abc import Sequence

from streaming.reference.executor import ReferenceRun
from streaming.reference.output import OutputRow
from streaming.temporal.events import Cti, Event


def elements_of(run: ReferenceRun, output: str) -> Sequence[Event | Cti]:
    """Return the rows and CTIs of the output node `output` so far, in the order in which they left `run`.

    An edge is two elements, its start and its end. Raises KeyError for an unknown output, and ValueError if rows were
    replaced or retracted, because a stream has no elements for that: such a window has to emit final rows only.
    """
    return [entry if isinstance(entry, Cti) else _event(entry) for entry in run.logs[output]]


def _event(row: OutputRow) -> Event:
    flow = row.flow
    if flow.gone or flow.replaces is not None:
        raise ValueError("a stream cannot take rows back; let the windows emit final rows")
    return Event(flow.start, flow.end, flow.payload, row.edge)
