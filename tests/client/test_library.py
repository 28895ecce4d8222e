"""The Python library against the application on its own port."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

from streaming.storage.results import Commit, RunBatches
from streaming.wire.messages import ResultRow
from tests.client.conftest import Results
from tests.webapp.conftest import POINTS, Person
from tests.wire.written import write_commit, write_part
from webapp.client import Client, PunctualError, PushedBatch
from webapp.client.library import streams

S = 1_000_000


@pytest.fixture
def client(as_alice: dict[str, str]) -> Iterator[Client]:
    with Client.from_env(as_alice) as made:
        yield made


@pytest.fixture
def written(run: str, results: Results) -> str:
    """Two windows of ten seconds, and the CTI after them."""
    rows = [
        ResultRow(output="out", start=start * S, end=(start + 10) * S, payload={"plate": plate, "n": n})
        for start, plate, n in ((0, "A", 1), (10, "A", 2), (10, "B", 3))
    ]
    part = write_part(results.folder, "results", 0, 0, rows)
    totals = {"run": run, "output_ctis": {"out": 20 * S}}
    runs = [RunBatches(run=run, first=0, last=0)]
    write_commit(results.folder, Commit(batch=0, parts=[part], totals=totals, runs=runs))
    return run


def test_things_have_their_names_and_facts(client: Client, binding: dict[str, Any]) -> None:
    assert [each.name for each in client.streams()] == ["cars"]
    assert client.stream("cars").fields() == {"plate": "string", "speed": "double"}
    [query] = client.queries()
    assert (query.name, query.version, len(query.graph()["nodes"])) == ("speeding", 1, 4)
    found = client.binding("watch")
    assert (found.id, found.query, found.version) == (binding["id"], "speeding", 1)
    assert client.binding(binding["id"]) == found == client.bindings()[0]


def test_an_unknown_name_is_an_error_with_the_known_ones(client: Client, binding: dict[str, Any]) -> None:
    with pytest.raises(PunctualError, match=r"There is no binding 'wathc'\. There are: watch\."):
        client.binding("wathc")
    with pytest.raises(PunctualError, match=r"The binding watch was never started\."):
        client.binding("watch").current()


def test_rows_that_stand_are_objects_with_times(client: Client, written: str) -> None:
    current = client.binding("watch").current()
    assert [(row.payload["plate"], row.payload["n"]) for row in current.rows] == [("A", 2), ("B", 3)]
    assert (current.as_of, current.is_final, current.cursor) == (20 * S - 1, True, "0")
    assert current.rows[0].start_time == datetime(1970, 1, 1, 0, 0, 10, tzinfo=UTC)
    [row] = client.binding("watch").current(key={"plate": "A", "n": 1}, as_of=datetime(1970, 1, 1, tzinfo=UTC)).rows
    assert (row.id, row.run, row.kind, row.end) == ("0-0-0", written, "row", 10 * S)


def test_pages_of_rows_that_stand_are_one_list(client: Client, written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.client.library.bindings.PAGE", 1)
    assert [row.payload["plate"] for row in client.binding("watch").current().rows] == ["A", "B"]


def test_rows_that_stand_are_final_if_their_first_page_is(
    client: Client, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    get = client.server.get

    def get_page(path: str, **query: object) -> Any:
        found = get(path, **query)
        return {**found, "is_final": False} if "after" in query else found

    monkeypatch.setattr("webapp.client.library.bindings.PAGE", 1)
    monkeypatch.setattr(client.server, "get", get_page)
    current = client.binding("watch").current()
    assert ([row.payload["plate"] for row in current.rows], current.is_final) == (["A", "B"], True)


def test_results_are_frames_with_types_and_zones(client: Client, written: str) -> None:
    results = client.binding("watch").results(begin=datetime(1970, 1, 1, 0, 0, 10, tzinfo=UTC))
    table, frame = results.arrow(), results.polars()
    assert table.schema.field("start").type == pa.timestamp("us", "UTC")
    assert frame.schema["start"] == pl.Datetime("us", "UTC")
    assert (frame["plate"].to_list(), frame["n"].to_list(), table["n"].to_pylist()) == (["A", "B"], [2, 3], [2, 3])
    assert results.rows()[0]["start"] == datetime(1970, 1, 1, 0, 0, 10, tzinfo=UTC)


def test_a_time_without_a_zone_is_an_error(client: Client, written: str) -> None:
    with pytest.raises(PunctualError, match="has no zone"):
        client.binding("watch").results(begin=datetime(2026, 1, 1))  # noqa: DTZ001 - the mistake


@pytest.fixture
def inbox(alice: Person) -> str:
    adapter = {"kind": "push", "options": {"inbox": "events"}}
    made = alice.post("streams/", {"name": "pushed", "definition": POINTS, "adapter": adapter})
    assert made.status_code == 201, made.content
    return str(made.json()["id"])


def test_a_pushed_batch_counts_once(client: Client, inbox: str) -> None:
    frame = pl.DataFrame({"at": [datetime(2026, 1, 1, tzinfo=UTC)] * 3, "plate": ["A", "B", None], "speed": [1.5] * 3})
    stream = client.stream("pushed")
    assert stream.push(frame, batch="day-1") == [PushedBatch(first=0, rows=3, again=False)]
    assert stream.push(frame, batch="day-1") == [PushedBatch(first=0, rows=3, again=True)]
    assert stream.push(frame) == [PushedBatch(first=3, rows=3, again=False)]


def test_many_rows_are_several_batches(client: Client, inbox: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "ROWS_AT_ONCE", 2)
    rows = [{"at": "2026-01-01T00:00:00Z", "plate": str(n), "speed": 1.0} for n in range(5)]
    receipts = client.stream(inbox).push(rows, batch="b")
    assert [(each.first, each.rows, each.again) for each in receipts] == [(0, 2, False), (2, 2, False), (4, 1, False)]
    assert [each.again for each in client.stream(inbox).push(rows, batch="b")] == [True] * 3


def test_a_refused_batch_is_an_error_at_once(client: Client, inbox: str) -> None:
    with pytest.raises(PunctualError) as refused:
        client.stream(inbox).push([1, 2], pause=lambda _: pytest.fail("nothing is repeated"))  # type: ignore[list-item]
    assert refused.value.faults
