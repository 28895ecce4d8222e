"""Adapters that can begin elsewhere than at the beginning: now, at a time, at positions; what their lanes hold."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Protocol, runtime_checkable

from streaming.adapters.contract import AdapterError, Position
from streaming.definition.counts import counted
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin
from streaming.wire.results import write_atomically

_FILE: Final = "begun_at.json"
SoughtWay = Literal["now", "time", "positions"]
"""How it is said where a run begins (`SoughtBegin`)."""


@dataclass(frozen=True)
class BegunLanes:
    """Where lanes begin; `skips`: rows that are still there come before that, and are not read."""

    positions: Mapping[str, Position]
    skips: bool


@dataclass(frozen=True)
class LaneHeld:
    """What a lane holds now: the positions `[earliest, end)`; `at_time`: where a run that begins at a time begins.

    `from_at` and `until_at`: when the oldest and the newest row came, in ticks. `rows`, `bytes`: how much that is,
    `rows_since` and `bytes_since` how much of it came at the time or later. None: not known, or not asked. `at_most`:
    some positions hold no row, so that rows, and what is counted by positions, are bounds. `unit`: what a position
    counts.
    """

    lane: str
    earliest: Position | None = None
    end: Position | None = None
    at_time: Position | None = None
    from_at: int | None = None
    until_at: int | None = None
    rows: int | None = None
    bytes: int | None = None
    rows_since: int | None = None
    bytes_since: int | None = None
    at_most: bool = False
    unit: Literal["row", "batch"] = "row"


@runtime_checkable
class SeekingAdapter(Protocol):
    """An input adapter that can begin elsewhere than at the beginning."""

    @property
    def time_means(self) -> str:
        """When a row has come, as a start at a time understands it: words behind "the first row that ..."."""

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:
        """Where the lanes of a run begin that is planned at `now` (ticks), with an empty journal of its own.

        A position is told with the journal of the run before. Asked again with the same journal, it answers the same.
        Raises `AdapterError` for a place that there is not.
        """

    def held(self, *, now: int, since: int | None) -> Sequence[LaneHeld]:
        """What the lanes hold now, and of it what came at `since` (ticks) or later. Raises `AdapterError`."""


@runtime_checkable
class PartlySeekingAdapter(SeekingAdapter, Protocol):
    """A seeking adapter that may not begin in every way."""

    def cannot_begin(self) -> Mapping[SoughtWay, str]:
        """The ways in which it cannot, each with a sentence that says why and what to do; `begin_at` refuses them so.

        Raises `AdapterError` where that cannot be asked.
        """


def way_of(place: SoughtBegin) -> SoughtWay:
    """How `place` is said."""
    if isinstance(place, BeginAtTime):
        return "time"
    return "positions" if isinstance(place, BeginAtPositions) else "now"


def require_way(adapter: PartlySeekingAdapter, place: SoughtBegin) -> None:
    """Raises `AdapterError` for a place that is said in a way in which `adapter` cannot begin."""
    why = adapter.cannot_begin().get(way_of(place))
    if why is not None:
        raise AdapterError(why)


class BegunJournal:
    """Keeps in the folder `journal` where the lanes of a run begin, so that one that is planned again begins there."""

    def __init__(self, journal: Path | None) -> None:
        self._file = None if journal is None else journal / _FILE

    def at(self, place: SoughtBegin, find: Callable[[], BegunLanes]) -> BegunLanes:
        """What was kept of `place`; where nothing was, what `find` finds now. Raises `OSError`, and as `find` does."""
        said = place if isinstance(place, str) else place.model_dump(mode="json")
        if self._file is not None and self._file.exists():
            known = json.loads(self._file.read_bytes())
            if known["place"] == said:
                return BegunLanes(known["positions"], known["skips"])
        lanes = find()
        if self._file is not None:
            content = {"place": said, "positions": dict(lanes.positions), "skips": lanes.skips}
            write_atomically(self._file, json.dumps(content).encode())
        return lanes


def positions_within(
    place: BeginAtPositions, input_id: str, lanes: Mapping[str, tuple[Position, Position]]
) -> BegunLanes:
    """The positions of `place` for an input whose `lanes` hold positions from the first to the second, both included.

    A lane that is not named begins at its first. Raises `AdapterError` for a lane or a position that there is not.
    """
    wanted = place.positions.get(input_id, {})
    for lane, at in wanted.items():
        if lane not in lanes:
            there = ", ".join(lanes) if len(lanes) <= 20 else counted(len(lanes), "lane")
            raise AdapterError(f"The input {input_id} has no lane {lane}; it has {there}. Take that lane out.")
        first, last = lanes[lane]
        if not first <= at <= last:
            raise AdapterError(
                f"Lane {lane} of the input {input_id} can begin at {first} to {last}, not at {at}. "
                "Choose a position between these."
            )
    found = {lane: wanted.get(lane, first) for lane, (first, _) in lanes.items()}
    return BegunLanes(found, any(found[lane] > first for lane, (first, _) in lanes.items()))
