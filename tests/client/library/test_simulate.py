"""`Client.simulate` against the application on its own port."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

from tests.client.test_library import client  # noqa: F401 - a fixture
from tests.simulator.picture import GRAPH, ROWS, STREAM
from tests.webapp.conftest import POINTS, Person, file_adapter, graph
from tests.webapp.queries.test_texts import TIMED, saved
from tests.webapp.scenarios.test_scenarios import body
from webapp.client import Client, PunctualError

SQL = "INSERT INTO out SELECT STREAM * FROM cars WHERE speed > 120; ADVANCE TIME cars EVERY 1 DELAY 5s LATE DROP;"
STARTS = [datetime(2026, 11, 21, 10, 0, second, tzinfo=UTC) for second in (1, 9, 2)]
"""The last row is 2 s late, with a delay of 5 s."""
FRAME: dict[str, Any] = {"at": STARTS, "plate": ["A"] * 3, "speed": [130.0] * 3}
MAPPINGS = pl.DataFrame(FRAME).to_dicts()


@pytest.mark.usefixtures("cars")
@pytest.mark.parametrize(
    "sample", [pl.DataFrame(FRAME), pa.table(FRAME), MAPPINGS, iter(MAPPINGS), {"cars": MAPPINGS}], ids=type
)
def test_each_row_has_its_outcome_in_every_form_of_sample(client: Client, sample: Any) -> None:  # noqa: F811
    found = client.simulate(SQL, sample)
    assert [(row.number, row.outcome, row.category) for row in found.rows] == [
        (1, "on_time", "in_time"),
        (2, "on_time", "in_time"),
        (3, "dropped_late", "dropped"),
    ]
    assert found.late == [found.rows[2]]
    assert (found.rows[2].reason, found.rows[2].lateness) == ("before_cti", 2_000_000)
    assert found.rows[2].why[0].startswith("Dropped: 10:00:02 is before ")
    assert [row.start_time for row in found.rows] == STARTS
    assert found.outcomes == {"cars": {"on_time": 2, "dropped_late": 1}}


@pytest.mark.usefixtures("cars")
def test_results_are_frames_with_the_types_of_the_output(client: Client) -> None:  # noqa: F811
    found = client.simulate(SQL, pl.DataFrame(FRAME)).results()
    instant = pa.timestamp("us", "UTC")
    assert found.arrow().schema == pa.schema(
        {"start": instant, "end": instant, "plate": pa.string(), "speed": pa.float64()}
    )
    assert found.polars()["start"].to_list() == STARTS[:2]
    assert [row["speed"] for row in found.rows()] == [130.0, 130.0]


def test_decimals_times_and_nested_values_keep_all_digits(client: Client) -> None:  # noqa: F811
    price = Decimal("12345678901234567890.123456789012345678")
    fields = {"price": "decimal(38,18)", "seen": "timestamp", "parts": "array<struct<n: long, at: timestamp>>"}
    row = {"start": 5, "price": price, "seen": STARTS[0], "parts": [{"n": 2**53 + 1, "at": STARTS[1]}, None]}
    text = "INSERT INTO out SELECT STREAM price, seen, parts, price AS start FROM s;"
    found = client.simulate(text, [row], streams={"s": {"shape": "point", "fields": fields}}).results()
    assert found.rows() == [
        {
            "_start": datetime(1970, 1, 1, 0, 0, 0, 5, tzinfo=UTC),
            "end": datetime(1970, 1, 1, 0, 0, 0, 6, tzinfo=UTC),
            "price": price,
            "seen": STARTS[0],
            "parts": row["parts"],
            "start": price,
        }
    ]


@pytest.mark.usefixtures("cars")
def test_a_query_is_a_text_a_graph_or_a_stored_one(alice: Person, client: Client) -> None:  # noqa: F811
    saved(alice, TIMED)
    late = {"cars": {"generate": {"every": 1, "delay": "0s"}, "late": "keep"}}
    outcomes = [
        client.simulate(query, MAPPINGS, advance=late).rows[2].category
        for query in (SQL, graph(), client.query("speeding"))
    ]
    assert outcomes == ["late", "late", "late"]
    assert client.simulate(client.query("speeding"), MAPPINGS).rows[2].category == "in_time"  # every 10 rows a CTI
    assert client.query("speeding").sql() == TIMED


@pytest.mark.usefixtures("cars")
def test_a_stored_sample_is_a_scenario(alice: Person, client: Client) -> None:  # noqa: F811
    query = saved(alice, TIMED)
    stored = body("one/two") | {"advance": {"cars": {"generate": {"every": 1, "delay": "0s"}, "late": "drop"}}}
    stored["sample"] = {"rows": [*reversed(stored["sample"]["rows"]), "batch"], "end": "none"}
    assert alice.post(f"queries/{query['id']}/scenarios/", stored).status_code == 201
    mine = client.query("speeding")
    for given, sample in ((SQL, "speeding/one/two"), (mine, "one/two"), (SQL, mine.scenario("one/two"))):
        found = client.simulate(given, sample)
        assert [row.outcome for row in found.rows] == ["on_time", "dropped_late"]
    assert client.simulate(mine, "one/two", advance={"cars": {"late": "keep"}}).outcomes["cars"] == {
        "on_time": 1,
        "reordered": 1,
    }
    with pytest.raises(PunctualError, match=r"The query speeding has no scenario 'two'\. It has: one/two\."):
        client.simulate(mine, "two")
    with pytest.raises(PunctualError, match=r"The sample 'two' names no query\. Pass QUERY/SCENARIO\."):
        client.simulate(SQL, "two")


def test_the_end_and_pending_rows(client: Client) -> None:  # noqa: F811
    ends = {end: client.simulate(GRAPH, ROWS, streams={"s": STREAM}, end=end) for end in ("flush", "none")}
    assert [len(each.outputs["out"]) for each in ends.values()] == [3, 2]
    assert (ends["flush"].holding, len(ends["none"].holding)) == ([], 1)
    [stairs] = [each for each in ends["none"].ctis if each.node == "s"]
    assert stairs.at(0) == (False, None)
    assert stairs.at(99) == (True, ROWS[12]["start"] - 4_000_000)


def test_times_come_from_the_columns_of_the_stream(alice: Person, client: Client) -> None:  # noqa: F811
    until = {"start": {"column": "start", "unit": "s"}, "end": {"column": "until", "unit": "s"}}
    definition = {"shape": "interval", "fields": {"n": "long"}, "event_time": until}
    made = alice.post("streams/", {"name": "spans", "definition": definition, "adapter": file_adapter("files/s.jsonl")})
    assert made.status_code == 201, made.content
    found = client.simulate("INSERT INTO out SELECT STREAM n FROM spans;", [{"start": 60, "until": 90, "n": 1}])
    assert [(row.start, row.end) for row in found.outputs["out"]] == [(60_000_000, 90_000_000)]
    timed = "INSERT INTO out SELECT STREAM n FROM spans EVENTTIME BY begin UNIT ms;"
    [row] = client.simulate(timed, [{"begin": 1000, "until": 2, "n": 1}]).outputs["out"]
    assert (row.start, row.end) == (1_000_000, 2_000_000)


def test_an_edge_has_one_result_with_its_last_end(client: Client) -> None:  # noqa: F811
    edges = {"e": {"shape": "edge", "fields": {"k": "string"}}}
    rows = [{"start": 1, "edge": "start", "k": "a"}, {"start": 1, "end": 9, "edge": "end", "k": "a"}]
    text = "INSERT INTO out SELECT STREAM k FROM e;"
    assert [(row.start, row.end) for row in client.simulate(text, rows, streams=edges).outputs["out"]] == [(1, 9)]
    [open_] = client.simulate(text, rows[:1], streams=edges, end="none").results().rows()
    assert open_["end"] is None


def test_a_query_of_several_streams_needs_the_stream_of_each_row(client: Client) -> None:  # noqa: F811
    streams = {name: {"shape": "point", "fields": {"n": "long"}} for name in ("a", "b")}
    text = "INSERT INTO x SELECT STREAM n FROM a; INSERT INTO y SELECT STREAM n FROM b;"
    with pytest.raises(PunctualError, match=r"The query reads several streams: a, b\. Pass `stream`, or a mapping"):
        client.simulate(text, [{"start": 1, "n": 1}], streams=streams)
    with pytest.raises(PunctualError, match=r"The query doesn't read the stream 'c'\. It reads: a, b\."):
        client.simulate(text, {"c": []}, streams=streams)
    rows = [{"start": 1, "n": 1}]
    by_stream = client.simulate(text, {"b": rows, "a": rows}, streams=streams)
    mixed = [{"stream": name, "start": 1, "payload": {"n": 1}} for name in "bab"]
    assert [row.stream for row in by_stream.rows] == ["b", "a"]
    assert [row.stream for row in client.simulate(text, mixed, streams=streams).rows] == ["b", "a", "b"]
    assert [row.stream for row in client.simulate(text, rows, stream="b", streams=streams).rows] == ["b"]
    with pytest.raises(PunctualError, match=r"Pass one of the outputs: x, y\."):
        by_stream.results()
    with pytest.raises(PunctualError, match=r"There is no output 'z'\. There are: x, y\."):
        by_stream.results("z")
    assert by_stream.results("x").arrow().num_rows == 1


@pytest.mark.usefixtures("cars")
@pytest.mark.parametrize(
    ("query", "sample", "words"),
    [
        ("INSERT INTO out SELECT STREAM spede FROM cars;", [], r"(?s)can't be simulated\..*'spede'.*speed"),
        ("SELECT", [], "can't be simulated"),
        (SQL, [{"stream": "boats", "payload": {}}], "boats"),
        (SQL, [5], r"Row 1 of the sample is not a mapping"),
        (SQL, [{"at": STARTS[0]}] * 5_001, r"at most 5,000 rows, and this one has 5,001"),
    ],
)
def test_a_refusal_names_every_error(client: Client, query: str, sample: Any, words: str) -> None:  # noqa: F811
    with pytest.raises(PunctualError, match=words):
        client.simulate(query, sample)


@pytest.mark.usefixtures("cars")
def test_a_row_that_does_not_fit_is_malformed_and_counted(client: Client) -> None:  # noqa: F811
    rows = [{**MAPPINGS[0], "speed": "fast"}, {"bad": "§"}, {**MAPPINGS[0], "at": "soon"}]
    found = client.simulate(SQL, rows)
    assert [(row.category, row.reason) for row in found.rows] == [
        ("malformed", "bad_payload"),
        ("malformed", "bad_row"),
        ("malformed", "bad_time"),
    ]
    assert found.late == found.rows


def test_own_streams_replace_stored_ones(client: Client, cars: dict[str, Any]) -> None:  # noqa: F811
    own = {"cars": {**POINTS, "advance": {"generate": {"every": 1, "delay": "5s"}, "late": "keep"}}}
    found = client.simulate("INSERT INTO out SELECT STREAM * FROM cars;", MAPPINGS, streams=own)
    assert [row.category for row in found.rows] == ["in_time", "in_time", "late"]


@pytest.mark.usefixtures("cars")
def test_an_infinite_number_is_an_error_that_names_its_row(client: Client) -> None:  # noqa: F811
    with pytest.raises(ValueError, match=r"^Row 2: the column 'speed' has an infinite number"):
        client.simulate(SQL, [MAPPINGS[0], {**MAPPINGS[1], "speed": float("inf")}])
