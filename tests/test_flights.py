"""Real flights, hours late: three executors and one computation by hand agree on every window and every outcome."""

import shutil
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from streaming.definition.checks.advance import to_temporal
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import AdvanceTimeSettings, GenerateSettings
from streaming.engine.exchange.net_rows import records
from streaming.engine.executor import EngineRun
from streaming.planning.compile import compile_binding
from streaming.reference.executor import ReferenceRun
from streaming.temporal.settings import Late
from streaming.wire.execution.case import ONLY_LANE, EndMode
from streaming.wire.messages import InputSpec, RunSpec
from streaming.wire.rows.arrived_rows import elements
from tests.flights import FLIGHTS, ROWS, STREAM, flights_adapter, require
from tests.flights_by_hand import flights_by_hand

GRAPH = QueryGraph.model_validate(
    {
        "version": 1,
        "name": "flights_by_destination_and_day",
        "nodes": [
            {"id": "flights", "kind": "input", "stream": "flights"},
            {
                "id": "daily",
                "kind": "window",
                "input": "flights",
                "group_by": ["dest"],
                "window": {"kind": "tumbling", "size": "1d"},
                "aggregates": [{"name": "n", "function": "count"}],
            },
            {"id": "out", "kind": "output", "input": "daily"},
        ],
    }
)
Found = tuple[Counter[tuple[int, str]], Counter[str]]
"""Flights by start of day and destination, and rows by outcome."""


def settings(delay_h: int) -> AdvanceTimeSettings:
    return AdvanceTimeSettings(generate=GenerateSettings(every=100, delay=f"{delay_h}h", final=True), late=Late.DROP)


def by_hand(delay_h: int) -> Found:
    return flights_by_hand(require(FLIGHTS), timedelta(hours=delay_h) // timedelta(microseconds=1))


def by_reference(delay_h: int) -> Found:
    run = ReferenceRun(GRAPH, {"flights": STREAM}, {"flights": to_temporal(settings(delay_h))})
    for chunk in flights_adapter().read(ONLY_LANE, 0, ROWS):
        for element in elements(chunk):
            run.take("flights", ONLY_LANE, element)
    run.end(EndMode.STOP)
    windows = Counter({(row.flow.start, row.flow.payload["dest"]): row.flow.payload["n"] for row in run.outputs})
    assert len(windows) == len(run.outputs)
    return windows, Counter(judged.outcome.value for judged in run.judged.values())


def by_engine(delay_h: int, rows_per_batch: int) -> Found:
    plan = compile_binding(GRAPH, {"flights": STREAM}, {"flights": to_temporal(settings(delay_h))}, buckets=2)
    run, adapter = EngineRun(plan), flights_adapter()
    lane = ("flights", ONLY_LANE)
    released = [
        run.batch({lane: adapter.read(ONLY_LANE, first, min(first + rows_per_batch, ROWS))})
        for first in range(0, ROWS, rows_per_batch)
    ]
    rows = [row for each in [*released, run.end(EndMode.STOP)] for t in each.rows.get("out", ()) for row in records(t)]
    windows = Counter({(start, payload["dest"]): payload["n"] for start, _, payload in rows})
    assert len(windows) == len(rows)
    return windows, +Counter({outcome.value: n for outcome, n in run.counts[lane].outcomes.items()})


def by_spark(delay_h: int, rows_per_batch: int, home: Path) -> Found:
    from streaming.spark.local_run import run_to_end
    from streaming.spark.query.layout import CarrierSettings
    from streaming.spark.session.session import start_session

    shutil.copy(require(FLIGHTS), home / FLIGHTS.name)
    spec = RunSpec(
        organisation="tests",
        binding="flights",
        run="flights",
        desired="running",
        query=GRAPH,
        inputs={
            "flights": InputSpec(
                stream=STREAM, adapter={"kind": "file", "options": {"path": FLIGHTS.name}}, advance=settings(delay_h)
            )
        },
        results="results",
    )
    carrier = CarrierSettings(home=str(home), rows_per_batch=rows_per_batch)
    result = run_to_end(start_session(), [(spec, "final")], home / "carrier", carrier)["flights"]
    assert result.failure is None
    assert result.report is not None
    rows = list(result.rows("results"))
    windows = Counter({(row["start"], row["payload"]["dest"]): row["payload"]["n"] for row in rows})
    assert len(windows) == len(rows)
    return windows, +Counter(result.report.inputs["flights"].outcomes)


@pytest.mark.parametrize("delay_h", [2, pytest.param(9, marks=pytest.mark.thorough)])
def test_reference_agrees_with_the_computation_by_hand(delay_h: int) -> None:
    assert by_reference(delay_h) == by_hand(delay_h)


@pytest.mark.parametrize(("delay_h", "rows_per_batch"), [(2, 997), (2, 20_000), (2, ROWS), (9, 50_000)])
def test_engine_agrees_with_the_computation_by_hand(delay_h: int, rows_per_batch: int) -> None:
    assert by_engine(delay_h, rows_per_batch) == by_hand(delay_h)


@pytest.mark.spark
@pytest.mark.parametrize(
    ("delay_h", "rows_per_batch"), [(2, 30_000), pytest.param(2, 70_001, marks=pytest.mark.thorough), (9, ROWS)]
)
def test_spark_agrees_with_the_computation_by_hand(delay_h: int, rows_per_batch: int, tmp_path: Path) -> None:
    assert by_spark(delay_h, rows_per_batch, tmp_path) == by_hand(delay_h)


def test_two_hours_drop_some_and_nine_hours_drop_none() -> None:
    assert by_hand(2)[1]["dropped_late"] > 3_000
    assert by_hand(9)[1]["dropped_late"] == 0
