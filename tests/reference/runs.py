"""What the laws look at: the net rows of a result, its late rows, and other ways of arriving."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from streaming.definition.graph import WindowNode
from streaming.wire.case import Case, CaseEvent, CaseResult

Rows = Counter[tuple[str, int, int, str]]


def net(events: Iterable[CaseEvent]) -> Rows:
    """Rows as a multiset, whatever their order."""
    return Counter(row(event.output, event.start, event.end, event.payload) for event in events)


def row(output: str, start: int, end: int, payload: Mapping[str, Any]) -> tuple[str, int, int, str]:
    """One row in a form that can be counted; doubles to nine digits, for sums may differ in their last bits."""
    return output, start, end, json.dumps({name: _shown(value) for name, value in sorted(payload.items())})


def _shown(value: Any) -> Any:
    return f"{value + 0.0:.9g}" if isinstance(value, float) else value


def late(result: CaseResult) -> Counter[object]:
    """The late rows without their positions."""
    return Counter((each.lane, each.outcome, each.reason, each.start, each.end, each.edge) for each in result.late)


def cut(case: Case, places: Iterable[int]) -> Case:
    """`case` with a micro-batch boundary before each of the rows at `places`, and nowhere else."""
    before = set(places)
    rows = (replace(each, batch=sum(at <= place for at in before)) for place, each in enumerate(case.rows))
    return replace(case, rows=tuple(rows))


def running(case: Case) -> bool:
    """Whether rows of `case` depend on its micro-batches (T20)."""
    return any(isinstance(node, WindowNode) and node.emit == "running" for node in case.graph.nodes)
