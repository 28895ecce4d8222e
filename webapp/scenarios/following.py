"""Scenarios follow a stream that their rows name when it is renamed."""

from collections.abc import Callable
from typing import Any

from webapp.audit.recording import record
from webapp.core.uses import register_follower
from webapp.scenarios.models import Scenario
from webapp.scenarios.services import audited, body_of, target_of


def _follow(before: str, after: str) -> Callable[[], None]:
    """Rename the stream in the rows of every scenario; their expectations stay."""

    def follow() -> None:
        for scenario in Scenario.objects.select_for_update(of=("self",)).select_related("query"):
            rows = [_renamed(row, before, after) for row in scenario.rows]
            if rows == scenario.rows:
                continue
            was = audited(scenario)
            scenario.rows = rows
            scenario.size = len(body_of(scenario).model_dump_json(exclude_unset=True))
            scenario.save(update_fields=["rows", "size", "changed_at"])
            record("scenario.replaced", target=target_of(scenario), before=was, after=audited(scenario))

    return follow


def _renamed(row: Any, before: str, after: str) -> Any:
    named = isinstance(row, dict) and row.get("stream") == before
    return {**row, "stream": after} if named else row


register_follower("stream", _follow)
