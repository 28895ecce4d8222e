"""Requests and responses of a replay of quarantine."""

from typing import Annotated, Final
from uuid import UUID

from pydantic import Field

from streaming.definition.strict import Strict
from streaming.simulator.comparing import ComparedRow
from streaming.wire.quarantine_choice import QuarantineChoice

MOST_CHOSEN: Final = 1_000
"""Most rows of quarantine that one replay treats as on time."""
MOST_AGAIN: Final = 100_000
"""Most rows of input that may be read again."""
AGAIN: Final = 20_000
"""Rows of input that are read again by default."""
MOST_SHOWN: Final = 500
"""Rows of the result that are shown; all are counted."""
RowId = Annotated[str, Field(pattern=r"^[0-9]{1,18}-[0-9]{1,18}-[0-9]{1,18}$")]
Written = Annotated[str, Field(max_length=64)]


class MendedRow(Strict):
    """The correction of the row `id`: times in ISO 8601 or ticks, and its fields as the text of a JSON object.

    `end` counts for intervals and for the ends of edges; null is open.
    """

    id: RowId
    start: Written
    end: Written | None = None
    payload: Annotated[str, Field(max_length=100_000)]


class ReplayBody(QuarantineChoice):
    """Rows of the quarantine of a binding, treated as if they had been on time.

    `ids` are those rows; without it, the newest 1,000 that match the filter, only of `run` if it is set. Rows of
    `mended` count as corrected there, all others in their original form. At most `most_rows` rows of the input are read
    again.
    """

    binding: UUID
    run: UUID | None = None
    ids: Annotated[list[RowId], Field(min_length=1, max_length=MOST_CHOSEN)] | None = None
    mended: Annotated[list[MendedRow], Field(max_length=MOST_CHOSEN)] = Field(default_factory=list)
    most_rows: Annotated[int, Field(ge=1, le=MOST_AGAIN)] = AGAIN


class ReplayedRow(ComparedRow):
    """A row of the result of `output` that would differ: `changed`, `only_here` (new), or `missing` (gone).

    For a changed row, `today_...` is its present state; a row that would go is shown as it is. `final`: the binding had
    emitted everything up to its end. If it is not `whole`, rows from before the part that was read again belong to it
    too: it would change, but its values are unknown, and only the fields of its group are shown.
    """

    final: bool
    whole: bool


class RowNotCounted(Strict):
    """A chosen row that would still be in no result, and why."""

    id: str
    input: str
    lane: str
    position: int
    start: int | None
    why: str


class ReplayResponse(Strict):
    """The results of a binding if the chosen rows had been on time; nothing is stored.

    `ids` are the chosen rows. `marks` counts all rows of the result, `rows` are those that would differ, by output and
    time; `rows_left_out` of them are not shown. `read_again` rows of input were read. `whole_from` is, by output, the
    time from which on its rows are computed from everything that belongs to them: null if unknown, absent if all are
    complete.
    """

    chosen: int
    ids: list[str]
    counted: int
    not_counted: list[RowNotCounted]
    rows: list[ReplayedRow]
    rows_left_out: int
    marks: dict[str, int]
    read_again: int
    whole_from: dict[str, int | None]
    notes: list[str]
