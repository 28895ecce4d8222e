"""What is told of a row that a binding has given, and of a place where it has given none. Instants are ticks."""

from typing import Any, Final, Literal

from streaming.definition.strict import Strict
from streaming.wire.messages import OutcomeName

MOST_TOLD: Final = 500
"""Rows of each kind that are told; all are counted."""


class TracedRow(Strict):
    """A row of an input as it was read again; of a late one that lies before that, as its quarantine has it.

    `position` counts in its lane from 0, as quarantine does. `end` null is infinity. `cti_met` is the CTI of its lane
    when it came, null where there was none, or it is not known. `why`: what became of it. `repaired`: it is as a repair
    took it back into the results.
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
    """Rows by their start, of which `left_out` are not told."""

    rows: list[TracedRow]
    left_out: int


class StandingRow(Strict):
    """A row of the result at a place: as it was given, or as it would be if nothing more came; then `why` it waits."""

    start: int
    end: int | None
    payload: dict[str, Any]
    given: bool
    why: list[str]


class ResultTrace(Strict):
    """What made a row. `same`: what was read again gives exactly this row; if not, `why` says what is known.

    `made_of` are the rows that it was made of, `missed` late ones that it would have been made of too.
    """

    same: bool
    why: list[str]
    made_of: TracedRows
    missed: TracedRows


class PlaceTrace(Strict):
    """Why an output has no row at a time, in sentences; `standing` what it has there, or holds back.

    `missed` are late rows that would have made one, `ended` rows that lived there and are in no result.
    """

    why: list[str]
    standing: list[StandingRow]
    missed: TracedRows
    ended: TracedRows
