"""The columnar clock says of every row what temporal.LaneClock says, however the rows are cut."""

from dataclasses import astuple
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.engine.clock import CODE, NOT_AN_EVENT, OUTCOMES, ClockState, Judgement, judge
from streaming.temporal.clock import Judged, LaneClock
from streaming.temporal.events import Cti, Event
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import AdvanceTime, Basis, Generate, Late
from streaming.temporal.ticks import INFINITY, LAST_TICK, NO_CTI, Tick, Ticks
from streaming.wire.arrived import RowKind

Row = tuple[RowKind, int, int]

TIMES = st.one_of(st.integers(-30, 60), st.sampled_from([LAST_TICK, -62_135_596_800_000_000]))
LENGTHS = st.one_of(st.just(1), st.integers(1, 40), st.just(INFINITY))


def insert(start: int, length: int) -> Row:
    return RowKind.INSERT, start, INFINITY if length == INFINITY else start + length


ROWS = st.lists(
    st.one_of(
        st.builds(insert, TIMES, LENGTHS),
        st.builds(insert, TIMES, LENGTHS),
        st.builds(insert, TIMES, LENGTHS),
        st.builds(lambda at: (RowKind.CTI, at, 0), st.one_of(TIMES, st.just(INFINITY))),
        st.just((RowKind.MALFORMED, 77, 3)),
    ),
    max_size=60,
)
DELAYS = st.one_of(st.integers(-20, 20), st.sampled_from([2**70, -(2**70)]))
GENERATES = st.one_of(
    st.none(),
    st.builds(Generate, delay=DELAYS, every_count=st.integers(1, 4), basis=st.sampled_from(Basis)),
    st.builds(
        Generate, delay=DELAYS, every_ticks=st.one_of(st.integers(1, 30), st.just(2**66)), basis=st.sampled_from(Basis)
    ),
)
SETTINGS = st.builds(AdvanceTime, generate=GENERATES, late=st.sampled_from(Late))


def take(clock: LaneClock, row: Row) -> Judged | None:
    kind, start, end = row
    if kind is RowKind.CTI:
        clock.take_cti(Cti(Tick(start)))
        return None
    if kind is RowKind.MALFORMED:
        return clock.take_malformed(Reason.BAD_TIME)
    return clock.take(Event(Tick(start), Tick(end), {}))


def columns(rows: list[Row]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (
        np.array([row[0] for row in rows], np.int8),
        np.array([row[1] for row in rows], np.int64),
        np.array([row[2] for row in rows], np.int64),
    )


def in_chunks(advance: AdvanceTime, rows: list[Row], cuts: set[int]) -> tuple[list[Judgement], ClockState]:
    state, judgements = ClockState(), []
    edges = sorted({0, len(rows), *(cut for cut in cuts if cut < len(rows))})
    for first, last in pairwise(edges):
        judgements.append(judge(advance, state, *columns(rows[first:last])))
        state = judgements[-1].state
    return judgements, state


@given(SETTINGS, ROWS, st.sets(st.integers(0, 60), max_size=6))
@settings(max_examples=400, deadline=None)
def test_every_row_is_judged_as_the_lane_clock_judges_it(advance: AdvanceTime, rows: list[Row], cuts: set[int]) -> None:
    clock = LaneClock(advance)
    expected, ctis = [], []
    for row in rows:
        before = clock.cti
        expected.append((before, take(clock, row)))
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
    wanted = clock.state()
    produced_at = wanted.produced_at
    assert astuple(state) == (wanted.cti, wanted.largest_start, wanted.since_cti, produced_at, wanted.cti_suppressed)


def test_rows_after_infinity_are_listed_malformed_ones_too() -> None:
    rows: list[Row] = [(RowKind.CTI, INFINITY, 0), insert(5, 1), (RowKind.MALFORMED, 0, 0), (RowKind.CTI, 3, 0)]
    judged = judge(AdvanceTime(), ClockState(), *columns(rows))
    assert judged.after_end.tolist() == [1, 2]
    dropped = CODE[Outcome.DROPPED_LATE]
    assert judged.outcome.tolist() == [NOT_AN_EVENT, dropped, dropped, NOT_AN_EVENT]
    assert judged.state.cti_suppressed == 1


def test_a_step_stands_at_the_row_that_generated_it() -> None:
    advance = AdvanceTime(Generate(delay=Ticks(0), every_count=2), Late.KEEP)
    judged = judge(advance, ClockState(), *columns([insert(3, 1), insert(9, 1), insert(4, 1), insert(12, 1)]))
    assert judged.step_row.tolist() == [1, 3]
    assert judged.step_cti.tolist() == [9, 12]
    assert judged.cti_met.tolist() == [NO_CTI, NO_CTI, 9, 9]
