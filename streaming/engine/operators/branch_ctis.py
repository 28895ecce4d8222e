"""The CTIs of a branch: the minimum over its lanes, as a staircase that only rises."""

from collections.abc import Mapping, Sequence

import numpy as np

from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.arrived import Int64s


def rise(lanes: dict[str, int], steps: Mapping[str, Int64s], floor: int) -> list[int]:
    """Move `lanes` (lane to CTI, changed in place) by the `steps` of this batch; the minima above `floor`, rising.

    Lanes have no common order inside a batch: with several of them each is moved to its end in turn, in order of its
    name, so the last minimum is exact and those before it are some of the possible ones. Lanes that end in the batch
    end together, after all else: the flush of an input releases no step on the way to infinity.
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


def _climb(lanes: dict[str, int], lane: str, steps: Int64s, floor: int, found: list[int]) -> None:
    """Move one lane by its finite `steps`, and note the minima that this gives."""
    others = min((cti for name, cti in lanes.items() if name != lane), default=NO_CTI)
    reached = np.minimum(np.maximum.accumulate(np.concatenate([[lanes[lane]], steps])), others)
    found.extend(np.unique(reached[reached > last_of(found, floor)]).tolist())
    lanes[lane] = int(max(lanes[lane], steps.max(initial=NO_CTI)))


def last_of(rising: Sequence[int], floor: int) -> int:
    """Where a staircase ends that began at `floor`."""
    return rising[-1] if rising else floor
