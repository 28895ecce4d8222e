"""Requests about a row of a binding's results, or about an empty place, and their responses."""

from typing import Annotated
from uuid import UUID

from pydantic import Field, model_validator

from streaming.definition.names import Name
from streaming.definition.strict import Strict
from streaming.simulator.origins.traced import PlaceTrace, ResultTrace
from streaming.simulator.samples.sample import InstantText
from streaming.wire.messages import ResultRow
from webapp.samples.replay_bodies import MOST_AGAIN, RowId


class AskedResultPlace(Strict):
    """A time of an output (ISO 8601 or ticks); with `key`, rows with these values in these fields."""

    output: Name
    at: InstantText
    key: Annotated[dict[str, str | int | float | bool | None], Field(max_length=20)] = Field(default_factory=dict)


class WhyBody(Strict):
    """A question about the row `result` of a binding, or about the absence of a row at `place`: exactly one of them.

    As many rows as needed are read again, or at most `most_rows`.
    """

    binding: UUID
    result: RowId | None = None
    place: AskedResultPlace | None = None
    most_rows: Annotated[int, Field(ge=1, le=MOST_AGAIN)] | None = None

    @model_validator(mode="after")
    def _asks_one(self) -> "WhyBody":
        if (self.result is None) is (self.place is None):
            raise ValueError("ask about one row in `result`, or about a time in `place`")
        return self


class InputMoved(Strict):
    """The CTI of an input before and after a batch, null without one; `ended`: it has none any more."""

    input: str
    before: int | None
    after: int | None
    ended: bool


class MadeInBatch(Strict):
    """The batch that emitted a row, the time of its commit, and the progress of the inputs.

    Old batches are merged: then it covers `first` to `last`, and time and CTIs belong to all of them.
    `repaired_by`: the author of the repair that emitted the row; null if the run emitted it.
    """

    batch: int
    first: int
    last: int
    at: int | None
    inputs: list[InputMoved]
    repaired_by: str | None


class WhyResponse(Strict):
    """The origin of a row: `row`, `run` and `made` as stored, `trace` from the input read again, `read_again` rows.

    For a place, `place` instead, and `made` is the batch up to which the input was read. `unread` is the reason if
    nothing could be read again; then `trace` and `place` are null. `trace` is also null if no row of that time came
    out.
    """

    row: ResultRow | None
    run: UUID | None
    made: MadeInBatch | None
    trace: ResultTrace | None
    place: PlaceTrace | None
    read_again: int
    unread: str | None
    notes: list[str]
