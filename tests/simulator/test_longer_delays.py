"""The rows that a longer delay keeps, computed from the quarantine, are those of a run with that delay."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from streaming.definition.checks.advance import temporal_settings
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from streaming.engine import execution as engine
from streaming.reference import execution as reference
from streaming.reference.executor import ReferenceRun
from streaming.simulator.longer_delays import DelayedClock, LateRows, clock_with_delay, needed_delay
from streaming.temporal.outcomes import Outcome
from streaming.temporal.settings import Late
from streaming.temporal.ticks import Ticks
from streaming.wire.execution.case import Case, CaseRow, EndMode
from streaming.wire.execution.case_execution import execution_of
from streaming.wire.execution.interface import ClockReading, Execute, HistoryMark
from streaming.wire.messages import LateEvent
from tests.reference.drawn.cases import each_operator
from tests.reference.drawn.readable import ReadableCase
from tests.reference.drawn.settings import generated, wall_clocks

KEY = st.sampled_from(("a", "b"))
S = 1_000_000
FIELDS = {"k": "string"}
GENERATE = {"every": 1, "delay": "5s"}


class Quarantine:
    """Receives the late rows of a run as they are stored."""

    def __init__(self) -> None:
        self.stored: list[dict[str, Any]] = []

    def late(self, event: LateEvent) -> None:
        self.stored.append(event.model_dump(mode="json"))

    def __getattr__(self, _: str) -> Any:
        return lambda *_: None


GRAPH = QueryGraph.model_validate(
    {
        "version": 1,
        "name": "drawn",
        "nodes": [{"id": "s", "kind": "input", "stream": "s"}, {"id": "out", "kind": "output", "input": "s"}],
    }
)


@st.composite
def clocks(draw: st.DrawFn) -> dict[str, Any]:
    """Draw settings whose CTIs all follow from generated ones: also of keys, and of lanes that are left out."""
    found: dict[str, Any] = {"preset": f"watermark({draw(st.integers(0, 6))}us)"}
    if draw(st.booleans()):
        found = {
            "generate": draw(generated()),
            "late": draw(st.sampled_from(("drop", "adjust", "adjust", "adjust", "shift"))),
        }
    if draw(st.integers(0, 4)) == 4:
        found["over"] = "k"
    return found | draw(wall_clocks())


@st.composite
def late_cases(draw: st.DrawFn) -> Case:
    """Draw one input with points or intervals, in one lane or several, with arrivals and heartbeats."""
    shape, lanes = draw(st.sampled_from(("point", "interval", "interval"))), draw(st.sampled_from((1, 1, 2, 3)))
    names = [str(lane) for lane in range(lanes)]
    stream = {"shape": shape, "fields": {"k": "string"}, "advance": draw(clocks()), "lanes": names}
    rows, now, batch = [], 0, 0
    for _ in range(draw(st.integers(2, 24))):
        now, batch = now + draw(st.integers(0, 4)), batch + (draw(st.integers(0, 5)) == 5)
        start = now - draw(st.integers(-3, 20))
        end = draw(st.sampled_from((1, 2, 3, 5, 9, None))) if shape == "interval" else 1
        fields: dict[str, Any] = {"start": start, "end": end and start + end, "payload": {"k": draw(KEY)}}
        kind = draw(st.integers(0, 9))
        fields = {"heartbeat": now} if kind == 9 else {"bad": "{"} if kind == 8 else fields
        rows.append(CaseRow("s", draw(st.sampled_from(names)), batch, fields, None if kind == 9 else now))
    streams = {"s": StreamDefinition.model_validate(stream)}
    return Case("drawn", GRAPH, streams, tuple(rows), draw(st.sampled_from((EndMode.FLUSH, EndMode.NONE))))


def with_delay(case: Case, added: int) -> ReferenceRun:
    """Run the reference with a longer delay of one input."""
    query = execution_of(case)
    found = temporal_settings(case.graph, case.streams, case.advance)
    generate = found["s"].generate
    assert generate is not None
    longer = replace(generate, delay=Ticks(generate.delay + added))
    run = ReferenceRun(case.graph, case.streams, {"s": replace(found["s"], generate=longer)})
    for batch in query.inputs.batches():
        for heard in batch:
            if isinstance(heard, ClockReading):
                run.heartbeat(heard.input, heard.at)
            elif not isinstance(heard, HistoryMark):
                for element, arrival in heard.elements():
                    run.take(heard.input, heard.lane, element, arrival)
        run.boundary()
    run.end(query.end)
    return run


@pytest.mark.parametrize("execute", [reference.execute, engine.execute], ids=["reference", "engine"])
@each_operator
@given(late_cases(), st.integers(0, 30))
def test_a_run_with_the_longer_delay_keeps_the_same_rows(execute: Execute, case: Case, drawn: int) -> None:
    """Compare at every delay from which on a row should be kept, or unchanged, and at the tick before it."""
    note(ReadableCase(case))
    assert isinstance(clock_with_delay(case.streams["s"], None), DelayedClock)
    quarantine = Quarantine()
    execute(execution_of(case), quarantine)
    late = LateRows(quarantine.stored)
    needed = [each for each in map(needed_delay, quarantine.stored) if each is not None]
    borders = {added for each in needed for added in (each.kept - 1, each.kept, each.unchanged - 1, each.unchanged)}

    dropped = {}
    for added in sorted({0, drawn, *borders} - {-1}):
        dropped[added], changed = counts(with_delay(case, added))
        assert (late.dropped_with(added), late.changed_with(added)) == (dropped[added], changed)
    for allowed in range(late.dropped + 1):
        assert late.smallest(allowed) == min(added for added, rows in dropped.items() if rows <= allowed)


def counts(run: ReferenceRun) -> tuple[int, int]:
    """Return the rows dropped late, and those adjusted or shifted."""
    found = Counter(judged.outcome for judged in run.judged.values())
    return found[Outcome.DROPPED_LATE], found[Outcome.ADJUSTED] + found[Outcome.SHIFTED]


def late_row(start: int, cti: int | None, **more: Any) -> dict[str, Any]:
    return {"start": start, "end": start + 1, "cti": cti, "outcome": "dropped_late", "policy": "drop", **more}


def test_rows_that_no_delay_keeps_stay_dropped() -> None:
    after_the_end = late_row(7, None)
    early, malformed = (
        late_row(90, 10, outcome="dropped_early"),
        late_row(0, 10) | {"start": None, "outcome": "malformed"},
    )
    late = LateRows([late_row(4, 10), after_the_end, early, malformed])
    assert (late.dropped, late.fixed, late.dropped_with(5), late.dropped_with(6)) == (2, 1, 2, 1)
    assert (late.smallest(1), late.smallest(0)) == (6, None)


def test_the_delays_to_show_are_few_and_end_with_the_last_one() -> None:
    late = LateRows(late_row(0, cti) for cti in range(1, 500))
    steps = late.steps(9)
    assert (len(steps), steps[0], steps[-1]) == (9, 1, 499)
    assert LateRows([late_row(0, 3)]).steps(9) == [3]


@pytest.mark.parametrize(
    ("settings", "stream", "words"),
    [
        ({}, {}, "no delay"),
        ({"generate": GENERATE, "late": "keep"}, {}, "windows decide"),
        ({"generate": GENERATE, "late": "drop", "import_from": "other"}, {}, "'other'"),
        ({"preset": "azure(5s, 10s, drop)"}, {}, "late_arrival"),
        ({"generate": GENERATE, "late": "drop"}, {"shape": "edge"}, "edges"),
        ({"generate": GENERATE, "late": "drop"}, {"rowtime": "implicit"}, "arrival"),
    ],
)
def test_an_input_without_a_delay_alone_says_why(settings: Any, stream: Any, words: str) -> None:
    defined = StreamDefinition.model_validate({"shape": "point", "fields": FIELDS, "advance": settings, **stream})
    why = clock_with_delay(defined, None)
    assert isinstance(why, str)
    assert words in why


def test_a_clock_shows_its_delay_and_how_far_it_may_be_behind() -> None:
    defined = StreamDefinition.model_validate(
        {"shape": "point", "fields": FIELDS, "advance": {"preset": "watermark(5s)"}}
    )
    assert clock_with_delay(defined, None) == DelayedClock(5 * S, Late.DROP, 0, raises_lanes=False)
    sparse = AdvanceTimeSettings.model_validate({"generate": {**GENERATE, "every": 20}, "late": "drop"})
    assert clock_with_delay(defined, sparse) == DelayedClock(5 * S, Late.DROP, None, raises_lanes=False)
    slow = AdvanceTimeSettings.model_validate(
        {"generate": {**GENERATE, "every": "1s"}, "late": "drop", "idle_after": "30s"}
    )
    assert clock_with_delay(defined, slow) == DelayedClock(5 * S, Late.DROP, S - 1, raises_lanes=True)
