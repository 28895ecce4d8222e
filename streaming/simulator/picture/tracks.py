"""The output of each node, and its CTIs, for the picture."""

from streaming.reference.flow import Pane
from streaming.reference.output import OutputRow
from streaming.simulator.model import CtiStep, PaneMark, Staircase, Track, TrackRow
from streaming.simulator.picture.cti_words import CtiWords
from streaming.simulator.recorded.clocks import is_lane
from streaming.simulator.recorded.record import RecordedRun
from streaming.simulator.recorded.recording import RecordedRow
from streaming.simulator.words import came_out_with, finite, made_of, rows_named
from streaming.wire.rows.payload_json import payload_to_json


def tracks(recorded: RecordedRun, words: CtiWords) -> list[Track]:
    """Return the track of each node, in the order of the graph."""
    kinds = {node.id: node.kind for node in recorded.checked.graph.nodes}
    return [
        Track(
            node=node,
            kind=kinds[node],
            rows=[_row(recorded, words, row) for row in recorded.flows.by_node.get(node, ())],
        )
        for node in recorded.run.order
    ]


def staircases(recorded: RecordedRun) -> list[Staircase]:
    """Return the staircases of each input and its lanes, then of the other nodes."""
    found: list[Staircase] = []
    for node in recorded.run.feeds:
        for (of, unit), steps in recorded.clocks.steps.items():
            if of != node:
                continue
            shown = [CtiStep(after=step.after, at=finite(step.at), cause=step.cause) for step in steps]
            lane = None if unit is None else unit[0]
            key = None if unit is None or is_lane(unit) else recorded.substream(unit)
            found.append(Staircase(node=node, lane=lane, substream=key, steps=shown))
    causes = {
        after: cause for steps in recorded.clocks.steps.values() for after, cause in ((s.after, s.cause) for s in steps)
    }
    for node in recorded.run.operators:
        output_steps = [
            CtiStep(after=after, at=finite(at), cause=causes.get(after, "end"))
            for after, at in recorded.flows.ctis.get(node, ())
        ]
        found.append(Staircase(node=node, lane=None, substream=None, steps=output_steps))
    return found


def _row(recorded: RecordedRun, words: CtiWords, row: RecordedRow) -> TrackRow:
    flow = row.flow
    last = len(recorded.elements)
    edge = OutputRow(row.node, flow, row.cause).edge
    numbers = recorded.flows.numbers(flow)
    return TrackRow(
        id=row.id,
        node=row.node,
        after=row.after,
        gone_after=row.gone_after,
        start=flow.start,
        end=finite(flow.end),
        closed_after=row.closed_after,
        closed_end=None if row.closed_end is None else finite(row.closed_end),
        payload=payload_to_json(flow.payload, recorded.checked.schemas[row.node]),
        edge=None if edge is None else edge.value,
        deleted=row.deleted,
        replaces=row.replaces,
        closes=row.closes,
        parents=list(row.parents),
        rows=numbers,
        released_by=row.after if 0 < row.after <= last else None,
        released_cti=None if row.cause is None else finite(row.cause.cti),
        pane=None if flow.pane is None else _mark(flow.pane),
        why=_why(words, row, numbers),
    )


def _mark(pane: Pane) -> PaneMark:
    return PaneMark(
        start=pane.start, end=finite(pane.end), timing=str(pane.timing), index=pane.index, is_last=pane.is_last
    )


def _why(words: CtiWords, row: RecordedRow, numbers: list[int]) -> list[str]:
    made = made_of(rows_named(numbers) if numbers else "")
    if row.after > len(words.recorded.elements):
        return [made, "It came out at the end of the sample."]
    if row.cause is None:
        return [made, f"It came out when row {row.after} arrived; it waited for no CTI."]
    step = words.recorded.clocks.at_cti(row.cause.input, row.cause.cti)
    return [made, came_out_with(words.set_by(row.cause.input, step), row.cause.input)]
