"""What a replay of quarantine is asked, and what it shows."""

from typing import Annotated, Final
from uuid import UUID

from pydantic import Field

from streaming.definition.strict import Strict
from streaming.simulator.comparing import ComparedRow
from streaming.wire.quarantine_choice import QuarantineChoice

MOST_CHOSEN: Final = 1_000
"""Rows of quarantine that are taken as if in time at once."""
MOST_AGAIN: Final = 100_000
"""Rows of input that may be read again at most."""
AGAIN: Final = 20_000
"""Rows of input that are read again if nobody says how many."""
MOST_SHOWN: Final = 500
"""Rows of the result that are shown; all are counted."""
RowId = Annotated[str, Field(pattern=r"^[0-9]{1,18}-[0-9]{1,18}-[0-9]{1,18}$")]
Written = Annotated[str, Field(max_length=64)]


class MendedRow(Strict):
    """What the row `id` should have been: times in ISO 8601 or ticks, and its fields as the text of a JSON object.

    `end` counts for intervals and for the ends of edges; null is open.
    """

    id: RowId
    start: Written
    end: Written | None = None
    payload: Annotated[str, Field(max_length=100_000)]


class ReplayBody(QuarantineChoice):
    """Rows of the quarantine of a binding, taken as if they had come in time.

    `ids` are those rows; without it the newest 1,000 that the filter means, of `run` alone where that is said. Rows of
    `mended` count as they say, all others as they came. Of what the binding has read at most `most_rows` are read
    again.
    """

    binding: UUID
    run: UUID | None = None
    ids: Annotated[list[RowId], Field(min_length=1, max_length=MOST_CHOSEN)] | None = None
    mended: Annotated[list[MendedRow], Field(max_length=MOST_CHOSEN)] = Field(default_factory=list)
    most_rows: Annotated[int, Field(ge=1, le=MOST_AGAIN)] = AGAIN


class ReplayedRow(ComparedRow):
    """A row of the result of `output` that would be another one: `changed`, `only_here` (new), or `missing` (gone).

    Of one that would change `today_...` is what it is; one that would go is shown as it is. `final`: the binding had
    given all up to its end. Where it is not `whole`, rows from before what was read again belong to it too: it would be
    another one, but which values it has is not known, and only the fields of its group are shown.
    """

    final: bool
    whole: bool


class RowNotCounted(Strict):
    """A chosen row that would be in no result all the same, and why."""

    id: str
    input: str
    lane: str
    position: int
    start: int | None
    why: str


class ReplayShown(Strict):
    """What the results of a binding would be, had the chosen rows come in time; nothing of it is stored.

    `ids` are the rows that were chosen. `marks` counts all rows of the result, `rows` are those that would be other
    ones, by output and time, of which `rows_left_out` are not shown. `read_again` rows of input were read; `whole_from`
    says by output from when on its rows are computed from all that belongs to them: null where that is not known,
    absent where all are.
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
