"""What an input holds now, asked of its adapter in a limited process."""

from typing import Final, Literal

from streaming.adapters.contract import AdapterError
from streaming.adapters.seeking import PartlySeekingAdapter, SeekingAdapter, SoughtWay
from streaming.definition.strict import Strict
from streaming.wire.messages import InputSpec
from webapp.core.limited.jobs import READING, limited
from webapp.streams.adapters import build

ELSEWHERE: Final = "Begin where the last run stopped, or at the beginning."


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
    what it holds.
    """

    input: str
    seeks: bool
    time_means: str | None
    failure: str | None
    lanes: list[LaneHeldShown]
    refused: dict[SoughtWay, str]


@limited("Asking what an input holds", ELSEWHERE, READING, opens_secrets=True)
def input_held(name: str, of: InputSpec, since: int | None, now: int) -> InputHeldShown:
    """Return what the input `name` holds at `now`."""
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
    return InputHeldShown(input=name, seeks=seeks, time_means=means, failure=failure, lanes=lanes, refused=refused)
