"""Random numbers by index, independent of earlier draws (splitmix64, vectorised)."""

from enum import IntEnum
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from streaming.wire.rows.arrived import Int64s

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


class DrawPurpose(IntEnum):
    """The purpose of a random number; numbers for different purposes do not depend on each other."""

    KEY = 1
    DEVICE = 2
    IS_LATE = 3
    LATENESS = 4
    BURST = 5
    SPEED = 6
    ROAD_LANE = 7
    IS_MALFORMED = 8
    FAULT = 9
    DURATION = 10
    CLOCK = 11
    BRAKING = 12
    FARE = 13


def uniform(seed: int, purpose: DrawPurpose, index: Int64s) -> Floats:
    """One number in `[0, 1)` for each index."""
    word = _mixed(_key(seed, purpose) + index.astype(np.uint64) * _STEP)
    return (word >> np.uint64(11)).astype(np.float64) * 2.0**-53


@lru_cache(maxsize=1_024)
def _key(seed: int, purpose: DrawPurpose) -> Words:
    with np.errstate(over="ignore"):
        return _mixed(np.array([seed], dtype=np.uint64) + _STEP * np.uint64(purpose))


def _mixed(word: Words) -> Words:
    word = (word ^ (word >> np.uint64(30))) * _FIRST
    word = (word ^ (word >> np.uint64(27))) * _SECOND
    return word ^ (word >> np.uint64(31))


def exponential(seed: int, purpose: DrawPurpose, index: Int64s, mean: float) -> Floats:
    """Exponentially distributed numbers with the mean `mean`."""
    return -mean * np.log1p(-uniform(seed, purpose, index))


def zipf_bounds(keys: int, skew: float) -> Floats:
    """Upper bounds of the shares of `keys` ranks, the most frequent first; search a uniform number in them."""
    shares = np.arange(1, keys + 1, dtype=np.float64) ** -skew
    bounds: Floats = np.cumsum(shares)
    bounds /= bounds[-1]
    return bounds
