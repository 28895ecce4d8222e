"""Laws that hold for every sequence of elements."""

import itertools
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace

from hypothesis import given
from hypothesis import strategies as st

from streaming.temporal.clock import JudgedElement, LaneClock, LaneClockState
from streaming.temporal.events import Cti, EdgeKind, Event, edge_end, edge_start, interval, point
from streaming.temporal.open_edges import OpenEdge
from streaming.temporal.outcomes import IN_TIME, QUARANTINED, Outcome, Reason
from streaming.temporal.settings import AdvanceTime, Basis, Future, Generate, Late, LateEnd
from streaming.temporal.ticks import INFINITY, Tick, Ticks


@dataclass(frozen=True)
class Raise:
    """A lower bound that does not come from the lane: an import, a return from idleness, a heartbeat."""

    to: Tick


@dataclass(frozen=True)
class Arrived:
    """An event whose arrival is known."""

    event: Event
    arrival: Tick


Element = Event | Arrived | Cti | Raise | Reason

starts = st.integers(-20, 60)
payloads = st.sampled_from([{}, {"k": "a"}])
lengths = st.integers(1, 30)
points = st.builds(point, starts, payloads)
intervals = st.builds(lambda at, length, payload: interval(at, at + length, payload), starts, lengths, payloads)
edges = st.one_of(
    st.builds(edge_start, st.integers(0, 8), payloads),
    st.builds(lambda at, length, payload: edge_end(at, at + length, payload), st.integers(0, 8), lengths, payloads),
)
ctis = st.builds(lambda at: Cti(Tick(at)), st.one_of(starts, starts, starts, st.just(INFINITY)))
bad = st.sampled_from([Reason.BAD_ROW, Reason.BAD_TIME, Reason.BAD_PAYLOAD])
raises = st.builds(lambda at: Raise(Tick(at)), starts)
arrived_whole = st.builds(lambda event, at: Arrived(event, Tick(at)), st.one_of(points, intervals), starts)
arrived = st.one_of(arrived_whole, st.builds(lambda event, at: Arrived(event, Tick(at)), edges, starts))
elements = st.lists(st.one_of(points, intervals, edges, edges, arrived, ctis, raises, bad), max_size=40)
stopped = elements.flatmap(lambda drawn: st.tuples(st.just(drawn), st.integers(0, len(drawn))))

delays = st.integers(-10, 30).map(Ticks)
generates = st.one_of(
    st.none(),
    st.builds(
        Generate,
        delays,
        every_count=st.integers(1, 4),
        basis=st.sampled_from(Basis),
        minimum_gap=st.sampled_from((0, 0, 3)).map(Ticks),
    ),
    st.builds(Generate, delays, every_ticks=st.integers(1, 15).map(Ticks), basis=st.sampled_from(Basis)),
)
settings = st.builds(
    AdvanceTime,
    generates,
    st.sampled_from(Late),
    st.sampled_from(LateEnd),
    late_arrival=st.one_of(st.none(), st.integers(0, 30).map(Ticks)),
    max_ahead=st.integers(1, 20).map(Ticks),
    future=st.sampled_from(Future),
)


def feed(clock: LaneClock, element: Element) -> JudgedElement | None:
    match element:
        case Cti():
            clock.take_cti(element)
            return None
        case Raise():
            clock.raise_to(element.to)
            return None
        case Arrived():
            return clock.take(element.event, element.arrival)
        case Reason():
            return clock.take_malformed(element)
    return clock.take(element)


def run(clock: LaneClock, sequence: Sequence[Element]) -> list[JudgedElement]:
    return [judged for element in sequence if (judged := feed(clock, element)) is not None]


@given(settings, elements)
def test_outcomes_add_up_to_what_was_received(advance: AdvanceTime, sequence: list[Element]) -> None:
    judged = run(LaneClock(advance), sequence)
    received = sum(not isinstance(element, Cti | Raise) for element in sequence)
    assert Counter(each.outcome for each in judged).total() == received


@given(settings, elements)
def test_ctis_never_go_back_and_each_emitted_one_moves_the_lane(advance: AdvanceTime, sequence: list[Element]) -> None:
    clock = LaneClock(advance)
    for element in sequence:
        if isinstance(element, Arrived):
            clock.take_arrival(element.arrival)
        before = clock.cti
        judged = feed(clock, element)
        assert clock.cti >= before
        if judged is not None:
            assert (judged.cti_met, judged.cti_after) == (before, clock.cti)
            assert judged.emitted == (clock.cti if clock.cti > before else None)


@given(settings, elements)
def test_what_is_enqueued_violates_no_cti_unless_the_policy_is_keep(
    advance: AdvanceTime, sequence: list[Element]
) -> None:
    for judged in run(LaneClock(advance), sequence):
        if judged.event is not None and judged.outcome is not Outcome.LATE_KEPT:
            assert judged.event.sync >= judged.cti_met


@given(settings, elements)
def test_nothing_is_enqueued_exactly_when_the_outcome_is_one_of_quarantine(
    advance: AdvanceTime, sequence: list[Element]
) -> None:
    for judged in run(LaneClock(advance), sequence):
        assert (judged.event is None) == (judged.outcome in QUARANTINED)
        assert (judged.reason is None) <= (judged.outcome not in QUARANTINED)


@given(settings, elements)
def test_only_violations_have_a_lateness_and_it_is_positive(advance: AdvanceTime, sequence: list[Element]) -> None:
    for judged in run(LaneClock(advance), sequence):
        assert judged.lateness is None or judged.lateness > 0
        if judged.outcome in IN_TIME:
            assert judged.lateness is None
            assert judged.moved_by is None


@given(settings, elements)
def test_an_enqueued_event_has_a_lifetime_unless_it_erases_an_edge(
    advance: AdvanceTime, sequence: list[Element]
) -> None:
    for judged in run(LaneClock(advance), sequence):
        if judged.event is not None:
            assert (judged.event.start < judged.event.end) == (judged.reason is not Reason.VANISHED)


@given(settings, elements)
def test_every_enqueued_end_closes_an_enqueued_start(advance: AdvanceTime, sequence: list[Element]) -> None:
    opened: Counter[tuple[int, str]] = Counter()
    for judged in run(LaneClock(advance), sequence):
        if judged.event is None or judged.event.edge is None:
            continue
        key = (judged.event.start, str(judged.event.payload))
        opened[key] += 1 if judged.event.edge is EdgeKind.START else -1
        assert opened[key] >= 0


@given(settings, stopped)
def test_a_stop_and_a_restart_from_the_state_change_nothing(
    advance: AdvanceTime, run_and_stop: tuple[list[Element], int]
) -> None:
    sequence, stop = run_and_stop
    whole = LaneClock(advance)
    expected = run(whole, sequence)
    first = LaneClock(advance)
    judged = run(first, sequence[:stop])
    second = LaneClock(advance, reread(first.state()))
    assert asdict(second.state()) == asdict(first.state())
    assert judged + run(second, sequence[stop:]) == expected
    assert asdict(second.state()) == asdict(whole.state())


def test_a_clock_remembers_every_field_of_its_state() -> None:
    edges = (OpenEdge(Tick(1), "{}", Tick(10)), OpenEdge(Tick(1), "{}", None), OpenEdge(Tick(2), "{}", Tick(10)))
    state = LaneClockState(
        cti=Tick(10),
        largest_start=Tick(20),
        largest_sync=Tick(21),
        since_cti=2,
        produced_at=Tick(13),
        cti_suppressed=3,
        open_edges=edges,
        fixed_cti=Tick(9),
    )
    assert all(getattr(state, field.name) != field.default for field in fields(state))
    assert asdict(LaneClock(AdvanceTime(), reread(state)).state()) == asdict(state)


def reread(state: LaneClockState) -> LaneClockState:
    """Return the state after a round trip through JSON."""
    raw = json.loads(json.dumps(asdict(state)))
    edges = tuple(OpenEdge(**edge) for edge in raw.pop("open_edges"))
    return LaneClockState(**raw, open_edges=edges)


@given(st.lists(st.one_of(points, intervals), max_size=12), st.integers(-20, 60), st.data())
def test_the_order_between_two_ctis_changes_nothing_of_what_is_enqueued(
    events: list[Event], cti: int, data: st.DataObject
) -> None:
    in_time = [event for event in events if event.sync >= cti]
    shuffled = data.draw(st.permutations(in_time))
    enqueued = []
    for order in (in_time, shuffled):
        clock = LaneClock(AdvanceTime())
        clock.take_cti(Cti(Tick(cti)))
        judged = run(clock, order)
        assert all(each.outcome in IN_TIME for each in judged)
        enqueued.append(
            Counter((each.event.start, each.event.end, str(each.event.payload)) for each in judged if each.event)
        )
    assert enqueued[0] == enqueued[1]


@given(st.lists(points, max_size=20), st.integers(-20, 60))
def test_no_policy_changes_what_is_in_time(events: list[Event], cti: int) -> None:
    for late in Late:
        clock = LaneClock(AdvanceTime(late=late))
        clock.take_cti(Cti(Tick(cti)))
        for judged in run(clock, events):
            if judged.original is not None and judged.original.sync >= cti:
                assert judged.event == judged.original


@given(settings, elements)
def test_the_fixed_cti_is_part_of_the_lanes_and_never_goes_back(advance: AdvanceTime, sequence: list[Element]) -> None:
    clock = LaneClock(advance)
    for element in sequence:
        before = clock.fixed_cti
        feed(clock, element)
        assert before <= clock.fixed_cti <= clock.cti
    if advance.generate is None:
        assert clock.fixed_cti == clock.cti


@given(settings, st.lists(st.one_of(points, intervals, arrived, ctis, raises), max_size=30))
def test_the_smallest_delay_that_keeps_a_late_event_is_its_lateness_more(
    advance: AdvanceTime, sequence: list[Element]
) -> None:
    generate = advance.generate
    if generate is None or generate.minimum_gap:
        return
    judged = run(LaneClock(advance), sequence)
    for place, late in enumerate(judged):
        if late.lateness is None or late.original is None or late.original.edge is not None:
            continue
        fixed = late.fixed_cti > late.original.sync
        for more, kept in ((late.lateness, not fixed), (late.lateness - 1, False), (1000, not fixed)):
            delay = Ticks(generate.delay + more)
            patient = run(LaneClock(replace(advance, generate=replace(generate, delay=delay))), sequence)
            assert (patient[place].lateness is None) == kept


@given(settings, elements)
def test_without_arrivals_the_guard_and_the_arrival_bound_do_nothing(
    advance: AdvanceTime, sequence: list[Element]
) -> None:
    unknown = [element.event if isinstance(element, Arrived) else element for element in sequence]
    plain = AdvanceTime(advance.generate, advance.late, advance.late_end)
    assert run(LaneClock(advance), unknown) == run(LaneClock(plain), unknown)


@given(settings, st.lists(st.one_of(points, intervals, arrived_whole, ctis), max_size=30))
def test_events_from_the_future_change_nothing_for_all_others_unless_they_are_accepted(
    advance: AdvanceTime, sequence: list[Element]
) -> None:
    advance = replace(advance, late_arrival=None)
    honest = [element for element in sequence if not is_early(element, advance)]
    if advance.future is Future.ACCEPT:
        return
    clock = LaneClock(advance)
    judged = [(is_early(element, advance), feed(clock, element)) for element in sequence]
    expected = LaneClock(advance)
    assert [each for early, each in judged if each and not early] == run(expected, honest)
    assert clock.state() == expected.state()


def is_early(element: Element, advance: AdvanceTime) -> bool:
    return isinstance(element, Arrived) and element.event.start - element.arrival > advance.max_ahead


@given(st.integers(1, 20).map(Ticks), delays, st.lists(points, max_size=30))
def test_generated_ctis_are_at_least_the_minimum_gap_apart(gap: Ticks, delay: Ticks, events: list[Event]) -> None:
    generate = Generate(delay, every_count=1, basis=Basis.MAX, minimum_gap=gap)
    emitted = [each.emitted for each in run(LaneClock(AdvanceTime(generate, Late.KEEP)), events)]
    moved = [cti for cti in emitted if cti is not None]
    assert all(after - before >= gap for before, after in itertools.pairwise(moved))
    if events:  # and no further behind than that
        assert max(event.start for event in events) - delay - moved[-1] < gap
