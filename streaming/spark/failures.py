"""Failures of expressions in the totals of a binding, and as its reports tell them."""

from collections.abc import Sequence
from typing import Any, Final

from streaming.definition.expression_texts import expression_text
from streaming.definition.graph import QueryGraph
from streaming.wire.failures import FailureTally
from streaming.wire.messages import FAILURES_TOLD

_MOST_CHARACTERS: Final = 200
Told = Sequence[Sequence[Any]]
"""`FailureTally.to_json`."""


def added_failures(before: Told, batch: Told) -> list[list[Any]]:
    """The totals `before` with those of a batch; an example that was told stays."""
    tally = FailureTally()
    tally.add_json(before)
    tally.add_json(batch)
    return tally.to_json()


def told_failures(query: QueryGraph, totals: Told) -> dict[str, Any]:
    """The keys `failures` and `failed` of a ProgressReport, as JSON values; {} where nothing has failed."""
    if not totals:
        return {}
    tally = FailureTally()
    tally.add_json(totals)
    most = sorted(tally.counts(), key=lambda each: -each.count)
    failures = [
        {
            "node": each.node,
            "field": each.field,
            "kind": each.kind,
            "count": each.count,
            "text": _cut(expression_text(query, each.node, each.field)),
            "example": each.example,
        }
        for each in most[:FAILURES_TOLD]
    ]
    return {"failures": failures, "failed": sum(each.count for each in most)}


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 1]}…"
