"""The clock of one lane over columns: judges points and intervals and generates CTIs, exactly as temporal.LaneClock."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from streaming.temporal.outcomes import Outcome
from streaming.temporal.settings import AdvanceTime, Basis, Generate, Late
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, NO_CTI
from streaming.wire.arrived import Int64s, RowKind

OUTCOMES: Final = tuple(Outcome)
"""Outcome by code: columns hold the index into this tuple as int8."""
CODE: Final = {outcome: code for code, outcome in enumerate(OUTCOMES)}
NOT_AN_EVENT: Final = -1
"""The code of a CTI row, which has no outcome."""
_WIDEST: Final = 2**62
"""Delays and durations are held to this, beyond which all are alike; the arithmetic stays in int64."""
_ROWS_PER_SEARCH: Final = 100
"""One search costs about as much as looking up this many rows at once."""

Codes = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ClockState:
    """What the clock of a lane without edges remembers; the same values as temporal's LaneClockState."""

    cti: int = NO_CTI
    largest_start: int = NO_CTI
    since_cti: int = 0
    produced_at: int | None = None
    cti_suppressed: int = 0


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the clock made of the rows of a chunk; arrays have one entry for each row.

    `outcome` holds codes of OUTCOMES, NOT_AN_EVENT for CTI rows. `cti_met` is the lane's CTI before the row. `start`
    and `end` are the lifetime after the policy. `kept` marks the rows that are enqueued, None when all are.
    `violated` lists, by index, the rows with `sync < cti_met`; `lateness` says by how much. `after_end` lists the rows
    that came after CTI infinity. `step_row` and `step_cti` are the CTIs that moved the lane, each after its row.
    """

    outcome: Codes
    cti_met: Int64s
    start: Int64s
    end: Int64s
    kept: Mask | None
    violated: Int64s
    lateness: Int64s
    after_end: Int64s
    step_row: Int64s
    step_cti: Int64s
    state: ClockState


def judge(settings: AdvanceTime, state: ClockState, kind: Codes, start: Int64s, end: Int64s) -> Judgement:
    """Judge the rows of one chunk of a lane in arrival order (T4, T6, T7, T8, T12).

    Shapes: `kind` (RowKind codes), `start` and `end` of equal length; a CTI row has its CTI in `start`. Cutting a
    lane's rows into chunks anywhere, and passing each `state` on, changes no entry.
    """
    rows = len(kind)
    plain = state.cti != INFINITY and not kind.any()  # RowKind.INSERT is 0: nothing but events
    live_rows = rows if plain else _rows_until_infinity(state, kind, start)
    kind_live, start_live = kind[:live_rows], start[:live_rows]
    inserts = None if plain else np.flatnonzero(kind_live == RowKind.INSERT)
    starts = start_live if inserts is None else start_live[inserts]
    running = np.maximum.accumulate(starts) if len(starts) else starts
    if len(running) and state.largest_start > running[0]:
        running = np.maximum(running, state.largest_start)
    due, generated, state = _generate(settings.generate, state, starts, running)
    row, value = _steps(due if inserts is None else inserts[due], generated, kind_live, start_live)
    tops = np.maximum.accumulate(np.concatenate(([state.cti], value)))
    met = np.repeat(np.append(tops, tops[-1]), np.diff(np.concatenate(([0], row + 1, [live_rows, rows]))))
    outcome = np.where(running == starts, np.int8(CODE[Outcome.ON_TIME]), np.int8(CODE[Outcome.REORDERED]))
    if inserts is not None:
        outcome = _spread(outcome, inserts, kind)
    moved = tops[1:] > tops[:-1]
    state = replace(
        state,
        cti=int(tops[-1]),
        largest_start=int(running[-1]) if len(running) else state.largest_start,
        cti_suppressed=state.cti_suppressed
        + int((value < tops[:-1]).sum())
        + _suppressed_after(kind, start, live_rows),
    )
    return _apply_policy(
        settings.late,
        Judgement(
            outcome=outcome,
            cti_met=met,
            start=start,
            end=end,
            kept=None if plain else kind == RowKind.INSERT,
            violated=_violations(inserts, starts, met[:live_rows]),
            lateness=np.empty(0, np.int64),
            after_end=live_rows + np.flatnonzero(kind[live_rows:] != RowKind.CTI),
            step_row=row[moved],
            step_cti=value[moved],
            state=state,
        ),
    )


def _rows_until_infinity(state: ClockState, kind: Codes, start: Int64s) -> int:
    """How many rows come up to and including the CTI INFINITY; all when there is none, none when it came before."""
    if state.cti == INFINITY:
        return 0
    ends = np.flatnonzero((kind == RowKind.CTI) & (start == INFINITY))
    return int(ends[0]) + 1 if len(ends) else len(kind)


def _suppressed_after(kind: Codes, start: Int64s, live_rows: int) -> int:
    """CTIs below infinity after infinity: each goes back (T4)."""
    return int(((kind[live_rows:] == RowKind.CTI) & (start[live_rows:] < INFINITY)).sum())


def _spread(outcome: Codes, inserts: Int64s, kind: Codes) -> Codes:
    spread = np.where(kind == RowKind.CTI, np.int8(NOT_AN_EVENT), np.int8(CODE[Outcome.MALFORMED]))
    spread[inserts] = outcome
    return spread


def _violations(inserts: Int64s | None, starts: Int64s, met: Int64s) -> Int64s:
    if inserts is None:
        return np.flatnonzero(starts < met)
    return inserts[starts < met[inserts]]


def _steps(due: Int64s, generated: Int64s, kind: Codes, start: Int64s) -> tuple[Int64s, Int64s]:
    """Generated and explicit CTIs together in order of the rows after which they take effect."""
    explicit = np.flatnonzero(kind == RowKind.CTI)
    if not len(explicit):
        return due, generated
    row = np.concatenate((due, explicit))
    order = np.argsort(row, kind="stable")
    return row[order], np.concatenate((generated, start[explicit]))[order]


def _generate(
    generate: Generate | None, state: ClockState, starts: Int64s, running: Int64s
) -> tuple[Int64s, Int64s, ClockState]:
    """Which of the received events generate a CTI, which CTI (saturated), and the state of the rule after them."""
    if generate is None or not len(starts):
        return np.empty(0, np.int64), np.empty(0, np.int64), state
    if generate.every_count is not None:
        every = generate.every_count
        due = np.arange(every - state.since_cti - 1, len(starts), every, dtype=np.int64)
        state = replace(state, since_cti=(state.since_cti + len(starts)) % every)
    else:
        due = _producers(max(1, min(generate.every_ticks or 1, _WIDEST)), state.produced_at, starts)
        if len(due):
            state = replace(state, produced_at=int(starts[due[-1]]))
    basis = starts[due] if generate.basis is Basis.LAST else running[due]
    delay = min(max(generate.delay, -_WIDEST), _WIDEST)
    return due, np.clip(basis - delay, FIRST_TICK, LAST_TICK + 1), state


def _producers(every: int, produced_at: int | None, starts: Int64s) -> Int64s:
    """The events that lie at least `every` after the producer before them (T7).

    Producers only grow, so the next one is the first event at which the running maximum reaches the last one's start
    plus `every`.
    """
    first = 0 if produced_at is None else _first_reaching(starts, produced_at + every)
    if first >= len(starts):
        return np.empty(0, np.int64)
    reached = np.maximum.accumulate(starts[first:])
    most = (int(reached[-1]) - int(reached[0])) // every
    if most * _ROWS_PER_SEARCH < len(reached):
        return np.fromiter(_search(reached, every), np.int64) + first
    following = np.searchsorted(reached, reached + every)
    return np.fromiter(_chain(following.tolist()), np.int64) + first


def _search(reached: Int64s, every: int) -> Iterator[int]:
    at = 0
    while at < len(reached):
        yield at
        at = int(np.searchsorted(reached, reached[at] + every))


def _first_reaching(starts: Int64s, target: int) -> int:
    reaching = starts >= target
    first = int(reaching.argmax()) if len(starts) else 0
    return first if len(starts) and reaching[first] else len(starts)


def _chain(following: list[int]) -> Iterator[int]:
    at = 0
    while at < len(following):
        yield at
        at = following[at]


def _apply_policy(late: Late, judged: Judgement) -> Judgement:
    """The table of TEMPORAL.md section 3 for the rows that violated their CTI, and the rows after the end."""
    rows = judged.violated
    outcome, kept = judged.outcome, judged.kept
    if len(judged.after_end):
        outcome[judged.after_end] = CODE[Outcome.DROPPED_LATE]
        kept = _without(kept, judged.after_end, len(outcome))
    if not len(rows):
        return replace(judged, kept=kept)
    met, start, end = judged.cti_met[rows], judged.start[rows], judged.end[rows]
    lateness = met - start
    if late is Late.KEEP:
        outcome[rows] = CODE[Outcome.LATE_KEPT]
        return replace(judged, kept=kept, lateness=lateness)
    if late is Late.SHIFT:
        moved, end = rows, np.where(end == INFINITY, INFINITY, end + np.where(end == INFINITY, 0, lateness))
        outcome[rows] = CODE[Outcome.SHIFTED]
    else:
        alive = (end > met) & (late is Late.ADJUST)
        moved, met, end = rows[alive], met[alive], end[alive]
        outcome[rows] = CODE[Outcome.DROPPED_LATE]
        outcome[moved] = CODE[Outcome.ADJUSTED]
        kept = _without(kept, rows[~alive], len(outcome))
    if len(moved):
        judged = replace(judged, start=_with(judged.start, moved, met), end=_with(judged.end, moved, end))
    return replace(judged, kept=kept, lateness=lateness)


def _with(column: Int64s, rows: Int64s, values: Int64s) -> Int64s:
    changed = column.copy()
    changed[rows] = values
    return changed


def _without(kept: Mask | None, rows: Int64s, length: int) -> Mask | None:
    if not len(rows):
        return kept
    fewer = np.ones(length, np.bool_) if kept is None else kept.copy()
    fewer[rows] = False
    return fewer
