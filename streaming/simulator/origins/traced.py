"""Trace of a row that a binding has emitted, or of a place without a row. Instants are ticks."""

from typing import Any, Final, Literal

from streaming.definition.strict import Strict
from streaming.wire.messages import OutcomeName

MOST_TOLD: Final = 500
"""At most so many rows of each kind are returned; all are counted."""


class TracedRow(Strict):
    """A row of an input as it was read again; an older late row as its quarantine has it.

    `position` counts in its lane from 0, as quarantine does. `end` null is infinity. `cti_met` is the CTI of its lane
    when it arrived, null before the first CTI or if unknown. `why`: its outcome. `repaired`: a repair added it to the
    results in this form.
    """

    input: str
    lane: str
    position: int
    edge: Literal["start", "end"] | None
    start: int
    end: int | None
    payload: dict[str, Any]
    outcome: OutcomeName
    lateness: int | None
    moved_by: int | None
    cti_met: int | None
    why: list[str]
    repaired: bool


class TracedRows(Strict):
    """Rows by their start; `left_out` counts the rows that are not returned."""

    rows: list[TracedRow]
    left_out: int


class StandingRow(Strict):
    """A row of the result at a place: as emitted, or as it would be if nothing more came; then `why` it waits."""

    start: int
    end: int | None
    payload: dict[str, Any]
    given: bool
    why: list[str]


class ResultTrace(Strict):
    """The origins of a row. `same`: the replayed input gives exactly this row; if not, `why` says what is known.

    `made_of` are the rows that made it, `missed` the late rows that would also have contributed.
    """

    same: bool
    why: list[str]
    made_of: TracedRows
    missed: TracedRows


class PlaceTrace(Strict):
    """Why an output has no row at a time, in sentences; `standing` is what it has there, or has not yet released.

    `missed` are late rows that would have made one, `ended` rows that lived there and are in no result.
    """

    why: list[str]
    standing: list[StandingRow]
    missed: TracedRows
    ended: TracedRows
