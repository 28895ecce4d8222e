"""What is asked about a row that a binding has given, or a place where it has given none, and what is told."""

from typing import Annotated
from uuid import UUID

from pydantic import Field, model_validator

from streaming.definition.names import Name
from streaming.definition.strict import Strict
from streaming.simulator.sample import InstantText
from streaming.simulator.traced import PlaceTrace, ResultTrace
from streaming.wire.messages import ResultRow
from webapp.samples.replay_bodies import AGAIN, MOST_AGAIN, RowId


class AskedResultPlace(Strict):
    """A time of an output (ISO 8601 or ticks); with `key` the rows that have these values in these fields."""

    output: Name
    at: InstantText
    key: Annotated[dict[str, str | int | float | bool | None], Field(max_length=20)] = Field(default_factory=dict)


class WhyBody(Strict):
    """Why is the row `result` so, of the results of a binding, or why is there none at `place`? One of them is asked.

    Of what the binding has read at most `most_rows` rows are read again.
    """

    binding: UUID
    result: RowId | None = None
    place: AskedResultPlace | None = None
    most_rows: Annotated[int, Field(ge=1, le=MOST_AGAIN)] = AGAIN

    @model_validator(mode="after")
    def _asks_one(self) -> "WhyBody":
        if (self.result is None) is (self.place is None):
            raise ValueError("ask about one row in `result`, or about a time in `place`")
        return self


class InputMoved(Strict):
    """The CTI of an input before and after a batch, null where it had none; `ended`: it has none any more."""

    input: str
    before: int | None
    after: int | None
    ended: bool


class MadeInBatch(Strict):
    """The batch that gave a row, when it was committed, and how far it brought the inputs.

    Of an old one that is kept with others as one, these are `first` to `last`, and time and CTIs are of them all.
    `repaired_by`: who gave it, as a repair; null where the run gave it.
    """

    batch: int
    first: int
    last: int
    at: int | None
    inputs: list[InputMoved]
    repaired_by: str | None


class WhyShown(Strict):
    """What made a row: `row`, `run` and `made` as they are kept, `trace` from what was read again, `read_again` rows.

    Of a place `place` instead, and `made` is the batch up to which was read. `unread` says why nothing could be read
    again; then neither `trace` nor `place` is there. `trace` is null too where no row of that time came out.
    """

    row: ResultRow | None
    run: UUID | None
    made: MadeInBatch | None
    trace: ResultTrace | None
    place: PlaceTrace | None
    read_again: int
    unread: str | None
    notes: list[str]
