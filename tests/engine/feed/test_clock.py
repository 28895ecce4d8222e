"""The columnar clock agrees with temporal.LaneClock on every row, however the rows are cut."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.engine.feed.judging.clock import CODE, NOT_AN_EVENT, OUTCOMES, Judgement, judge
from streaming.temporal.clock import JudgedElement, LaneClock, LaneClockState
from streaming.temporal.events import Cti, Event
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import AdvanceTime, Basis, Future, Generate, Late
from streaming.temporal.ticks import INFINITY, LAST_TICK, NO_CTI, Tick, Ticks
from streaming.wire.rows.arrived import RowKind

Row = tuple[RowKind, int, int, int]
"""Kind, start, end, arrival."""

TIMES = st.one_of(st.integers(-30, 60), st.sampled_from([LAST_TICK, -62_135_596_800_000_000]))
LENGTHS = st.one_of(st.just(1), st.integers(1, 40), st.just(INFINITY))


ARRIVALS = st.one_of(st.just(NO_CTI), st.integers(-30, 60))


def insert(start: int, length: int, arrival: int = NO_CTI) -> Row:
    return RowKind.INSERT, start, INFINITY if length == INFINITY else start + length, arrival


def cti(at: int) -> Row:
    return RowKind.CTI, at, 0, NO_CTI


INSERTS = st.builds(insert, TIMES, LENGTHS, ARRIVALS)
CTIS = st.builds(cti, st.one_of(TIMES, st.just(INFINITY)))
MALFORMED: Row = (RowKind.MALFORMED, 77, 3, 5)
ROWS = st.lists(st.one_of(INSERTS, INSERTS, INSERTS, CTIS, st.just(MALFORMED)), max_size=60)
DELAYS = st.one_of(st.integers(-20, 20), st.sampled_from([2**70, -(2**70)]))
GAPS = st.one_of(st.just(0), st.just(0), st.integers(1, 30), st.just(2**61))
BY_COUNT = st.builds(
    Generate, delay=DELAYS, every_count=st.integers(1, 4), basis=st.sampled_from(Basis), minimum_gap=GAPS
)
LENGTHS_OF_TIME = st.one_of(st.integers(1, 30), st.just(2**66))
BY_TIME = st.builds(Generate, delay=DELAYS, every_ticks=LENGTHS_OF_TIME, basis=st.sampled_from(Basis), minimum_gap=GAPS)
SETTINGS = st.builds(
    AdvanceTime,
    generate=st.one_of(st.none(), BY_COUNT, BY_TIME),
    late=st.sampled_from(Late),
    max_ahead=st.one_of(st.integers(0, 40), st.just(2**66)),
    future=st.sampled_from(Future),
)


def take(clock: LaneClock, row: Row) -> JudgedElement | None:
    kind, start, end, arrival = row
    if kind is RowKind.CTI:
        clock.take_cti(Cti(Tick(start)))
        return None
    if kind is RowKind.MALFORMED:
        return clock.take_malformed(Reason.BAD_TIME)
    return clock.take(Event(Tick(start), Tick(end), {}), None if arrival == NO_CTI else Tick(arrival))


def counts(clock: LaneClock, row: Row, judged: JudgedElement) -> bool:
    """Return true if an element moves the clock: an event neither after the end nor from the future (T4, T18)."""
    if judged.original is None or judged.reason is Reason.AFTER_END:
        return False
    return not clock.is_early(judged.original, None if row[3] == NO_CTI else Tick(row[3]))


def columns(rows: list[Row]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    kind, *times = zip(*rows, strict=True) if rows else ((), (), (), ())
    start, end, arrival = (np.array(each, np.int64) for each in times)
    return np.array(kind, np.int8), start, end, arrival


def in_chunks(advance: AdvanceTime, rows: list[Row], cuts: set[int]) -> tuple[list[Judgement], LaneClockState]:
    state, judgements = LaneClockState(), []
    edges = sorted({0, len(rows), *(cut for cut in cuts if cut < len(rows))})
    for first, last in pairwise(edges):
        judged, state = judge(advance, state, *columns(rows[first:last]))
        judgements.append(judged)
    return judgements, state


def largest_time(advance: AdvanceTime, rows: list[Row]) -> int:
    """Return the largest finite time that a lane clock has met (T4).

    Counting or enqueued events and CTIs are included.
    """
    clock, seen = LaneClock(advance), [NO_CTI]
    for row in rows:
        judged = take(clock, row)
        if judged is not None and judged.event is not None and judged.original is not None:
            seen.append(judged.original.sync)
        seen += [clock.largest_sync, *([clock.cti] if clock.cti != INFINITY else [])]
    return max(seen)


@given(SETTINGS, ROWS, st.sets(st.integers(0, 60), max_size=6))
@settings(max_examples=400, deadline=None)
def test_every_row_is_judged_as_the_lane_clock_judges_it(advance: AdvanceTime, rows: list[Row], cuts: set[int]) -> None:
    clock = LaneClock(advance)
    expected, ctis, behind = [], [], []
    for row in rows:
        before = clock.cti
        judged = take(clock, row)
        expected.append((before, judged))
        if judged is not None and counts(clock, row, judged):
            behind.append(clock.largest_sync - row[1])
        if clock.cti != before:
            ctis.append(clock.cti)
    judgements, state = in_chunks(advance, rows, cuts)
    seen = []
    for judgement in judgements:
        lateness = dict(zip(judgement.violated.tolist(), judgement.lateness.tolist(), strict=True))
        for i, code in enumerate(judgement.outcome.tolist()):
            kept = judgement.kept is None or judgement.kept[i]
            lifetime = (int(judgement.start[i]), int(judgement.end[i])) if kept else None
            outcome = None if code == NOT_AN_EVENT else OUTCOMES[code]
            seen.append((int(judgement.cti_met[i]), outcome, lifetime, lateness.get(i)))
    assert seen == [
        (met, j and j.outcome, (j.event.start, j.event.end) if j and j.event else None, j and j.lateness)
        for met, j in expected
    ]
    assert [cti for judgement in judgements for cti in judgement.step_cti.tolist()] == ctis
    assert [each for judgement in judgements for each in judgement.behind.tolist()] == behind
    assert max((judgement.horizon for judgement in judgements), default=NO_CTI) == largest_time(advance, rows)
    assert state == replace(clock.state(), fixed_cti=state.fixed_cti)


@given(ROWS)
def test_the_largest_cti_that_no_event_made_is_remembered(rows: list[Row]) -> None:
    clock = LaneClock(AdvanceTime(Generate(delay=Ticks(3), every_count=2)))
    for row in rows:
        take(clock, row)
    _, state = judge(AdvanceTime(Generate(delay=Ticks(3), every_count=2)), LaneClockState(), *columns(rows))
    assert state == clock.state()


def test_rows_after_infinity_are_listed_malformed_ones_too() -> None:
    judged, state = judge(AdvanceTime(), LaneClockState(), *columns([cti(INFINITY), insert(5, 1), MALFORMED, cti(3)]))
    assert judged.after_end.tolist() == [1, 2]
    dropped = CODE[Outcome.DROPPED_LATE]
    assert judged.outcome.tolist() == [NOT_AN_EVENT, dropped, dropped, NOT_AN_EVENT]
    assert state.cti_suppressed == 1


def test_a_step_is_at_the_row_that_generated_it() -> None:
    advance = AdvanceTime(Generate(delay=Ticks(0), every_count=2), Late.KEEP)
    rows = [insert(3, 1), insert(9, 1), insert(4, 1), insert(12, 1)]
    judged, _ = judge(advance, LaneClockState(), *columns(rows))
    assert judged.step_row.tolist() == [1, 3]
    assert judged.step_cti.tolist() == [9, 12]
    assert judged.cti_met.tolist() == [NO_CTI, NO_CTI, 9, 9]


def test_a_cti_is_generated_only_when_it_is_a_gap_above_the_one_before_be_that_an_explicit_one() -> None:
    advance = AdvanceTime(Generate(delay=Ticks(0), every_count=1, minimum_gap=Ticks(10)), Late.KEEP)
    rows = [insert(3, 1), insert(12, 1), insert(13, 1), cti(20), insert(29, 1), insert(30, 1)]
    judged, state = judge(advance, LaneClockState(), *columns(rows))
    assert judged.step_cti.tolist() == [3, 13, 20, 30]
    assert state.cti_suppressed == 0


def test_an_event_from_the_future_is_held_without_moving_the_clock() -> None:
    advance = AdvanceTime(Generate(delay=Ticks(0), every_count=1), max_ahead=Ticks(10))
    rows = [insert(5, 1, 5), insert(100, 1, 6), insert(7, 1, 7)]
    judged, state = judge(advance, LaneClockState(), *columns(rows))
    assert [OUTCOMES[code] for code in judged.outcome.tolist()] == [Outcome.ON_TIME] * 3
    assert (state.cti, state.largest_start, judged.horizon) == (7, 7, 100)
