"""What an input holds now, asked of its adapter in a limited process."""

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

ELSEWHERE: Final = "Begin where the last run stopped, or at the beginning."
HELD: Final = "It still has the rows that are read again."
GONE: Final = (
    "It no longer has the rows that would have to be read again: they were deleted or changed there. So what was open "
    "cannot be given whole."
)
NOT_KNOWN: Final = "Whether it still has the rows that are read again is not known: {why} {then}"
ELSEWHERE_NOTED: Final = "what the last run noted of it is not on this machine."
THEN: Final = (
    "If they are gone, that is found and said before anything is read, and nothing is lost: it can still go on where "
    "the last run had read to."
)


@dataclass(frozen=True)
class RowsAgainAsked:
    """The spans `(lane, start, end)` of an input that would be read again; its journal, None if that is not here."""

    spans: Sequence[tuple[str, int, int]]
    journal: str | None


class RowsAgainShown(Strict):
    """Whether an input still has the rows that a start would read again, and what that means."""

    standing: Literal["held", "gone", "unknown"]
    sentence: str

    @classmethod
    def unknown(cls, why: str) -> "RowsAgainShown":
        """It is not known because of `why`, a sentence."""
        return cls(standing="unknown", sentence=NOT_KNOWN.format(why=why, then=THEN))


class LaneHeldShown(Strict):
    """A lane now; each value null where it is not known, or not asked. Times are ticks, and when rows came.

    It holds the positions from `earliest` up to before `end`; `at_time` is the first that came at the time that was
    asked for, or later; `stopped` where the last run had read to, and `reach` the end of the last event that it read.
    `rows` and `bytes` are what it holds, `rows_since` and `bytes_since` what of that came at that time or later.
    `at_most`: some positions hold no row, so that rows, and what is counted by positions, are bounds. `unit`: what a
    position counts.
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


class InputHeldShown(Strict):
    """An input, by its node. `seeks`: it can begin in the middle; `time_means`: with which row it begins at a time.

    `refused`: the ways in which it cannot begin, though it seeks, each with a sentence. `failure`: why it is not known
    what it holds. `again`: whether it has what is read again where it is told to read again what was open; null where
    nothing would be.
    """

    input: str
    seeks: bool
    time_means: str | None
    failure: str | None
    lanes: list[LaneHeldShown]
    refused: dict[SoughtWay, str]
    again: RowsAgainShown | None = None


@limited("Asking what an input holds", ELSEWHERE, READING, opens_secrets=True)
def input_held(
    name: str, of: InputSpec, since: int | None, now: int, again: RowsAgainAsked | None = None
) -> InputHeldShown:
    """Return what the input `name` holds at `now`, and whether it has what would be read `again`."""
    lanes: list[LaneHeldShown] = []
    seeks, means, failure = False, None, None
    refused: dict[SoughtWay, str] = {}
    try:
        adapter = build(of.stream, of.adapter)
        if isinstance(adapter, SeekingAdapter):
            seeks, means = True, adapter.time_means
            if isinstance(adapter, PartlySeekingAdapter):
                refused = dict(adapter.cannot_begin())
                means = None if "time" in refused else means
            lanes = [LaneHeldShown(**vars(each)) for each in adapter.held(now=now, since=since)]
    except AdapterError as error:
        failure = str(error)
    return InputHeldShown(
        input=name,
        seeks=seeks,
        time_means=means,
        failure=failure,
        lanes=lanes,
        refused=refused,
        again=None if again is None else _held_again(of, again),
    )


def _held_again(of: InputSpec, again: RowsAgainAsked) -> RowsAgainShown:
    """Return what a runner would find that is to read that again; it is asked of the adapter as a runner asks it."""
    try:
        adapter = build(of.stream, of.adapter, None if again.journal is None else Path(again.journal))
        if not isinstance(adapter, ReplayingAdapter) or all(adapter.holds(*span) for span in again.spans):
            return RowsAgainShown(standing="held", sentence=HELD)
    except (AdapterError, OSError) as error:
        return RowsAgainShown.unknown(str(error))
    if again.journal is None:  # without it some adapters know nothing of what they have given
        return RowsAgainShown.unknown(ELSEWHERE_NOTED)
    return RowsAgainShown(standing="gone", sentence=GONE)
