"""Measurements of the times of rows: durations in buckets, and the largest ones exactly.

There are four buckets for each doubling: bucket `1 + 4 * n + k` counts `[4 + k, 5 + k) * 2**(n + 8)` ticks. Bucket 0
counts all below 2**10 ticks (1.02 ms), the last one all from `5 * 2**37` (7.95 days) on. Only filled buckets are
stored; their keys are texts, as in JSON.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from streaming.wire.rows.arrived import Int64s

LAST_BUCKET: Final = 118
Buckets = Mapping[str, int]
"""Counts by bucket."""
_FEW: Final = 32
"""Up to so many durations are counted faster one by one."""
_SHIFT: Final = 50
"""The bits of a double below its exponent and the first two binary digits of its fraction."""
_FIRST: Final = (int(np.float64(2**10).view(np.int64)) >> _SHIFT) - 1
_CODES: Final = (int(np.float64(2**63).view(np.int64)) >> _SHIFT) + 1
_BLOCK: Final = 1 << 14
"""So many durations stay in the processor's cache."""
_NAMES: Final = tuple(map(str, range(LAST_BUCKET + 1)))


def bucket_of(duration: int) -> int:
    """Return the bucket of a duration."""
    digits = duration.bit_length()
    if digits <= 10:
        return 0
    return min(4 * (digits - 11) + (duration >> (digits - 3)) % 4 + 1, LAST_BUCKET)


def bucket_end(bucket: int) -> int:
    """Return the smallest duration above those of a bucket; the last bucket has no such limit."""
    doubling, part = divmod(bucket - 1, 4)
    return 1 << 10 if bucket == 0 else (5 + part) << (doubling + 8)


def bucket_counts(durations: Int64s) -> dict[str, int]:
    """Count `durations`, in ticks and never negative, by bucket.

    The bucket is read from the bits of a double, which costs less than a logarithm or a search.
    """
    counts: dict[str, int] = {}
    if len(durations) <= _FEW:
        for each in durations.tolist():
            name = _NAMES[bucket_of(each)]
            counts[name] = counts.get(name, 0) + 1
        return counts
    found = np.zeros(_CODES, np.int64)
    for begin in range(0, len(durations), _BLOCK):
        codes = durations[begin : begin + _BLOCK].astype(np.float64).view(np.int64)
        codes >>= _SHIFT
        found += np.bincount(codes, minlength=_CODES)
    within = found[_FIRST : _FIRST + LAST_BUCKET + 1]
    within[0] += found[:_FIRST].sum()
    within[-1] += found[_FIRST + LAST_BUCKET + 1 :].sum()
    for bucket in np.flatnonzero(within).tolist():
        counts[_NAMES[bucket]] = int(within[bucket])
    return counts


@dataclass(frozen=True, slots=True)
class Measures:
    """Measurements of the rows of a lane or an input; a largest value is None without such rows.

    `behind` counts the events that move the clock by `M - sync`, their distance to the largest start so far (0 in
    order). `largest_late` is the largest distance of a late row to the CTI that it met. `moved` counts adjusted and
    shifted rows by how far they were moved. `transport` counts the events whose arrival is known by `arrival - start`
    (0 if they arrived before their start), and `last_arrival` is the last known arrival of any row.
    """

    behind: Buckets = field(default_factory=dict)
    largest_behind: int | None = None
    largest_late: int | None = None
    moved: Buckets = field(default_factory=dict)
    largest_moved: int | None = None
    transport: Buckets = field(default_factory=dict)
    largest_transport: int | None = None
    last_arrival: int | None = None

    @classmethod
    def of(
        cls, behind: Int64s, late: Int64s, moved: Int64s, transport: Int64s, last_arrival: int | None = None
    ) -> "Measures":
        """Measure rows by their distances."""
        return cls(
            bucket_counts(behind),
            _largest(behind),
            _largest(late),
            bucket_counts(moved),
            _largest(moved),
            bucket_counts(transport),
            _largest(transport),
            last_arrival,
        )

    def plus(self, other: "Measures") -> "Measures":
        """Return the measurements of both."""
        if other == _NOTHING:
            return self
        return Measures(
            _sum(self.behind, other.behind),
            larger(self.largest_behind, other.largest_behind),
            larger(self.largest_late, other.largest_late),
            _sum(self.moved, other.moved),
            larger(self.largest_moved, other.largest_moved),
            _sum(self.transport, other.transport),
            larger(self.largest_transport, other.largest_transport),
            larger(self.last_arrival, other.last_arrival),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the fields that hold anything as JSON values."""
        fields = ((name, getattr(self, name)) for name in self.__slots__)
        return {name: value for name, value in fields if value is not None and value != {}}


_NOTHING: Final = Measures()


def _largest(durations: Int64s) -> int | None:
    return int(durations.max()) if len(durations) else None


def larger(one: int | None, other: int | None) -> int | None:
    """Return the larger value; None is no value."""
    if one is None or other is None:
        return other if one is None else one
    return max(one, other)


def _sum(counts: Buckets, more: Buckets) -> Buckets:
    if not more or not counts:
        return more or counts
    return {**counts, **{bucket: counts.get(bucket, 0) + count for bucket, count in more.items()}}
