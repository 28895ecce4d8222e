"""Repair of results with rows of quarantine: which rows may be repaired, and which rows an output then receives.

A row may be repaired once every result that it can change is final. Then the run's state contains nothing of it, and
the run's later output is the same with and without it. A repair therefore only adds rows to the output.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from streaming.definition.graph import JoinNode, Node, QueryGraph, SetDurationNode, TopKNode, WindowNode
from streaming.definition.release import Release
from streaming.definition.sequences.node import MatchRecognizeNode
from streaming.definition.windows import FixedWindow
from streaming.planning.last_digits import same_up_to_last_digits
from streaming.simulator.comparing import ComparedRow
from streaming.temporal.events import Event
from streaming.temporal.ticks import INFINITY, Tick, spell_instant
from streaming.wire.messages import LateEvent
from streaming.wire.rows.row_json import Element

STAYS_OPEN: Final = "its lifetime has no end, so the results that it changes are never final"
NOT_FINAL: Final = (
    "it changes results that are not final yet; it can be repaired once everything up to {until} is final"
)
NOT_A_ROW: Final = "it cannot be read; fix it first"
EDGES: Final = "its input {node} has edges, and how long one stays open is not known"
PROVISIONAL: Final = "{node} emits rows before they are final"
REACHES_ON: Final = "in {node} ({kind}) a row can change results at any later time"
_LASTING: Final = {
    "anti_join": "anti join",
    "semi_join": "semi join",
    "asof_join": "as-of join",
    "clip": "clip",
    "join": "left outer join",
    "set_duration": "a duration by an expression",
    "to_intervals": "to intervals",
    "order_edges": "order edges",
    "stitch": "stitch",
    "analytic": "analytic functions",
    "window": "windows that depend on the rows",
    "top_k": "windows that depend on the rows",
    "match_recognize": "a match decides where the next search begins",
}
_EMITTING: Final = (WindowNode, MatchRecognizeNode)
"""Nodes that may emit rows before they are final."""

ResultContent = Mapping[str, Any]
"""A stored row of a result."""
_Span = tuple[str, int, int | None]


@dataclass(frozen=True)
class RetractedRows:
    """The `rows` to emit, retractions first; `replaced` are the ids of the results that they retract.

    `lacking`: a row that the replayed input gives but that is not among the stored rows; then there are no other rows.
    """

    rows: Sequence[dict[str, Any]]
    replaced: Sequence[str]
    lacking: ComparedRow | None = None


def reasons_against(graph: QueryGraph, edges: frozenset[str], found: Mapping[str, Release]) -> list[str]:
    """Return why rows can't be repaired in the results of a checked query; empty: they can.

    `edges` are the inputs whose events are edges, `found` the releases of its outputs.
    """
    early = [
        node.id for node in graph.nodes if isinstance(node, WindowNode | MatchRecognizeNode) and node.emit != "final"
    ]
    reasons = [EDGES.format(node=name) for name in sorted(edges)] + [PROVISIONAL.format(node=name) for name in early]
    if not reasons and any(each.reached_by(0) is None for each in found.values()):
        reasons = [REACHES_ON.format(node=node.id, kind=_LASTING[node.kind]) for node in graph.nodes if _lasts(node)]
    return reasons


def _lasts(node: Node) -> bool:
    """Return true if a row can affect the node's results forever."""
    if isinstance(node, JoinNode):
        return node.type != "inner"
    if isinstance(node, MatchRecognizeNode):
        return not node.is_local
    if isinstance(node, WindowNode | TopKNode):
        return not isinstance(node.window, FixedWindow)
    if isinstance(node, SetDurationNode):
        return node.duration is None
    return node.kind in _LASTING


def reason_to_wait(
    late: LateEvent, element: Element, found: Mapping[str, Release], until: Mapping[str, int | None] | None
) -> str | None:
    """Return why the row `late`, taken as `element`, can't be repaired now; None: it can.

    `until` maps each output to the time up to which everything was emitted; None: nothing more comes.
    """
    if not isinstance(element, Event):
        return NOT_A_ROW
    end = element.end + max(0, late.moved_by or 0)  # a moved row ends as much later
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
    """Return the rows that turn the current result into the desired one.

    `stored`: results with their ids, newest first.
    """
    changes = [row for row in compared if row.mark != "same"]
    retracted = [(row, _standing(row)) for row in changes if row.mark != "only_here"]
    found = _find_stored([content for _, content in retracted], stored)
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
    """Describe which row of the result it is."""
    return f"The result of {row.output} from {spell_instant(Tick(row.start))}"


def _content(row: ComparedRow) -> dict[str, Any]:
    return {"output": row.output, "start": row.start, "end": row.end, "payload": row.payload}


def _standing(row: ComparedRow) -> dict[str, Any]:
    if row.mark == "missing":
        return _content(row)
    return {"output": row.output, "start": row.today_start, "end": row.today_end, "payload": row.today_payload}


def _span(row: ResultContent) -> _Span:
    return row["output"], row["start"], row["end"]


def _find_stored(
    wanted: Sequence[ResultContent], stored: Iterable[tuple[str, ResultContent]]
) -> dict[_Span, list[tuple[str, ResultContent]]]:
    """Return the stored rows of the wanted times, without retracted and incomplete ones.

    A retraction is stored after the row that it repeats: read newest first, it precedes that row.
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
    """Return true if a stored row equals `content`: an earlier version may have rounded sums differently."""
    return same_up_to_last_digits(stored, json.loads(json.dumps(content["payload"])))
