"""A person's selection of late and malformed rows from a quarantine."""

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field

from streaming.definition.strict import Strict
from streaming.wire.messages import OutcomeName

Text = Annotated[str, Field(min_length=1, max_length=200)]


class QuarantineChoice(Strict):
    """Rows that match every field that isn't null.

    `text` occurs anywhere in the original row, ignoring case. `since` (inclusive) and `until` (exclusive) bound the
    start in ticks of event time; a row without a readable start matches neither. `late_by`: the row starts at most so
    many ticks before the CTI that it met, so a delay longer by this much would have admitted it in time.
    """

    outcome: OutcomeName | None = None
    reason: Text | None = None
    input: Text | None = None
    lane: Text | None = None
    text: Text | None = None
    since: int | None = None
    until: int | None = None
    late_by: Annotated[int, Field(ge=0)] | None = None

    @cached_property
    def _equal(self) -> Mapping[str, str]:
        wanted = {
            "outcome": self.outcome and self.outcome.value,
            "reason": self.reason,
            "input": self.input,
            "lane": self.lane,
        }
        return {name: each for name, each in wanted.items() if each}

    @cached_property
    def _folded(self) -> str | None:
        return None if self.text is None else self.text.casefold()

    def fits(self, row: Mapping[str, Any]) -> bool:
        """Return whether the selection contains `row`, a stored `LateEvent`."""
        if any(row.get(name) != value for name, value in self._equal.items()):
            return False
        if self._folded is not None and self._folded not in str(row.get("raw", "")).casefold():
            return False
        return self._is_of_time(row.get("start")) and (self.late_by is None or self._is_late(row))

    def _is_of_time(self, start: int | None) -> bool:
        if self.since is None and self.until is None:
            return True
        return (
            start is not None
            and (self.since is None or start >= self.since)
            and (self.until is None or start < self.until)
        )

    def _is_late(self, row: Mapping[str, Any]) -> bool:
        start, cti = row.get("start"), row.get("cti")
        return start is not None and cti is not None and 0 < cti - start <= (self.late_by or 0)
