"""The panes of windows for the picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streaming.definition.payload.types import Fields
from streaming.reference.flow import Flow
from streaming.simulator.model import PaneState, SimulatedPane
from streaming.simulator.picture.cti_words import CtiWords
from streaming.simulator.picture.waiting import WaitingWords
from streaming.simulator.recorded.held_values import is_grown
from streaming.simulator.recorded.missing import MissedRows
from streaming.simulator.recorded.record import RecordedRun
from streaming.simulator.recorded.windowing import NodePanes, RecordedPane
from streaming.simulator.words import finite, length, rows_named
from streaming.wire.rows.payload_json import payload_to_json


@dataclass(frozen=True)
class PaneFormatter:
    """Formats the panes of a recorded run."""

    recorded: RecordedRun
    words: CtiWords
    waiting: WaitingWords
    missed: MissedRows

    def why(self, panes: NodePanes, pane: RecordedPane, missed: list[int]) -> list[str]:
        """Explain when the pane opened, emitted and closed, what it waits for, and which rows it missed."""
        found = [self._describe_end(panes, pane)]
        if missed:
            found.append(f"Would have counted here as they came, but did not: {rows_named(missed)}.")
        return found

    def _describe_end(self, panes: NodePanes, pane: RecordedPane) -> str:
        if pane.gone is not None:
            return (
                "It no longer exists: it merged with another pane." if pane.into is not None else "It no longer exists."
            )
        if pane.closed is None:
            complete = "" if pane.complete is None else f"It is complete since row {pane.complete}. "
            return complete + self.waiting.pane_waits(panes, pane)
        if pane.closed > len(self.recorded.elements):
            return "The end of the sample closed it."
        end = self.words.times.at(pane.pane.end)
        grace = f" and its grace of {length(panes.grace)}" if panes.grace else ""
        return f"Row {pane.closed} closed it: the CTI had reached its end {end}{grace}."


def panes(teller: PaneFormatter) -> list[SimulatedPane]:
    """Return every pane of every window, window by window in order of opening."""
    found: list[SimulatedPane] = []
    for each in teller.recorded.panes.values():
        spoke = _spoken(teller.recorded, each)
        first = len(found) + 1
        found += [_pane(teller, each, pane, first, spoke) for pane in each.all]
    return found


def _spoken(recorded: RecordedRun, panes: NodePanes) -> Mapping[tuple[int, Any], list[int]]:
    found: dict[tuple[int, Any], list[int]] = {}
    for row in recorded.flows.by_node.get(panes.node, ()):
        pane = panes.pane_of(row.flow)
        found.setdefault((pane.start, pane.key), []).append(row.id)
    return found


def _pane(
    teller: PaneFormatter,
    panes: NodePanes,
    pane: RecordedPane,
    first: int,
    spoke: Mapping[tuple[int, Any], list[int]],
) -> SimulatedPane:
    recorded = teller.recorded
    fields = recorded.checked.schemas[panes.node]
    group = dict(zip(panes.operator.group_by, pane.pane.key, strict=True))
    missed = teller.missed.by_pane.get((panes.node, pane.id), [])
    return SimulatedPane(
        id=first + pane.id,
        node=panes.node,
        group=payload_to_json(group, {name: fields[name] for name in group}),
        start=pane.pane.start,
        end=finite(pane.pane.end),
        opened=pane.opened,
        complete=pane.complete,
        closed=pane.closed,
        gone=pane.gone,
        into=None if pane.into is None else first + pane.into,
        states=_states(recorded, pane, fields),
        spoke=spoke.get((pane.pane.start, pane.pane.key), []),
        missed=missed,
        why=teller.why(panes, pane, missed),
    )


def _states(recorded: RecordedRun, pane: RecordedPane, fields: Fields) -> list[PaneState]:
    held: set[int] = set()
    before: Sequence[Flow] = ()
    found: list[PaneState] = []
    for step, values in zip(pane.steps, pane.values, strict=True):
        grown = is_grown(step.members, before)
        more = step.members[len(before) :] if grown else step.members
        came = {recorded.number_of[element] for flow in more for element in flow.sources}
        now = held | came if grown else came
        found.append(
            PaneState(
                after=step.after,
                start=step.pane.start,
                end=finite(step.pane.end),
                added=sorted(came - held),
                removed=[] if grown else sorted(held - now),
                values=_format_values(values, fields),
            )
        )
        held, before = now, step.members
    return found


def _format_values(values: Mapping[str, Any], fields: Fields) -> dict[str, Any]:
    if set(values) == {"rows"} and "rows" not in fields:
        return {"rows": [payload_to_json(each, fields) for each in values["rows"]]}
    return payload_to_json(values, {name: fields[name] for name in values})
