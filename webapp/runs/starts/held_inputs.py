"""The rows that an input holds now, queried through its adapter in a limited process."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from streaming.adapters.contract import AdapterError, ReplayingAdapter
from streaming.adapters.seeking import PartlySeekingAdapter, SeekingAdapter, SoughtWay
from streaming.definition.strict import Strict
from streaming.wire.messages import InputSpec
from webapp.core.limited.jobs import READING, limited
from webapp.streams.adapters import build

ELSEWHERE: Final = "Start where the last run stopped, or from the beginning."
HELD: Final = "It still has the rows that would be read again."
GONE: Final = (
    "It no longer has the rows that would have to be read again: they were deleted or changed at the source. So open "
    "windows can't be completed."
)
NOT_KNOWN: Final = "It is unknown whether it still has the rows that would be read again: {why} {then}"
ELSEWHERE_NOTED: Final = "the last run's record of this input is not on this machine."
THEN: Final = (
    "If they are gone, the run reports that before it reads anything, and nothing is lost: you can still resume at the "
    "last run's read position."
)


@dataclass(frozen=True)
class RowsAgainQuery:
    """The spans `(lane, start, end)` of an input to read again; its journal, None if that is not on this machine."""

    spans: Sequence[tuple[str, int, int]]
    journal: str | None


class RowsAgainResponse(Strict):
    """The answer whether an input still has the rows that a start would read again, with a sentence for the user."""

    standing: Literal["held", "gone", "unknown"]
    sentence: str

    @classmethod
    def unknown(cls, why: str) -> "RowsAgainResponse":
        """Return an answer that leaves it open, because of the sentence `why`."""
        return cls(standing="unknown", sentence=NOT_KNOWN.format(why=why, then=THEN))


class LaneHoldings(Strict):
    """The present content of a lane; each value is null if unknown or not requested. Times are ticks of arrival.

    The lane holds the positions from `earliest` up to before `end`. `at_time`: the first that arrived at the requested
    time or later. `stopped`: the last run's read position, `reach`: the end of the last event that it read. `rows` and
    `bytes`: the content, `rows_since` and `bytes_since`: the part that arrived at the requested time or later.
    `at_most`: some positions hold no row, so row counts, and counts by position, are upper bounds. `unit`: the unit of
    a position.
    """

    lane: str
    earliest: int | None = None
    end: int | None = None
    at_time: int | None = None
    stopped: int | None = None
    reach: int | None = None
    from_at: int | None = None
    until_at: int | None = None
    rows: int | None = None
    bytes: int | None = None
    rows_since: int | None = None
    bytes_since: int | None = None
    at_most: bool = False
    unit: Literal["row", "batch"] = "row"


class InputHoldings(Strict):
    """An input, by its node. `seeks`: it can start in the middle; `time_means`: the meaning of starting at a time.

    `refused`: the start positions that are impossible although it seeks, each with a sentence. `failure`: why its
    content is unknown. `again`: whether it has the rows that a start which restores open windows would read again;
    null if there are no such rows.
    """

    input: str
    seeks: bool
    time_means: str | None
    failure: str | None
    lanes: list[LaneHoldings]
    refused: dict[SoughtWay, str]
    again: RowsAgainResponse | None = None


@limited("Querying the content of an input", ELSEWHERE, READING, opens_secrets=True)
def input_held(
    name: str, of: InputSpec, since: int | None, now: int, again: RowsAgainQuery | None = None
) -> InputHoldings:
    """Return the content of the input `name` at `now`, and whether it has the rows to read `again`."""
    lanes: list[LaneHoldings] = []
    seeks, means, failure = False, None, None
    refused: dict[SoughtWay, str] = {}
    try:
        adapter = build(of.stream, of.adapter)
        if isinstance(adapter, SeekingAdapter):
            seeks, means = True, adapter.time_means
            if isinstance(adapter, PartlySeekingAdapter):
                refused = dict(adapter.cannot_begin())
                means = None if "time" in refused else means
            lanes = [LaneHoldings(**vars(each)) for each in adapter.held(now=now, since=since)]
    except AdapterError as error:
        failure = str(error)
    return InputHoldings(
        input=name,
        seeks=seeks,
        time_means=means,
        failure=failure,
        lanes=lanes,
        refused=refused,
        again=None if again is None else _held_again(of, again),
    )


def _held_again(of: InputSpec, again: RowsAgainQuery) -> RowsAgainResponse:
    """Return whether a runner would find the rows to read again; queries the adapter as a runner does."""
    try:
        adapter = build(of.stream, of.adapter, None if again.journal is None else Path(again.journal))
        if not isinstance(adapter, ReplayingAdapter) or all(adapter.holds(*span) for span in again.spans):
            return RowsAgainResponse(standing="held", sentence=HELD)
    except (AdapterError, OSError) as error:
        return RowsAgainResponse.unknown(str(error))
    if again.journal is None:  # without it some adapters know nothing of the rows they have emitted
        return RowsAgainResponse.unknown(ELSEWHERE_NOTED)
    return RowsAgainResponse(standing="gone", sentence=GONE)
