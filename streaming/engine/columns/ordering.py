"""Values of any type as numbers of the same order."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.numbers import Numbers

OPERATIONS: Final = {"min": np.minimum, "max": np.maximum}


def identity_of(need: str, numbers: Numbers) -> int | float:
    """Return the neutral element of the minimum (maximum) of `numbers`."""
    if numbers.dtype == np.float64:
        return np.inf if need == "min" else -np.inf
    return 2**63 - 1 if need == "min" else -(2**63)


@dataclass(frozen=True, slots=True)
class SortKeys:
    """A null-free column as numbers of the same order, with the inverse mapping."""

    numbers: Numbers
    restore: Callable[[Numbers], pa.Array]


def ordered(column: pa.Array) -> SortKeys:
    """Return numbers that compare as the values do: longs and doubles themselves, otherwise ranks (text by code point).

    Lists and structs, which have no order of their own, are compared by their elements or fields, nulls first.
    """
    kind = column.type
    if pa.types.is_int64(kind) or pa.types.is_float64(kind):
        return SortKeys(column.to_numpy(), lambda numbers: pa.array(numbers, kind))
    if pa.types.is_boolean(kind):
        numbers = column.cast(pa.int8()).to_numpy().astype(np.int64)
        return SortKeys(numbers, lambda back: pa.array(back.astype(np.bool_)))
    if pa.types.is_nested(kind):
        return _nested(column)
    encoded = pc.dictionary_encode(column)
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    values = encoded.dictionary.take(pa.array(order))
    return SortKeys(rank[encoded.indices.to_numpy()], lambda back: values.take(pa.array(back)))


def _nested(column: pa.Array) -> SortKeys:
    """Rank value by value: a rank for each different value, and the first row that has it."""
    keys = [_key(value) for value in column.to_pylist()]
    firsts: dict[Any, int] = {}
    for row, key in enumerate(keys):
        firsts.setdefault(key, row)
    ranked = sorted(firsts)
    ranks = {key: rank for rank, key in enumerate(ranked)}
    rows = np.array([firsts[key] for key in ranked], np.int64)
    return SortKeys(np.array([ranks[key] for key in keys], np.int64), lambda back: column.take(pa.array(rows[back])))


def _key(value: Any) -> tuple[Any, ...]:
    """Return a sort key: tuples of one type compare, also with nulls; null is the smallest."""
    if value is None:
        return (0,)
    inner = value.values() if isinstance(value, Mapping) else value
    return (1, tuple(map(_key, inner)) if isinstance(value, Mapping | list) else value)


def unsigned_zeros(column: pa.Array) -> pa.Array:
    """Return the column with 0.0 for -0.0: the two are equal, and the result must not depend on their order."""
    return pc.add(column, 0.0) if pa.types.is_floating(column.type) else column
