"""The CTIs of a branch: the minimum over its lanes, as a staircase that only rises."""

from collections.abc import Mapping, Sequence

import numpy as np

from streaming.temporal.ticks import NO_CTI
from streaming.wire.arrived import Int64s


def rise(lanes: dict[str, int], steps: Mapping[str, Int64s], floor: int) -> list[int]:
    """Move `lanes` (lane to CTI, changed in place) by the `steps` of this batch; the minima above `floor`, rising.

    Lanes have no common order inside a batch: with several of them each is moved to its end in turn, in order of its
    name, so the last minimum is exact and those before it are some of the possible ones.
    """
    found: list[int] = []
    if len(lanes) == 1:
        (lane,) = lanes
        rising = np.concatenate([[max(lanes[lane], floor)], steps.get(lane, np.empty(0, np.int64))])
        lanes[lane] = int(max(lanes[lane], rising.max()))
        tops = np.maximum.accumulate(rising)
        return tops[1:][tops[1:] > tops[:-1]].tolist()
    for lane in sorted(steps):
        others = min((cti for name, cti in lanes.items() if name != lane), default=NO_CTI)
        reached = np.minimum(np.maximum.accumulate(np.concatenate([[lanes[lane]], steps[lane]])), others)
        found.extend(np.unique(reached[reached > max([floor, *found[-1:]])]).tolist())
        lanes[lane] = int(max(lanes[lane], steps[lane].max(initial=NO_CTI)))
    return found


def last_of(rising: Sequence[int], floor: int) -> int:
    """Where a staircase ends that began at `floor`."""
    return rising[-1] if rising else floor
