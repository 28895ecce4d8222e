"""Adapters with other start positions than the beginning: now, a time, positions; and the contents of their lanes."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Protocol, runtime_checkable

from streaming.adapters.contract import AdapterError, Position
from streaming.definition.counts import counted
from streaming.storage.results import write_atomically
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin

_FILE: Final = "begun_at.json"
SoughtWay = Literal["now", "time", "positions"]
"""The kinds of start positions (`SoughtBegin`)."""


@dataclass(frozen=True)
class BegunLanes:
    """The start positions of lanes; `skips`: available rows before them are not read."""

    positions: Mapping[str, Position]
    skips: bool


@dataclass(frozen=True)
class LaneHeld:
    """The current contents of a lane: the positions `[earliest, end)`; `at_time`: the start position for a time.

    - `from_at` and `until_at`: the arrivals of the oldest and the newest row, in ticks.
    - `rows`, `bytes`: the amount of data; `rows_since` and `bytes_since`: the amount that arrived at the time or later.
    - None: unknown, or not requested.
    - `at_most`: some positions have no row, so that rows, and counts by position, are upper bounds.
    - `unit`: the unit of a position.
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
    """An input adapter with other start positions than the beginning."""

    @property
    def time_means(self) -> str:
        """The meaning of a start time for a row: words that follow "the first row that ..."."""

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:
        """Return the start positions of a run that is planned at `now` (ticks), with an empty journal of its own.

        Positions refer to the journal of the previous run. A repeated call with the same journal returns the same.
        Raises `AdapterError` for a start position that does not exist.
        """

    def held(self, *, now: int, since: int | None) -> Sequence[LaneHeld]:
        """Return the current contents of the lanes, and the part that arrived at `since` (ticks) or later.

        Raises `AdapterError`.
        """


@runtime_checkable
class PartlySeekingAdapter(SeekingAdapter, Protocol):
    """A seeking adapter that does not support every kind of start position."""

    def cannot_begin(self) -> Mapping[SoughtWay, str]:
        """Return the unsupported kinds, each with a sentence that says why and what to do; `begin_at` refuses them with
        it.

        Raises `AdapterError` if this can't be determined.
        """


def way_of(place: SoughtBegin) -> SoughtWay:
    """Return the kind of `place`."""
    if isinstance(place, BeginAtTime):
        return "time"
    return "positions" if isinstance(place, BeginAtPositions) else "now"


def require_way(adapter: PartlySeekingAdapter, place: SoughtBegin) -> None:
    """Raise `AdapterError` if `adapter` does not support the kind of `place`."""
    why = adapter.cannot_begin().get(way_of(place))
    if why is not None:
        raise AdapterError(why)


class BegunJournal:
    """Stores the start positions of a run in the folder `journal`, so that a repeated plan starts at the same place."""

    def __init__(self, journal: Path | None) -> None:
        self._file = None if journal is None else journal / _FILE

    def at(self, place: SoughtBegin, find: Callable[[], BegunLanes]) -> BegunLanes:
        """Return the stored positions of `place`, otherwise those from `find`. Raises `OSError`, and as `find` does."""
        written = place if isinstance(place, str) else place.model_dump(mode="json")
        if self._file is not None and self._file.exists():
            known = json.loads(self._file.read_bytes())
            if known["place"] == written:
                return BegunLanes(known["positions"], known["skips"])
        lanes = find()
        if self._file is not None:
            content = {"place": written, "positions": dict(lanes.positions), "skips": lanes.skips}
            write_atomically(self._file, json.dumps(content).encode())
        return lanes


def positions_within(
    place: BeginAtPositions, input_id: str, lanes: Mapping[str, tuple[Position, Position]]
) -> BegunLanes:
    """The positions of `place` for an input whose `lanes` have positions from the first to the second, both included.

    A lane that is not named starts at its first position. Raises `AdapterError` for an unknown lane or position.
    """
    wanted = place.positions.get(input_id, {})
    for lane, at in wanted.items():
        if lane not in lanes:
            there = ", ".join(lanes) if len(lanes) <= 20 else counted(len(lanes), "lane")
            raise AdapterError(f"The input {input_id} has no lane {lane}. Its lanes: {there}. Remove that lane.")
        first, last = lanes[lane]
        if not first <= at <= last:
            raise AdapterError(
                f"Lane {lane} of the input {input_id} can start at {first} to {last}, not at {at}. "
                "Choose a position between these."
            )
    found = {lane: wanted.get(lane, first) for lane, (first, _) in lanes.items()}
    return BegunLanes(found, any(found[lane] > first for lane, (first, _) in lanes.items()))
