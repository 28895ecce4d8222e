"""Rows of a quarantine taken back into results: which may be, and the rows that an output is given for it.

A row may be taken back once all that it can change is final. Then no state of the run holds anything of it, and what
the run will still give is the same with and without it: to repair is to give rows, and nothing else.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any, Final

from streaming.definition.graph import JoinNode, Node, QueryGraph, SetDurationNode, TopKNode, WindowNode
from streaming.definition.release import Release
from streaming.definition.windows import FixedWindow
from streaming.simulator.comparing import ComparedRow
from streaming.temporal.events import Event
from streaming.temporal.ticks import INFINITY, Tick, spell_instant
from streaming.wire.messages import LateEvent
from streaming.wire.rows import Element

CLOSE_ENOUGH: Final = 1e-9
"""Sums of doubles differ in their last digits by the order in which they were added."""
STAYS_OPEN: Final = "its lifetime has no end, so that what it changes is never final"
NOT_FINAL: Final = "it changes results that are not final yet; it can be taken back once all up to {until} is final"
NOT_A_ROW: Final = "it cannot be read; mend it first"
EDGES: Final = "its input {node} has edges, and how long one stays open is not known"
PROVISIONAL: Final = "{node} gives rows before they are final"
REACHES_ON: Final = "of {node} ({kind}) a row may change what comes at any later time"
_LASTING: Final = {
    "anti_join": "anti join",
    "semi_join": "semi join",
    "asof_join": "as-of join",
    "clip": "clip",
    "join": "left outer join",
    "set_duration": "a duration by an expression",
    "to_intervals": "to intervals",
    "order_edges": "order edges",
    "window": "windows that the rows make",
    "top_k": "windows that the rows make",
}

ResultContent = Mapping[str, Any]
"""A row of a result as it is stored."""
_Span = tuple[str, int, int | None]


@dataclass(frozen=True)
class RetractedRows:
    """`rows` to give, retractions first; `replaced` are the ids of the results that they take back.

    `lacking`: a row that stands by what was read again and is not among the stored ones; then there are no others.
    """

    rows: Sequence[dict[str, Any]]
    replaced: Sequence[str]
    lacking: ComparedRow | None = None


def reasons_against(graph: QueryGraph, edges: frozenset[str], found: Mapping[str, Release]) -> list[str]:
    """Why rows cannot be taken back into the results of a checked query; empty: they can.

    `edges` are the inputs whose events are edges, `found` the releases of its outputs.
    """
    early = [node.id for node in graph.nodes if isinstance(node, WindowNode) and node.emit != "final"]
    reasons = [EDGES.format(node=name) for name in sorted(edges)] + [PROVISIONAL.format(node=name) for name in early]
    if not reasons and any(each.reached_by(0) is None for each in found.values()):
        reasons = [REACHES_ON.format(node=node.id, kind=_LASTING[node.kind]) for node in graph.nodes if _lasts(node)]
    return reasons


def _lasts(node: Node) -> bool:
    """Whether it is a node by which a row may matter for ever."""
    if isinstance(node, JoinNode):
        return node.type != "inner"
    if isinstance(node, WindowNode | TopKNode):
        return not isinstance(node.window, FixedWindow)
    if isinstance(node, SetDurationNode):
        return node.duration is None
    return node.kind in _LASTING


def reason_to_wait(
    late: LateEvent, element: Element, found: Mapping[str, Release], until: Mapping[str, int | None] | None
) -> str | None:
    """Why the row `late`, taken as `element`, cannot be taken back now; None: it can.

    `until` says by output when all was given; None: nothing more comes.
    """
    if not isinstance(element, Event):
        return NOT_A_ROW
    end = element.end + max(0, late.moved_by or 0)  # where it stands moved, it goes from there too
    reached = {name: each.reached_by(end) for name, each in found.items()}
    needed = {name: reach for name, reach in reached.items() if reach is not None}
    if end >= INFINITY or len(needed) < len(reached) or max(needed.values(), default=0) >= INFINITY:
        return STAYS_OPEN
    if until is None:
        return None
    waits = [reach for name, reach in needed.items() if (given := until.get(name)) is None or reach > given]
    return NOT_FINAL.format(until=spell_instant(Tick(max(waits)))) if waits else None


def corrected(
    compared: Iterable[ComparedRow], stored: Iterable[tuple[str, ResultContent]], repair: str
) -> RetractedRows:
    """The rows that make what stands what it would be; `stored` are results with their ids, the newest first."""
    changes = [row for row in compared if row.mark != "same"]
    retracted = [(row, _standing(row)) for row in changes if row.mark != "only_here"]
    found = _found([content for _, content in retracted], stored)
    going, replaced = [], []
    for row, content in retracted:
        match = next((each for each in found.get(_span(content), ()) if _same(each[1]["payload"], content)), None)
        if match is None:
            return RetractedRows([], [], lacking=row)
        found[_span(content)].remove(match)
        replaced.append(match[0])
        going.append({**content, "payload": match[1]["payload"], "deleted": True, "repair": repair})
    coming = [{**_content(row), "repair": repair} for row in changes if row.mark != "missing"]
    return RetractedRows([*going, *coming], replaced)


def result_words(row: ComparedRow) -> str:
    """Which row of the result it is."""
    return f"The result of {row.output} from {spell_instant(Tick(row.start))}"


def _content(row: ComparedRow) -> dict[str, Any]:
    return {"output": row.output, "start": row.start, "end": row.end, "payload": row.payload}


def _standing(row: ComparedRow) -> dict[str, Any]:
    if row.mark == "missing":
        return _content(row)
    return {"output": row.output, "start": row.today_start, "end": row.today_end, "payload": row.today_payload}


def _span(row: ResultContent) -> _Span:
    return row["output"], row["start"], row["end"]


def _found(
    wanted: Sequence[ResultContent], stored: Iterable[tuple[str, ResultContent]]
) -> dict[_Span, list[tuple[str, ResultContent]]]:
    """The stored rows of the times that are wanted, but for those that were taken back, and what says it is not whole.

    A retraction is behind the row that it repeats: newest first, it comes before it.
    """
    spans = {_span(row) for row in wanted}
    found: dict[_Span, list[tuple[str, ResultContent]]] = {}
    gone: Counter[str] = Counter()
    for name, row in stored:
        if _span(row) not in spans:
            continue
        content = json.dumps([*_span(row), row["payload"]], sort_keys=True)
        if row.get("deleted"):
            gone[content] += 1
        elif gone[content]:
            gone[content] -= 1
        elif row.get("key") is None and not row.get("incomplete"):
            found.setdefault(_span(row), []).append((name, row))
    return found


def _same(stored: Any, content: ResultContent) -> bool:
    return _alike(stored, json.loads(json.dumps(content["payload"])))


def _alike(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same, doubles up to their last digits."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=CLOSE_ENOUGH, abs_tol=0.0)
    return type(one) is type(other) and bool(one == other)
