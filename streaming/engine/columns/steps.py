"""Steps between two nodes, in columns: filter, project, shift, set_duration, extend; and their effect on CTIs."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.definition.expressions.tree import Expression
from streaming.definition.payload.types import Long
from streaming.engine.columns.expressions.failure_listener import FailureListener
from streaming.engine.columns.flows import CLOSE, ENDLESS, GONE, OLD, OPEN, WHOLE, Flags, Flows, Mask
from streaming.engine.columns.rows import Rows
from streaming.planning.steps import (
    ExtendStep,
    FilterStep,
    LookStep,
    Operand,
    ProjectStep,
    SetDurationStep,
    ShiftStep,
    Step,
)
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, NO_CTI
from streaming.wire.execution.failures import FailureTally
from streaming.wire.rows.arrived import Int64s

_FARTHEST: Final = 2**60
"""Longer than the range of years (T1): a larger move also leaves that range."""


def follow(rows: Rows, steps: Iterable[Step], failures: FailureTally | None = None) -> Rows:
    """The rows after `steps`; all are whole lifetimes, and their stamps are their starts. `failures` counts (T5)."""
    for step in steps:
        rows = _stepped(rows, step, None, failures)
    return rows


def follow_flows(flows: Flows, steps: Sequence[Step], failures: FailureTally | None = None) -> Flows:
    """Return the events after `steps`, also edges and replaced rows: the results of the reference's rules, in columns.

    If the successor of an OLD row is removed, the OLD row becomes GONE. If an OLD row itself is removed, its successor
    is a new row. An edge start that gets a duration becomes WHOLE, without an id, and its CLOSE is removed.
    """
    if not steps:
        return flows
    rows, flag, late_at, stamp = flows.rows, flows.flag, flows.late_at, flows.stamp
    for step in steps:
        if isinstance(step, ShiftStep):
            late_at = None if late_at is None else _moved_times(late_at, step.by)
            stamp = None if stamp is None else np.minimum(_moved_times(stamp, step.by), LAST_TICK)
        rows = _stepped(rows, step, flag, failures)
        if isinstance(step, SetDurationStep) and flag is not None:
            flag = np.where((flag == OPEN) | (flag == ENDLESS), np.int8(WHOLE), flag)
    kept = replace(flows, flag=flag, late_at=late_at, stamp=stamp, columns={})
    if rows.source is not None:
        kept = kept.take(rows.source)
    columns = {name: rows.field(name) for name in rows.columns}
    return _settled(replace(kept, start=rows.start, end=rows.end, columns=columns, id=_ids(kept, flows, rows)))


def step_times(steps: Iterable[Step], times: Int64s) -> Int64s:
    """Return CTIs, or horizons, after `steps`; NO_CTI and INFINITY stay the same.

    Rising times stay in order, but some may become equal: shifted ones are clamped to the range of times (T1).
    """
    for step in steps:
        if isinstance(step, ShiftStep):
            times = _moved_times(times, step.by)
    return times


def later(ends: Int64s, by: int | Int64s) -> Int64s:
    """Return the `ends` moved by `by`, at most to the last tick that an end may have (T1); INFINITY stays."""
    if isinstance(by, int):
        moved = ends + np.int64(max(-_FARTHEST, min(by, _FARTHEST)))
    else:
        moved = ends + np.clip(by, -_FARTHEST, _FARTHEST)
    np.minimum(moved, LAST_TICK + 1, out=moved)
    moved[ends == INFINITY] = INFINITY
    return moved


def vanishing(flags: Flags, start: Int64s, end: Int64s) -> Mask:
    """Return which of the events retract an edge."""
    found: Mask = (flags == CLOSE) & (end <= start)
    return found


def shortened(flows: Flows, by: int) -> Flows:
    """Return whole events with their ends moved by `by`, which is negative; empty ones are removed."""
    end = later(flows.end, by)
    return settled(flows.lasting(flows.start, end), end > flows.start)


def settled(flows: Flows, kept: Mask) -> Flows:
    """Return the `kept` rows; an OLD row without its successor becomes GONE, a successor without its OLD a new row."""
    return _settled(flows.where(kept))


def _stepped(rows: Rows, step: Step, flag: Flags | None, failures: FailureTally | None) -> Rows:
    """One step; `flag` has an entry for each row of the chunk, None when all are whole."""
    listener = _listener(step, flag, failures)
    after = rows
    if not len(rows) and not isinstance(step, ProjectStep):
        return rows
    match step:
        case FilterStep():
            after = rows.pick(rows.truth(step.where, listener and listener.named("where")))
        case ProjectStep():
            columns = {
                name: rows.values(expression, of, listener and listener.named(name))
                for name, expression, of in step.columns
            }
            after = replace(rows, columns=columns, picked=None)
        case ShiftStep():
            after = _shifted(rows, step.by)
        case SetDurationStep():
            after = _lasting(rows, step.duration, flag, listener and listener.named("expression"))
        case ExtendStep():
            after = _extended(rows, step.by, flag)
        case LookStep():
            if listener is not None:
                evaluate_operands(rows, step.operands, listener)
    return after


def _listener(step: Step, flag: Flags | None, failures: FailureTally | None) -> FailureListener | None:
    """Return the listener that counts failures of the expressions of `step`; None if they are not counted."""
    if failures is None or isinstance(step, ShiftStep | ExtendStep) or not step.counted:
        return None
    if flag is None:
        return FailureListener(failures, step.node)
    return FailureListener(failures, step.node, counts=partial(_are_new, flag))


def _are_new(flag: Flags, at: Int64s) -> Mask:
    return ~np.isin(flag[at], (CLOSE, OLD, GONE))


def evaluate_operands(rows: Rows, operands: Iterable[Operand], listener: FailureListener) -> None:
    """Evaluate the operands of aggregates on `rows`, so that `listener` receives their failures."""
    for name, of, where in operands:
        own_listener = listener.named(name)
        chosen = rows if where is None else rows.pick(rows.truth(where, own_listener))
        if of is not None and len(chosen):
            chosen.values(of, of.type, own_listener)


def _shifted(rows: Rows, by: int) -> Rows:
    by = max(-_FARTHEST, min(by, _FARTHEST))
    start = rows.start + np.int64(by)
    moved = replace(rows, start=start, end=later(rows.end, by))
    inside = int(start.min()) >= FIRST_TICK and int(start.max()) <= LAST_TICK
    return moved if inside else moved.pick((start >= FIRST_TICK) & (start <= LAST_TICK))


def _lasting(rows: Rows, duration: int | Expression, flag: Flags | None, listener: FailureListener | None) -> Rows:
    if flag is not None:
        rows = rows.pick(flag[rows.sources()] != CLOSE)
    if not isinstance(duration, int):
        length = pc.fill_null(rows.values(duration, Long(), listener), 0).to_numpy()
        rows = rows.pick(length > 0)
        return replace(rows, end=later(rows.start, length[length > 0]))
    if duration <= 0:
        return rows.pick(np.zeros(len(rows), np.bool_))
    return replace(rows, end=later(rows.start, duration))


def _extended(rows: Rows, by: int, flag: Flags | None) -> Rows:
    """Return the rows with their ends moved; empty ones are removed. A row that retracts an edge still does."""
    end = later(rows.end, by)
    left = end > rows.start
    if flag is not None:
        vanished = vanishing(flag[rows.sources()], rows.start, rows.end)
        end[vanished] = rows.end[vanished]
        left |= vanished
    return replace(rows, end=end).pick(left)


def _moved_times(times: Int64s, by: int) -> Int64s:
    moved: Int64s = np.clip(times + np.int64(max(-_FARTHEST, min(by, _FARTHEST))), FIRST_TICK, LAST_TICK + 1)
    sentinel = (times == NO_CTI) | (times == INFINITY)
    moved[sentinel] = times[sentinel]
    return moved


def _ids(kept: Flows, before: Flows, rows: Rows) -> pa.Array | None:
    """The ids, without those of edge starts that have become whole lifetimes."""
    if kept.id is None or kept.flag is None or before.flag is None:
        return kept.id
    was = before.flag if rows.source is None else before.flag[rows.source]
    closed_now = (was != kept.flag) & (kept.flag == WHOLE)
    return pc.if_else(pa.array(closed_now), pa.scalar(None, pa.string()), kept.id) if closed_now.any() else kept.id


def _settled(flows: Flows) -> Flows:
    if flows.flag is None or flows.id is None:
        return flows
    old = np.flatnonzero(flows.flag == OLD)
    if not len(old):
        return flows
    fresh = flows.id.take(pa.array(np.flatnonzero(flows.flag == WHOLE)))
    replaced = pc.is_in(flows.id.take(pa.array(old)), value_set=fresh.drop_null()).to_numpy(zero_copy_only=False)
    flag = flows.flag.copy()
    flag[old[~replaced]] = GONE
    return replace(flows, flag=flag)
