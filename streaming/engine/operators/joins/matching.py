"""Matching of left and right events in columns: equal keys, and `where` over the joined payload."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from streaming.engine.columns.expressions.failure_listener import FailureListener
from streaming.engine.columns.flows import Flows, Mask
from streaming.engine.columns.grouping import combine, encode, encode_integers
from streaming.engine.columns.rows import Rows
from streaming.engine.operators.joins.overlaps import CodedLifetimes, overlaps
from streaming.planning.plan import MatchSpec
from streaming.wire.execution.failures import FailureTally
from streaming.wire.rows.arrived import Int64s
from streaming.wire.rows.arrow_types import arrow_schema

Columns = Mapping[str, pa.Array]


@dataclass(frozen=True, slots=True)
class MatchedPairs:
    """Rows `left` and `right` by index, pair by pair, and the joined payload if it was made already."""

    left: Int64s
    right: Int64s
    columns: Columns | None = None


@dataclass(frozen=True)
class MatchRule:
    """The rule of `spec`: keys are equal by value, a null key equals nothing, null is not true.

    `failures` counts the pairs on which `where` fails, each time that they are evaluated.
    """

    spec: MatchSpec
    failures: FailureTally | None = None

    def keyed(self, flows: Flows) -> Flows:
        """Return the rows without null keys."""
        nulls = self.null_keys(flows)
        return flows if nulls is None else flows.where(~nulls)

    def null_keys(self, flows: Flows) -> Mask | None:
        """Return which rows have a null key; None if no row has one."""
        found: Mask | None = None
        for key in self.spec.keys:
            column = flows.columns[key]
            if column.null_count:
                nulls = column.is_null().to_numpy(zero_copy_only=False)
                found = nulls if found is None else found | nulls
        return found

    def codes(self, *sides: Flows) -> list[Int64s]:
        """Return for each side the codes of its rows: the same for equal keys, whatever the side; -1 for a null key."""
        rows = sum(map(len, sides))
        parts = [encode(pa.concat_arrays([side.columns[key] for side in sides])) for key in self.spec.keys]
        whole = combine(parts, rows)
        codes = whole.codes if whole.size <= max(4 * rows, 1 << 12) else encode_integers(whole.codes).codes
        found = []
        for side in sides:
            mine, codes = codes[: len(side)], codes[len(side) :]
            nulls = self.null_keys(side)
            found.append(mine if nulls is None else np.where(nulls, np.int64(-1), mine))
        return found

    def joined(self, left: Flows, rows: Int64s, right: Flows, others: Int64s) -> Columns:
        """Return the payload of pairs: the fields of the left, then the non-key fields of the right."""
        mine, theirs = pa.array(rows), pa.array(others)
        found = {name: column.take(mine) for name, column in left.columns.items()}
        return found | {name: right.columns[name].take(theirs) for name in self.spec.added}

    def alone(self, left: Flows) -> Columns:
        """Return the payload of left events without a right one: nulls for its fields."""
        types = arrow_schema({name: self.spec.fields[name] for name in self.spec.added})
        return {**left.columns, **{each.name: pa.nulls(len(left), each.type) for each in types}}

    def pairs(self, left: Flows, right: Flows, codes: Sequence[Int64s] | None = None) -> Iterator[MatchedPairs]:
        """All pairs that match and live at the same time, in parts."""
        if not len(left) or not len(right):
            return
        one, other = self.codes(left, right) if codes is None else codes
        for mine, theirs in overlaps(
            CodedLifetimes(one, left.start, left.end), CodedLifetimes(other, right.start, right.end)
        ):
            if self.spec.where is None:
                yield MatchedPairs(mine, theirs)
                continue
            columns = self.joined(left, mine, right, theirs)
            start = np.maximum(left.start[mine], right.start[theirs])
            end = np.minimum(left.end[mine], right.end[theirs])
            listener = None if self.failures is None else FailureListener(self.failures, self.spec.node, ("where",))
            holds = Rows(dict(columns), None, start, end, None).truth(self.spec.where, listener)
            if holds.all():
                yield MatchedPairs(mine, theirs, columns)
            elif holds.any():
                at = np.flatnonzero(holds)
                kept = {name: column.take(pa.array(at)) for name, column in columns.items()}
                yield MatchedPairs(mine[at], theirs[at], kept)


@dataclass(frozen=True)
class MatchKernel:
    """A kernel that pairs the rows of its left and its right port."""

    spec: MatchSpec

    @cached_property
    def matching(self) -> MatchRule:
        """Return the rule of this node."""
        return MatchRule(self.spec)


def latest_of(left: Int64s | None, right: Int64s | None) -> Int64s | None:
    """Return the larger of two optional columns, None if both are."""
    if left is None or right is None:
        return left if right is None else right
    return np.maximum(left, right)


def picked(column: Int64s | None, rows: Int64s) -> Int64s | None:
    """The `rows` of an optional column."""
    return None if column is None else column[rows]
