"""Failures of expressions in the totals of a binding, and in its reports."""

from collections.abc import Sequence
from typing import Any, Final

from streaming.definition.expression_texts import expression_text
from streaming.definition.graph import QueryGraph
from streaming.wire.execution.failures import FailureTally
from streaming.wire.progress import MOST_FAILURES, ExpressionFailed

_MOST_CHARACTERS: Final = 200
TallyJson = Sequence[Sequence[Any]]
"""The result of `FailureTally.to_json`."""


def added_failures(before: TallyJson, batch: TallyJson) -> list[list[Any]]:
    """Return the totals `before` with the failures of a batch added; an example that was reported stays."""
    tally = FailureTally()
    tally.add_json(before)
    tally.add_json(batch)
    return tally.to_json()


def report_failures(query: QueryGraph, totals: TallyJson) -> tuple[list[ExpressionFailed], int]:
    """Return the fields `failures` and `failed` of a ProgressReport."""
    if not totals:
        return [], 0
    tally = FailureTally()
    tally.add_json(totals)
    most = sorted(tally.counts(), key=lambda each: -each.count)
    failures = [
        ExpressionFailed(
            node=each.node,
            field=each.field,
            kind=each.kind,
            count=each.count,
            text=_cut(expression_text(query, each.node, each.field)),
            example=each.example,
        )
        for each in most[:MOST_FAILURES]
    ]
    return failures, sum(each.count for each in most)


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 1]}…"
