"""Objects that hold only facts: receipts and rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, Self

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
RowKind = Literal["row", "edge_start", "edge_end", "retraction"]


def moment(ticks: int | None) -> datetime | None:
    """Return ticks (microseconds since 1970) as a time in UTC; None for infinity and outside the calendar."""
    try:
        return None if ticks is None else _EPOCH + timedelta(microseconds=ticks)
    except OverflowError:
        return None


def ticks(text: str) -> int:
    """Return the ticks of a time in ISO 8601 with its zone."""
    return (datetime.fromisoformat(text) - _EPOCH) // timedelta(microseconds=1)


@dataclass(frozen=True)
class PushedBatch:
    """A batch is on disk as the rows `first` to `first + rows - 1`; `again`: it was stored before, and only once."""

    first: int
    rows: int
    again: bool


@dataclass(frozen=True)
class SubscriptionRow:
    """A row of an output: its lifetime in ticks, `end` None for infinity, and its payload as JSON has it.

    A row with a `key` replaces the one before it with that key; a retraction withdraws that one, or without a key an
    earlier row with the same times and payload.
    """

    kind: RowKind
    id: str
    run: str | None
    start: int
    end: int | None
    payload: Mapping[str, Any]
    key: str | None
    is_incomplete: bool

    @classmethod
    def of(cls, kind: RowKind, found: Mapping[str, Any]) -> Self:
        """Return the row in an answer of the API."""
        return cls(
            kind,
            found["id"],
            found["run"],
            found["start"],
            found["end"],
            found["payload"],
            found.get("key"),
            bool(found.get("incomplete")),
        )

    @property
    def start_time(self) -> datetime | None:
        """The start in UTC; None outside the calendar."""
        return moment(self.start)

    @property
    def end_time(self) -> datetime | None:
        """The end in UTC; None for infinity and outside the calendar."""
        return moment(self.end)


@dataclass(frozen=True)
class StandingRows:
    """The rows that stand at tick `as_of`, after all changes up to `batch`."""

    as_of: int | None
    is_final: bool
    batch: int
    rows: list[SubscriptionRow]

    @property
    def cursor(self) -> str:
        """The cursor for `subscribe(after=...)` that continues with the batches after `batch`.

        Rows of earlier batches that start after `as_of` are neither in `rows` nor in that subscription. An output
        without a window has such rows: it emits each row on arrival, before the CTI passes it.
        """
        return str(self.batch)
