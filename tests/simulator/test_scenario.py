"""A scenario as a transcript, its results, and the differences from the expectation."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from streaming.simulator.samples.sample import SampleError, SampleRow
from streaming.simulator.samples.scenario import Expect, ScenarioSample, as_transcript, judged, observed
from streaming.wire.execution.case import EndMode

SQL = """
QUERY fast;
ADVANCE TIME cars EVERY 1 DELAY 5s LATE DROP;
INSERT INTO out SELECT plate, COUNT(*) AS n FROM cars WINDOW BY TUMBLE 10s GROUP BY plate;
"""
CARS = {"cars": StreamDefinition.model_validate({"fields": {"plate": "string"}})}
S = 1_000_000
NOTHING = Expect(events=[])


def row(start: int, plate: str = "A", **fields: Any) -> SampleRow:
    return SampleRow.model_validate({"stream": "cars", "start": start * S, "payload": {"plate": plate}, **fields})


ROWS = [row(1), row(2), row(12, "B"), row(3), row(21)]
"""The fourth row meets the CTI 7: it is late by 4 s, and dropped."""
BY_HAND = [
    {"start": 0, "end": 10 * S, "payload": {"plate": "A", "n": 2}},
    {"start": 10 * S, "end": 20 * S, "payload": {"plate": "B", "n": 1}},
    {"start": 20 * S, "end": 30 * S, "payload": {"plate": "A", "n": 1}},
]


def document(sql: str = SQL, expect: Expect = NOTHING, sample: ScenarioSample | None = None) -> dict[str, Any]:
    return as_transcript("s", sql, CARS, sample or ScenarioSample(ROWS), expect)


def test_a_scenario_with_the_expected_results_holds() -> None:
    found = observed(document())
    assert found.model_dump(mode="json", exclude_unset=True) == {
        "events": BY_HAND,
        "ctis": {"out": [-10 * S, 0, 10 * S]},  # the windows that hold -4, 7 and 16
        "late": [
            {"stream": "cars", "start": 3 * S, "end": 3 * S + 1, "outcome": "dropped_late", "reason": "before_cti"}
        ],
    }
    assert judged(document(expect=found)).holds


def test_missing_unexpected_and_changed_rows_are_distinguished() -> None:
    rows = [{**BY_HAND[0], "payload": {"plate": "A", "n": 3}}, BY_HAND[1], {**BY_HAND[2], "end": 31 * S}]
    found = judged(document(expect=Expect.model_validate({"events": rows})))
    assert not found.holds
    [changed] = found.changed
    assert (changed.expected.payload["n"], changed.found.payload["n"]) == (3, 2)
    assert [each.end for each in found.missing] == [31 * S]
    assert [each.end for each in found.unexpected] == [30 * S]


def test_a_new_column_changes_every_row_and_says_why() -> None:
    wider = SQL.replace("AS n", "AS n, MIN(plate) AS first_plate")
    found = judged(document(wider, Expect.model_validate({"events": BY_HAND})))
    assert len(found.changed) == 3
    assert "first_plate" in found.other[0]


def test_a_late_row_counts_if_it_was_kept() -> None:
    all_kept = observed(document())
    longer = {"cars": AdvanceTimeSettings.model_validate({"generate": {"every": 1, "delay": "9s"}, "late": "drop"})}
    found = judged(document(expect=all_kept, sample=ScenarioSample(ROWS, longer)))
    assert [each.expected.payload["n"] for each in found.changed] == [2]
    assert any(each.startswith("late missing") for each in found.other)


def test_starts_of_rows_take_precedence_over_the_event_time_of_their_stream() -> None:
    timed = StreamDefinition.model_validate({"fields": {"plate": "string"}, "event_time": {"start": {"column": "at"}}})
    made = as_transcript("s", SQL, {"cars": timed}, ScenarioSample(ROWS), NOTHING)
    assert made["streams"]["cars"]["event_time"] is None
    assert observed(made).model_dump(mode="json", exclude_unset=True)["events"] == BY_HAND


def test_with_event_time_by_rows_carry_no_start() -> None:
    sql = SQL.replace("FROM cars", "FROM cars EVENTTIME BY _meta.at")
    rows = [row(99, meta={"at": f"1970-01-01T00:00:0{second}Z"}) for second in (1, 2)]
    made = as_transcript("s", sql, CARS, ScenarioSample(rows), NOTHING)
    assert all("start" not in each for each in made["input"])
    assert observed(made).model_dump(mode="json", exclude_unset=True)["events"] == BY_HAND[:1]


def test_a_scenario_that_cannot_be_run_fails_with_the_reason_and_is_not_observed() -> None:
    stranger = document(sample=ScenarioSample([SampleRow.model_validate({"stream": "trucks", "start": 1})]))
    found = judged(stranger)
    assert (found.holds, found.ran, "trucks" in found.other[0]) == (False, False, True)
    assert judged(document(expect=Expect(events=[]))).ran
    with pytest.raises(SampleError, match="trucks"):
        observed(stranger)
    with pytest.raises(SampleError, match="no query"):
        document("SELECT")


@given(st.lists(st.builds(row, st.integers(0, 40), st.sampled_from("AB")), max_size=12), st.sampled_from(EndMode))
def test_an_observed_result_holds_and_any_other_row_does_not(rows: list[SampleRow], end: EndMode) -> None:
    sample = ScenarioSample(rows, {}, end)
    found = observed(document(sample=sample))
    assert judged(document(expect=found, sample=sample)).holds
    dumped = found.model_dump(mode="json", exclude_unset=True)
    more = Expect.model_validate({**dumped, "events": [*dumped["events"], (dumped["events"] or BY_HAND)[0]]})
    again = judged(document(expect=more, sample=sample))
    assert (again.holds, len(again.missing) + len(again.changed)) == (False, 1)
