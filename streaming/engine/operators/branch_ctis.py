"""The CTIs of a branch: the minimum over its lanes, as a staircase that only rises."""

from collections.abc import Mapping, Sequence

import numpy as np

from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.rows.arrived import Int64s


def rise(lanes: dict[str, int], steps: Mapping[str, Int64s], floor: int) -> list[int]:
    """Move `lanes` (lane to CTI, changed in place) by the `steps` of this batch.

    Return the minima above `floor`, rising. Lanes have no common order inside a batch. With several lanes each is moved
    to its end in turn, in order of its name, so the last minimum is exact and the earlier ones are some of the possible
    ones. Lanes that end in the batch end together, after everything else: the flush of an input releases no
    intermediate step before infinity.
    """
    found: list[int] = []
    if len(lanes) == 1:
        (lane,) = lanes
        if lane not in steps or not len(steps[lane]):
            lanes[lane] = max(lanes[lane], floor)
            return []
        rising = np.concatenate([[max(lanes[lane], floor)], steps[lane]])
        lanes[lane] = int(max(lanes[lane], rising.max()))
        tops = np.maximum.accumulate(rising)
        risen: list[int] = tops[1:][tops[1:] > tops[:-1]].tolist()
        return risen
    for lane in sorted(steps):
        _climb(lanes, lane, steps[lane][steps[lane] != INFINITY], floor, found)
    lanes.update({lane: INFINITY for lane, ctis in steps.items() if INFINITY in ctis})
    reached = min(lanes.values(), default=NO_CTI)
    return [*found, reached] if reached > last_of(found, floor) else found


def rise_together(lanes: dict[str, int], steps: Mapping[str, Int64s], floor: int) -> list[int]:
    """Move `lanes`, which made one turn together over the same elements, as the buckets of a first stage do.

    Return the minima above `floor`, rising. Lanes with the same steps took them at the same time; otherwise nothing is
    known about the order of their steps, so only the last minimum is one of the turn.
    """
    alike = len(steps) == len(lanes) and len({each.tobytes() for each in steps.values()}) == 1
    lanes.update({lane: max(lanes[lane], int(ctis.max())) for lane, ctis in steps.items() if len(ctis)})
    reached = min(lanes.values(), default=NO_CTI)
    rising: Sequence[int] = next(iter(steps.values())).tolist() if alike else ()
    found = [cti for cti in rising if floor < cti < reached]
    return [*found, reached] if reached > floor else found


def _climb(lanes: dict[str, int], lane: str, steps: Int64s, floor: int, found: list[int]) -> None:
    """Move one lane by its finite `steps`, and collect the resulting minima."""
    others = min((cti for name, cti in lanes.items() if name != lane), default=NO_CTI)
    reached = np.minimum(np.maximum.accumulate(np.concatenate([[lanes[lane]], steps])), others)
    found.extend(np.unique(reached[reached > last_of(found, floor)]).tolist())
    lanes[lane] = int(max(lanes[lane], steps.max(initial=NO_CTI)))


def last_of(rising: Sequence[int], floor: int) -> int:
    """Return the end of a staircase that started at `floor`."""
    return rising[-1] if rising else floor
