"""Exact sums of longs and decimals in columns: limbs of 32 bits, so that no total overflows on the way."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.definition.payload.types import DecimalOf, Type
from streaming.wire.rows.arrived import Int64s

_LIMB_BITS: Final = 32
"""Half of an int64, so that fewer than 2**31 limbs can be added before a sum has to be normalised."""
_LIMB_MASK: Final = 2**32 - 1
_SAFE: Final = 2**62
Numbers = npt.NDArray[Any]
"""A column of int64 or float64."""


def limb_count(of: Type) -> int:
    """Return how many int64 columns carry an exact sum of this type, a long or decimal."""
    return 4 if isinstance(of, DecimalOf) else 2


def limbs(values: pa.Array) -> list[Int64s]:
    """A null-free column of longs (2 limbs) or decimals (4): low limbs in `[0, 2**32)`, the last one signed."""
    if not pa.types.is_decimal(values.type):
        numbers = values.to_numpy()
        return [numbers & _LIMB_MASK, numbers >> _LIMB_BITS]
    pairs = np.frombuffer(values.buffers()[1], np.int64).reshape(-1, 2)[values.offset : values.offset + len(values)]
    low, high = pairs[:, 0], pairs[:, 1]
    middle = (low.view(np.uint64) if low.flags.c_contiguous else low.copy().view(np.uint64)) >> np.uint64(_LIMB_BITS)
    return [low & _LIMB_MASK, middle.astype(np.int64), high & _LIMB_MASK, high >> _LIMB_BITS]


def sum_by_slot(values: pa.Array, ids: Int64s, slots: int) -> list[Int64s]:
    """The sum of a null-free column of longs or decimals for each slot, in limbs."""
    if pa.types.is_int64(values.type) and _cannot_overflow(values.to_numpy()):
        # most numbers are small and need one addition instead of two; the bound covers every intermediate sum
        return normalised([_add(values.to_numpy(), ids, slots), np.zeros(slots, np.int64)])
    return normalised([_add(limb, ids, slots) for limb in limbs(values)])


def _cannot_overflow(numbers: Int64s) -> bool:
    if not len(numbers):
        return True
    return max(abs(int(numbers.min())), abs(int(numbers.max()))) * len(numbers) < _SAFE


def _add(numbers: Int64s, ids: Int64s, slots: int) -> Int64s:
    total = np.zeros(slots, np.int64)
    # not `bincount` with weights, which adds doubles: integers above 2**53 would lose their last digits
    np.add.at(total, ids, numbers)
    return total


def normalised(parts: Sequence[Int64s]) -> list[Int64s]:
    """The same numbers with every limb but the last in `[0, 2**32)`."""
    result = []
    carry: Int64s | int = 0
    for part in parts[:-1]:
        whole = part + carry
        result.append(whole & _LIMB_MASK)
        carry = whole >> _LIMB_BITS
    return [*result, parts[-1] + carry]


def longs(parts: Sequence[Int64s]) -> tuple[Int64s, npt.NDArray[np.bool_]]:
    """Return the int64 values of two normalised limbs, and which of them fit."""
    low, high = parts
    fits = (high >= -(2**31)) & (high < 2**31)
    return (high << _LIMB_BITS) | low, fits


def integers(parts: Sequence[Int64s]) -> list[int]:
    """Normalised limbs as Python ints: for decimals, and for the few longs that a double cannot hold."""
    totals = [0] * len(parts[0])
    for part in reversed(parts):
        totals = [(total << _LIMB_BITS) + limb for total, limb in zip(totals, part.tolist(), strict=True)]
    return totals
