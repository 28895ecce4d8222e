"""Which late and malformed rows are meant: what a person chooses from a quarantine."""

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field

from streaming.definition.strict import Strict
from streaming.wire.messages import OutcomeName

Text = Annotated[str, Field(min_length=1, max_length=200)]


class QuarantineChoice(Strict):
    """Rows that fit all that is given; what is null is not asked.

    `text` stands somewhere in the row as it came, in small or capital letters. `since` and `until` are ticks of event
    time: starts at or after the one and before the other; rows without a readable start fit neither. `late_by`: at most
    so many ticks before the CTI that it met, so that with a delay longer by as much it would have been in time.
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
        said = {"outcome": self.outcome and self.outcome.value, "reason": self.reason}
        return {name: each for name, each in {**said, "input": self.input, "lane": self.lane}.items() if each}

    @cached_property
    def _folded(self) -> str | None:
        return None if self.text is None else self.text.casefold()

    def fits(self, row: Mapping[str, Any]) -> bool:
        """Whether the filter means `row`, a `LateEvent` as it is stored."""
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
