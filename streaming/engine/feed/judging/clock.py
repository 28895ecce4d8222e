"""The clock of one lane over columns: judges points and intervals and generates CTIs, exactly as temporal.LaneClock."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from streaming.engine.columns.masks import rows_where
from streaming.temporal.clock import LaneClockState
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import AdvanceTime, Basis, Future, Generate, Late
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, NO_CTI, Tick
from streaming.wire.rows.arrived import Int64s, RowKind

OUTCOMES: Final = tuple(Outcome)
"""Outcome by code: columns hold the index into this tuple as int8."""
CODE: Final = {outcome: code for code, outcome in enumerate(OUTCOMES)}
NOT_AN_EVENT: Final = -1
"""The code of a CTI row, which has no outcome."""
REASONS: Final = tuple(Reason)
"""Reason by code: columns hold the index into this tuple as int8."""
REASON_CODE: Final = {reason: code for code, reason in enumerate(REASONS)}
NO_REASON: Final = -1
"""The code of no reason."""
_WIDEST: Final = 2**62
"""Delays and durations are clamped to this; larger ones have the same effect, and the arithmetic stays in int64."""
NONE: Final = np.empty(0, np.int64)
_ROWS_PER_SEARCH: Final = 100
"""One search costs about as much as looking up this many rows at once."""

Codes = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RowwiseDetails:
    """Details that only a row-by-row clock has; arrays have one entry for each row.

    `flag` is OPEN or CLOSE for the rows of edges and WHOLE for all others. `opened` is the position of the start of the
    edge that an enqueued row opens or closes. `reason` holds codes of REASONS, NO_REASON for rows without one, and
    `moved_by` how far the policy moved a row that it adjusted or shifted, 0 for all others.
    """

    flag: Codes
    opened: Int64s
    reason: Codes
    moved_by: Int64s


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of the rows of a chunk; arrays have one entry for each row.

    `outcome` holds codes of OUTCOMES, NOT_AN_EVENT for CTI rows. `cti_met` is the lane's CTI before the row. `start`
    and `end` are the lifetime after the policy. `kept` marks the rows that are enqueued, None if all are. `violated`
    lists, by index, the rows with `sync < cti_met`; `lateness` is by how much. `behind` has `M - sync` of each event
    that moves the clock, its distance to the largest time so far. `after_end` lists the rows that came
    after CTI infinity. `step_row` and `step_cti` are the CTIs that moved the lane, each after its row; a CTI that
    precedes a row is listed after the previous row, -1 for the first. `horizon` is the largest finite time among all
    these, NO_CTI without any (T4).
    """

    outcome: Codes
    cti_met: Int64s
    start: Int64s
    end: Int64s
    kept: Mask | None
    violated: Int64s
    lateness: Int64s
    behind: Int64s
    after_end: Int64s
    step_row: Int64s
    step_cti: Int64s
    horizon: int
    rowwise: RowwiseDetails | None = None


def judge(
    settings: AdvanceTime,
    state: LaneClockState,
    kind: Codes,
    start: Int64s,
    end: Int64s,
    arrival: Int64s | None = None,
) -> tuple[Judgement, LaneClockState]:
    """Judge points and intervals of one chunk of a lane in arrival order (T4, T6, T7, T8, T12, T18).

    Shapes: `kind` (RowKind codes), `start`, `end` and `arrival` (NO_CTI if unknown; None: all unknown) of equal length;
    a CTI row has its CTI in `start`. Also returns the state after the chunk: cutting a lane's rows into chunks
    anywhere, and passing each state on, changes no entry. Edges, and settings with `late_arrival`, need `rowwise`.
    """
    rows = len(kind)
    early = _early(settings, kind, start, arrival)
    plain = state.cti != INFINITY and early is None and not kind.any()  # RowKind.INSERT is 0: only events
    live_rows = rows if plain else _rows_until_infinity(state, kind, start)
    early = None if early is None else early & (np.arange(rows) < live_rows)
    kind_live, start_live = kind[:live_rows], start[:live_rows]
    inserts = None if plain else _counted(kind_live, early)
    starts = start_live if inserts is None else start_live[inserts]
    running = _running(starts, state.largest_start)
    explicit = NONE if plain else rows_where(kind_live == RowKind.CTI)
    due, generated, after = _generate(settings.generate, state, starts, running)
    due = due if inserts is None else inserts[due]
    if settings.generate is not None and settings.generate.minimum_gap:
        due, generated = _spaced(settings.generate.minimum_gap, state.cti, due, generated, explicit, start_live)
    row, value = _steps(due, generated, explicit, start_live)
    tops = np.maximum.accumulate(np.concatenate(([state.cti], value)))  # each counts from the row after its own
    met = _spread(tops, row, live_rows, rows)
    outcome, held = _outcomes(settings.future, kind, start, early, _CountedEvents(inserts, starts, running, state))
    largest = int(running[-1]) if len(running) else state.largest_start
    moved = tops[1:] > tops[:-1]
    after = replace(
        after,
        cti=Tick(int(tops[-1])),
        largest_start=Tick(largest),
        largest_sync=Tick(largest),
        cti_suppressed=state.cti_suppressed
        + int((value < tops[:-1]).sum())
        + _suppressed_after(kind, start, live_rows),
        fixed_cti=Tick(int(start_live[explicit].max(initial=state.fixed_cti))) if len(explicit) else state.fixed_cti,
    )
    judged = Judgement(
        outcome=outcome,
        cti_met=met,
        start=start,
        end=end,
        kept=None if plain else _enqueued(settings.future, kind, early),
        violated=_violations(inserts, held, start_live, met),
        lateness=NONE,
        behind=np.subtract(running, starts, out=running),  # nothing else reads `running` from here on
        after_end=NONE if live_rows == rows else live_rows + rows_where(kind[live_rows:] != RowKind.CTI),
        step_row=row[moved],
        step_cti=value[moved],
        horizon=_horizon(largest, tops, NONE if held is None else start[held]),
    )
    return _apply_policy(settings.late, judged), after


def _running(starts: Int64s, largest: int) -> Int64s:
    """Return the largest of `starts` up to each of them, and of `largest` before them, in a new array."""
    running = np.maximum.accumulate(starts) if len(starts) else np.empty(0, np.int64)
    return np.maximum(running, largest, out=running) if len(starts) and largest > running[0] else running


@dataclass(frozen=True, slots=True)
class _CountedEvents:
    """The events that count: their rows (None: all), their starts with the running maximum, and the previous state."""

    rows: Int64s | None
    starts: Int64s
    running: Int64s
    before: LaneClockState

    def largest_before(self, rows: Int64s) -> Int64s:
        """The largest start of the events that count before each of `rows`, which are not among them."""
        number = rows if self.rows is None else np.searchsorted(self.rows, rows)
        return np.concatenate(([self.before.largest_start], self.running))[number]


def _outcomes(
    future: Future, kind: Codes, start: Int64s, early: Mask | None, counted: _CountedEvents
) -> tuple[Codes, Int64s | None]:
    """Return the outcome of every row but late ones, and the events that are held, by index (None: none; T12, T18)."""
    outcome = _in_time(counted.starts, counted.running)
    if counted.rows is None:
        return outcome, None
    spread = np.where(kind == RowKind.CTI, np.int8(NOT_AN_EVENT), np.int8(CODE[Outcome.MALFORMED]))
    spread[kind == RowKind.OVERLAP] = CODE[Outcome.OVERLAP]
    spread[counted.rows] = outcome
    if early is None:
        return spread, None
    rows = rows_where(early)
    if future is Future.DROP:
        spread[rows] = CODE[Outcome.DROPPED_EARLY]
        return spread, None
    spread[rows] = _in_time(start[rows], np.maximum(start[rows], counted.largest_before(rows)))
    return spread, rows


def _spread(tops: Int64s, row: Int64s, live_rows: int, rows: int) -> Int64s:
    """Return the CTI that each of `rows` rows meets.

    `tops` are the previous CTI and those after the rows `row`, rising; after the live rows the last one counts.
    """
    bounds = np.empty(len(row) + 3, np.int64)
    bounds[0], bounds[1:-2], bounds[-2], bounds[-1] = 0, row + 1, live_rows, rows
    values = np.empty(len(tops) + 1, np.int64)
    values[:-1], values[-1] = tops, tops[-1]
    return np.repeat(values, bounds[1:] - bounds[:-1])


def _in_time(starts: Int64s, running: Int64s) -> Codes:
    return np.where(running == starts, np.int8(CODE[Outcome.ON_TIME]), np.int8(CODE[Outcome.REORDERED]))


def _early(settings: AdvanceTime, kind: Codes, start: Int64s, arrival: Int64s | None) -> Mask | None:
    """Return the events too far ahead of their arrival (T18); None without such events."""
    if arrival is None or settings.future is Future.ACCEPT:
        return None
    ahead = start - np.where(arrival == NO_CTI, start, arrival)
    early: Mask = (ahead > min(settings.max_ahead, _WIDEST)) & (kind == RowKind.INSERT)
    return early if early.any() else None


def _counted(kind: Codes, early: Mask | None) -> Int64s:
    """The events that count for the clock, by index."""
    counted = kind == RowKind.INSERT
    if early is not None:
        counted &= ~early[: len(kind)]
    return rows_where(counted)


def _enqueued(future: Future, kind: Codes, early: Mask | None) -> Mask:
    kept: Mask = kind == RowKind.INSERT
    return kept & ~early if early is not None and future is Future.DROP else kept


def _horizon(largest: int, tops: Int64s, held: Int64s) -> int:
    """Return the largest finite time of a chunk: of the events that count, of the starts `held`, and of CTIs."""
    finite = int(tops[-1]) if tops[-1] != INFINITY else int(tops[tops != INFINITY].max(initial=NO_CTI))
    return max(largest, finite, int(held.max()) if len(held) else NO_CTI)


def _rows_until_infinity(state: LaneClockState, kind: Codes, start: Int64s) -> int:
    """Return the number of rows up to and including the CTI INFINITY: all without one, none if it came before."""
    if state.cti == INFINITY:
        return 0
    ends = rows_where((kind == RowKind.CTI) & (start == INFINITY))
    return int(ends[0]) + 1 if len(ends) else len(kind)


def _suppressed_after(kind: Codes, start: Int64s, live_rows: int) -> int:
    """Count the CTIs below infinity after infinity: each would move back (T4)."""
    if live_rows == len(kind):
        return 0
    return int(((kind[live_rows:] == RowKind.CTI) & (start[live_rows:] < INFINITY)).sum())


def _violations(inserts: Int64s | None, held: Int64s | None, start: Int64s, met: Int64s) -> Int64s:
    """The events before their CTI, by index, among the live rows."""
    if inserts is None:
        return rows_where(start < met)
    rows = inserts if held is None else np.union1d(inserts, held)
    return rows[start[rows] < met[rows]]


def _steps(due: Int64s, generated: Int64s, explicit: Int64s, start: Int64s) -> tuple[Int64s, Int64s]:
    """Generated and explicit CTIs together in order of the rows after which they take effect."""
    if not len(explicit):
        return due, generated
    row = np.concatenate((due, explicit))
    order = np.argsort(row, kind="stable")
    return row[order], np.concatenate((generated, start[explicit]))[order]


def _spaced(
    gap: int, cti: int, due: Int64s, generated: Int64s, explicit: Int64s, start: Int64s
) -> tuple[Int64s, Int64s]:
    """Return the generated CTIs that are at least `gap` above their lane's CTI at that time (T9).

    `cti` is the lane's previous CTI; `explicit` are the rows with explicit CTIs, whose values are in `start`.
    """
    chosen = []
    first = 0
    bounds = [*np.searchsorted(due, explicit).tolist(), len(due)]
    raised = [*start[explicit].tolist(), NO_CTI]
    for bound, value in zip(bounds, raised, strict=True):
        if bound > first:
            taken = first + _producers(min(gap, _WIDEST), cti, generated[first:bound])
            chosen.append(taken)
            cti = int(generated[taken[-1]]) if len(taken) else cti
        first, cti = bound, max(cti, value)
    rows = np.concatenate([np.empty(0, np.int64), *chosen])
    return due[rows], generated[rows]


def _generate(
    generate: Generate | None, state: LaneClockState, starts: Int64s, running: Int64s
) -> tuple[Int64s, Int64s, LaneClockState]:
    """Return the received events that generate a CTI, these CTIs (saturated), and the state of the rule after them."""
    if generate is None or not len(starts):
        return np.empty(0, np.int64), np.empty(0, np.int64), state
    if generate.every_count is not None:
        every = generate.every_count
        due = np.arange(every - state.since_cti - 1, len(starts), every, dtype=np.int64)
        state = replace(state, since_cti=(state.since_cti + len(starts)) % every)
    else:
        due = _producers(max(1, min(generate.every_ticks or 1, _WIDEST)), state.produced_at, starts)
        if len(due):
            state = replace(state, produced_at=Tick(int(starts[due[-1]])))
    basis = starts[due] if generate.basis is Basis.LAST else running[due]
    delay = min(max(generate.delay, -_WIDEST), _WIDEST)
    return due, np.minimum(np.maximum(basis - delay, FIRST_TICK), LAST_TICK + 1), state


def _producers(every: int, produced_at: int | None, starts: Int64s) -> Int64s:
    """Return the events that are at least `every` after the previous producer (T7).

    Producers only grow, so the next one is the first event at which the running maximum reaches the last one's start
    plus `every`.
    """
    first = 0 if produced_at is None else _first_reaching(starts, produced_at + every)
    if first >= len(starts):
        return np.empty(0, np.int64)
    reached = np.maximum.accumulate(starts[first:])
    most = (int(reached[-1]) - int(reached[0])) // every
    if most * _ROWS_PER_SEARCH < len(reached):  # few CTIs: a search for each costs less than one for every row
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
    """Apply the table of TEMPORAL.md section 3 to the rows that violated their CTI, and to the rows after the end."""
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
