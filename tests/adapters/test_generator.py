"""The generator: the same rows for every division, with the configured lateness, skew and malformed rows."""

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.adapters.contract import AdapterError, InputAdapter
from streaming.adapters.generator.adapter import UNPACED_START
from streaming.adapters.generator.columns import FIELDS
from streaming.adapters.registry import input_adapter
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Event, Shape
from streaming.temporal.outcomes import Reason
from streaming.wire.beginning import BeginAtTime
from streaming.wire.rows.arrived import Arrived
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import read_row

STREAM = StreamDefinition(fields=dict(FIELDS))
CLEAN = {"late_share": 0.0}


def generator(stream: StreamDefinition = STREAM, journal: Path | None = None, **options: Any) -> InputAdapter:
    return input_adapter("generator", options, stream, Path("/"), journal)


def one(adapter: InputAdapter, rows: int, lane: str = "0") -> Arrived:
    (chunk,) = adapter.read(lane, 0, rows)
    return chunk


@given(st.lists(st.integers(1, 40), max_size=8), st.integers(0, 5))
@settings(deadline=None, max_examples=30)
def test_the_division_changes_no_row(cuts: list[int], seed: int) -> None:
    options = {"malformed_share": 0.2, "clock_skew": "1s", "burst_every": 7, "burst_rows": 3, "seed": seed, "lanes": 2}
    ends = np.cumsum([0, *cuts, 10]).tolist()
    whole = list(elements(one(generator(**options), ends[-1], "1")))
    parts = [
        element
        for low, high in itertools.pairwise(ends)
        for chunk in generator(**options).read("1", low, high)
        for element in elements(chunk)
    ]
    assert parts == whole


def test_another_seed_gives_other_rows() -> None:
    assert one(generator(seed=1), 50).payload != one(generator(seed=2), 50).payload


def test_lanes_take_turns_in_the_order_of_arrival() -> None:
    alone = one(generator(**CLEAN), 6)
    lanes = [one(generator(lanes=2, **CLEAN), 3, lane) for lane in ("0", "1")]
    assert alone.start[0::2].tolist() == lanes[0].start.tolist()
    assert alone.start[1::2].tolist() == lanes[1].start.tolist()


def test_rows_are_due_at_their_rate_from_the_start() -> None:
    adapter = generator(rate=10, started_at=1_000_000, lanes=2)
    assert adapter.latest({}, now=1_000_000, limit_rows=100) == {"0": 0, "1": 0}
    assert adapter.latest({}, now=1_350_000, limit_rows=100) == {"0": 2, "1": 1}
    assert adapter.latest({}, now=99_000_000, limit_rows=8) == {"0": 4, "1": 4}
    assert adapter.latest({"0": 9, "1": 9}, now=0, limit_rows=8) == {"0": 9, "1": 9}


def test_a_run_remembers_when_it_started(tmp_path: Path) -> None:
    generator(journal=tmp_path, rate=1).latest({}, now=5_000_000, limit_rows=9)
    again = generator(journal=tmp_path, rate=1, **CLEAN)
    assert again.latest({}, now=8_000_000, limit_rows=9) == {"0": 3}
    assert one(again, 2).start.tolist() == [5_000_000, 6_000_000]


def test_a_preview_is_not_paced() -> None:
    assert generator().latest({}, now=0, limit_rows=20) == {"0": 20}
    assert one(generator(**CLEAN), 1).start.tolist() == [UNPACED_START]


@pytest.mark.parametrize("total", [0, 1, 5, 6])
def test_an_input_with_a_total_ends(total: int) -> None:
    adapter = generator(total_rows=total, lanes=3)
    reached = adapter.latest({}, now=0, limit_rows=1_000)
    assert sum(reached.values()) == total
    assert adapter.finished(reached)
    assert not generator().finished({"0": 10**9})


def test_the_share_and_size_of_lateness_are_the_configured_ones() -> None:
    chunk = one(generator(late_share=0.25, late_mean="2s", late_max="5s", rate=1000), 40_000)
    assert chunk.arrival is not None
    lateness = chunk.arrival - chunk.start
    assert (lateness >= 0).all()
    assert abs((lateness > 0).mean() - 0.25) < 0.01
    assert lateness.max() == 5_000_000
    assert abs(np.median(lateness[lateness > 0]) / (2_000_000 * np.log(2)) - 1) < 0.05


def test_each_device_has_its_own_clock() -> None:
    chunk = one(generator(devices=5, clock_skew="10s", **CLEAN), 500)
    assert chunk.arrival is not None
    skew = (chunk.start - chunk.arrival).tolist()
    devices = chunk.payload.column("device").to_pylist()
    by_device = dict(zip(devices, skew, strict=True))
    assert len(set(by_device.values())) == 5
    assert all(by_device[device] == value for device, value in zip(devices, skew, strict=True))
    assert max(map(abs, skew)) <= 10_000_000


def test_bursts_are_out_of_order_if_configured() -> None:
    options = {"burst_every": 100, "burst_rows": 10, "burst_spread": "10s", **CLEAN}
    chunk = one(generator(**options), 300)
    assert chunk.arrival is not None
    late = np.flatnonzero(chunk.arrival != chunk.start)
    assert set((late % 100).tolist()) <= set(range(10))
    assert len(late) >= 28


def test_keys_follow_their_skew() -> None:
    plates = one(generator(keys=50, key_skew=1.0), 50_000).payload.column("plate").to_pylist()
    counts = sorted((plates.count(plate) for plate in set(plates)), reverse=True)
    assert abs(counts[0] / counts[1] - 2) < 0.2
    even = one(generator(keys=50, key_skew=0), 50_000).payload.column("plate").to_pylist()
    assert max(even.count(plate) for plate in set(even)) < 1_300


def test_a_malformed_row_shows_its_problem() -> None:
    chunk = one(generator(malformed_share=0.5), 200)
    assert set(chunk.malformed.values()) == {Reason.BAD_ROW, Reason.BAD_TIME, Reason.BAD_PAYLOAD}
    assert 60 < len(chunk.malformed) < 140
    for index, text in enumerate(chunk.raw(range(200))):
        reason = chunk.malformed.get(index)
        if reason is Reason.BAD_ROW:
            with pytest.raises(json.JSONDecodeError):
                json.loads(text)
            continue
        row = json.loads(text)
        element = read_row({"start": row.pop("start"), "payload": row}, STREAM)
        assert getattr(element, "reason", None) == reason
        assert reason or (isinstance(element, Event) and element.start == chunk.start[index])


def test_intervals_have_the_configured_length() -> None:
    stream = StreamDefinition(shape=Shape.INTERVAL, fields={})
    chunk = one(generator(stream, duration_mean="5s"), 20_000)
    length = chunk.end - chunk.start
    assert (length > 0).all()
    assert abs(length.mean() / 5_000_000 - 1) < 0.05
    assert (one(generator(), 100).end - one(generator(), 100).start == 1).all()


@pytest.mark.parametrize(
    ("stream", "options", "message"),
    [
        (StreamDefinition(shape=Shape.EDGE, fields={}), {}, "points and intervals"),
        (StreamDefinition(fields={"sped": "double"}), {}, "no field 'sped'. Its fields are .* Did you mean 'speed'"),
        (StreamDefinition(fields={"speed": "long"}), {}, "'speed' is double, not long"),
        (StreamDefinition(fields={}, lanes=["a"]), {}, "lanes are 0"),
        (STREAM, {"late_mean": "-1s"}, "is negative"),
        (STREAM, {"late_share": 2}, "late_share"),
        (STREAM, {"speed": 2}, "speed: Unknown field"),
    ],
)
def test_unsuitable_options_are_refused_with_an_error(
    stream: StreamDefinition, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(AdapterError, match=message):
        generator(stream, **options)


def test_a_held_lane_sends_at_the_end_of_its_silence_what_happened_in_it(tmp_path: Path) -> None:
    held = {"lanes": 2, "rate": 2.0, "held_lane": 1, "held_every": "10s", "held_for": "4s", "started_at": 0, **CLEAN}
    adapter = generator(journal=tmp_path, **held)
    first = {lane: one(adapter, 12, lane) for lane in ("0", "1")}
    assert first["0"].arrival.tolist() == first["0"].start.tolist() == [second * 1_000_000 for second in range(12)]
    assert first["1"].start.tolist() == [second * 1_000_000 + 500_000 for second in range(12)]
    ends = {6: 10, 7: 10, 8: 10, 9: 10}
    expected = [ends[second] * 1_000_000 if second in ends else second * 1_000_000 + 500_000 for second in range(12)]
    assert first["1"].arrival.tolist() == expected

    def arrived(second: float) -> tuple[int, int]:
        found = adapter.latest({}, now=int(second * 1_000_000), limit_rows=1_000)
        return found["0"], found["1"]

    assert [arrived(second) for second in (6.0, 6.8, 9.9, 10.2)] == [(6, 6), (7, 6), (10, 6), (10, 10)]
    at_eight = adapter.begin_at(BeginAtTime(kind="time", at=8_000_000), "cars", now=12_000_000)
    assert at_eight.positions == {"0": 8, "1": 6}  # rows 6 to 9 of lane 1 arrive after second 8
    at_its_end = adapter.begin_at(BeginAtTime(kind="time", at=10_000_000), "cars", now=12_000_000)
    assert at_its_end.positions == {"0": 10, "1": 6}  # they arrive at second 10, not before it


def test_a_row_that_is_due_just_before_a_silence_is_not_held(tmp_path: Path) -> None:
    held = {"rate": 0.7, "held_lane": 0, "held_every": "60s", "held_for": "15s", "started_at": 0, **CLEAN}
    adapter = generator(journal=tmp_path, **held)
    # rows are due every 1.43 s: row 31 at 44.29 s, row 32 at 45.71 s, in the silence from 45 s to 60 s
    assert one(adapter, 33).arrival[-2:].tolist() == [44_285_714, 60_000_000]
    assert adapter.latest({}, now=50_000_000, limit_rows=1_000) == {"0": 32}
    assert adapter.latest({}, now=60_000_000, limit_rows=1_000) == {"0": 42}


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"held_lane": 3, "lanes": 3}, "0 to 2"),
        ({"held_for": "60s"}, "shorter than 'held_every'"),
        ({"held_for": "0s"}, "longer than 0s"),
    ],
)
def test_a_silence_that_cannot_be_is_refused(options: dict[str, Any], names: str) -> None:
    with pytest.raises(AdapterError, match=names):
        generator(**options)


def test_each_gate_has_its_lane() -> None:
    rows = one(generator(lanes=12, **CLEAN), 20, "7")
    assert set(rows.payload.column("gate").to_pylist()) == {"gate-07"}
    assert set(rows.payload.column("fare").to_pylist()) <= {2.4, 3.4, 4.4}
