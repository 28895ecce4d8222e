"""The fields that can be generated, and the column of each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import pyarrow as pa

from streaming.adapters.generator.draws import DrawPurpose, Floats, uniform, zipf_bounds
from streaming.adapters.generator.options import GeneratorOptions
from streaming.wire.rows.arrived import Int64s

FIELDS: Final[Mapping[str, str]] = {
    "plate": "string",
    "device": "string",
    "speed": "double",
    "road_lane": "long",
    "braking": "boolean",
    "gate": "string",
    "fare": "double",
    "sent_at": "timestamp",
}
"""The type of each field; a stream declares a selection.

`sent_at` is the arrival time of the row; `gate` has the number of its lane.
"""
FARES: Final = np.array([2.40, 3.40, 3.40, 4.40])
"""The fares of a passage; their mean is 3.40."""


@dataclass(frozen=True)
class DrawnRows:
    """Rows of a lane by their `index` over all lanes, with their device, and their arrival `sent` in ticks."""

    options: GeneratorOptions
    index: Int64s
    device: Int64s
    sent: Int64s

    def uniform(self, purpose: DrawPurpose) -> Floats:
        """Return a number in `[0, 1)` for each row."""
        return uniform(self.options.seed, purpose, self.index)

    def choice(self, purpose: DrawPurpose, count: int) -> Int64s:
        """Return a number below `count` for each row."""
        return (self.uniform(purpose) * count).astype(np.int64)


def _plate(rows: DrawnRows) -> pa.Array:
    keys = rows.options.keys
    bounds = _bounds(keys, rows.options.key_skew)
    key = np.searchsorted(bounds, rows.uniform(DrawPurpose.KEY), side="right")
    return _names("plate", keys).take(pa.array(np.minimum(key, keys - 1)))


def _gate(rows: DrawnRows) -> pa.Array:
    lanes = rows.options.lanes
    return _names("gate", lanes).take(pa.array(rows.index % lanes))


@lru_cache(maxsize=8)
def _names(prefix: str, count: int) -> pa.Array:
    return pa.array([f"{prefix}-{number:0{len(str(count - 1))}d}" for number in range(count)], pa.string())


@lru_cache(maxsize=8)
def _bounds(keys: int, skew: float) -> Floats:
    return zipf_bounds(keys, skew)


COLUMNS: Final[Mapping[str, Callable[[DrawnRows], pa.Array]]] = {
    "plate": _plate,
    "device": lambda rows: _names("device", rows.options.devices).take(pa.array(rows.device)),
    "speed": lambda rows: pa.array(np.round(70 + 60 * rows.uniform(DrawPurpose.SPEED), 1)),
    "road_lane": lambda rows: pa.array(rows.choice(DrawPurpose.ROAD_LANE, 3) + 1),
    "braking": lambda rows: pa.array(rows.uniform(DrawPurpose.BRAKING) < 0.1),
    "gate": _gate,
    "fare": lambda rows: pa.array(FARES[rows.choice(DrawPurpose.FARE, len(FARES))]),
    "sent_at": lambda rows: pa.array(rows.sent),
}
