"""The places at which live begins; they must still be readable before anything is read (T58)."""

from collections.abc import Mapping

from streaming.adapters.contract import AdapterError, InputAdapter, Position
from streaming.adapters.seeking import LaneHeld, PartlySeekingAdapter, SeekingAdapter, SoughtWay
from streaming.definition.streams.stream import Seam
from streaming.temporal.ticks import parse_instant
from streaming.wire.beginning import BeginAtPositions


class SeamGone(AdapterError):
    """Live rows after the seam may have been deleted, so that there would be a gap after the history."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"seam_gone: {what}, so there may be a gap after the history. Nothing was read. Use a history that ends "
            "later, and move the seam, or keep live rows for longer."
        )


def begin_live(seam: Seam, live: InputAdapter, input_id: str, *, now: int) -> Mapping[str, Position]:
    """Return where live begins, by lane, and let it journal that place; other lanes begin where its options say.

    Raises as `check_places` does.
    """
    places = check_places(seam, live, input_id, now=now)
    if places and isinstance(live, SeekingAdapter):
        live.begin_at(BeginAtPositions(kind="positions", positions={input_id: dict(places)}), input_id, now=now)
    live.latest(places, now=now, limit_rows=1)
    return places


def check_places(seam: Seam, live: InputAdapter, input_id: str, *, now: int) -> Mapping[str, Position]:
    """Return the places of a seam by position. Raises `SeamGone`, and `AdapterError` for a seam that doesn't fit."""
    if seam.position is not None:
        return _by_position(seam.position, live, input_id, now)
    if seam.time is not None and isinstance(live, SeekingAdapter) and not _cannot(live, "time"):
        since = int(parse_instant(seam.time))
        for held in live.held(now=now, since=since) if since <= now else ():
            _require_rows_since(held, input_id)
    return {}


def _by_position(
    position: Position | dict[str, Position], live: InputAdapter, input_id: str, now: int
) -> Mapping[str, Position]:
    if not isinstance(live, SeekingAdapter) or _cannot(live, "positions"):
        raise AdapterError(
            f"The live rows of the input {input_id} can't be read from a position. Use a seam by time or by id."
        )
    held = {each.lane: each for each in live.held(now=now, since=None)}
    named = position if isinstance(position, dict) else dict.fromkeys(held, position)
    for lane in named:
        if lane not in held:
            there = ", ".join(held)
            raise AdapterError(f"The seam of the input {input_id} names lane {lane}, but live has {there}. Correct it.")
    places = {lane: named.get(lane, 0) for lane in held}
    for lane, place in places.items():
        _require_place(held[lane], place, input_id)
    return places


def _cannot(live: SeekingAdapter, way: SoughtWay) -> bool:
    return isinstance(live, PartlySeekingAdapter) and way in live.cannot_begin()


def _require_place(held: LaneHeld, place: Position, input_id: str) -> None:
    if held.earliest is not None and place < held.earliest:
        raise SeamGone(f"the live rows {place} to {held.earliest - 1} of lane {held.lane} of {input_id} don't exist")
    if held.end is not None and place > held.end:
        raise AdapterError(
            f"The seam of the input {input_id} is at position {place} of lane {held.lane}, but live ends at "
            f"{held.end}. Correct the position."
        )


def _require_rows_since(held: LaneHeld, input_id: str) -> None:
    if not held.earliest or held.end is None:
        return
    if held.earliest == held.end or (held.at_time is not None and held.at_time <= held.earliest):
        raise SeamGone(f"lane {held.lane} of {input_id} doesn't have all rows since the time of the seam")
