"""The stream of an output as a client receives it: real Redis, an asynchronous client, every event."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest
import redis
from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings
from django.test import AsyncClient

from streaming.storage.stored import remove
from streaming.wire import keys
from tests.webapp.conftest import Person
from tests.webapp.monitoring.test_events import report
from tests.webapp.subscribing.conftest import Output, S, provisional, row
from webapp.monitoring.seats import SUBSCRIBERS, StreamLimit, StreamSlot
from webapp.monitoring.subscribing import api

PATIENCE_S = 30.0
Event = tuple[str | None, str, Any]


def received(
    output: Output,
    until: str,
    *,
    query: str = "",
    last: str | None = None,
    after_first: Callable[[], object] = lambda: None,
) -> list[Event]:
    """Return the events up to the first of batch `until`; `after_first` happens when the first has come."""

    async def collect() -> list[Event]:
        client = AsyncClient()
        client.cookies = output.person.client.cookies
        headers = {"accept": "text/event-stream", **({"last-event-id": last} if last else {})}
        answered: Any = await client.get(output.person.url(output.path("stream")) + query, headers=headers)
        assert answered.status_code == 200, answered.content
        stream: AsyncGenerator[bytes] = aiter(answered.streaming_content)
        events: list[Event] = []
        while not events or until not in (events[-1][0], events[-1][1]):
            chunk = await asyncio.wait_for(anext(stream), PATIENCE_S)
            events += [event for text in chunk.decode().split("\n\n") if (event := parsed(text)) is not None]
            if b"\nretry: " in chunk:
                await sync_to_async(after_first)()
        await stream.aclose()
        return events

    return async_to_sync(collect)()


def first_frame(output: Output, query: str) -> str:
    async def read() -> str:
        client = AsyncClient()
        client.cookies = output.person.client.cookies
        answered: Any = await client.get(output.person.url(output.path("stream")) + query)
        stream: AsyncGenerator[bytes] = aiter(answered.streaming_content)
        chunk = await asyncio.wait_for(anext(stream), PATIENCE_S)
        await stream.aclose()
        return chunk.decode()

    return async_to_sync(read)()


def parsed(text: str) -> Event | None:
    fields = dict(line.split(": ", 1) for line in text.split("\n") if line and not line.startswith(":"))
    return None if "data" not in fields else (fields.get("id"), fields["event"], json.loads(fields["data"]))


def ids_and_names(events: list[Event]) -> list[tuple[str | None, str]]:
    return [(cursor, name) for cursor, name, _ in events]


def test_rows_come_in_order_with_ids_and_the_end_of_each_batch(output: Output) -> None:
    output.commit(row(0, "A", 1), row(0, "ä\u2028\x85", 2), cti=10 * S)
    output.commit(row(10, "A", 3), cti=None)
    events = received(output, "1")
    assert ids_and_names(events) == [
        ("0-0-0", "row"),
        ("0-0-1", "row"),
        ("0", "committed"),
        ("1-0-0", "row"),
        ("1", "committed"),
    ]
    assert events[1][2]["payload"] == {"plate": "ä\u2028\x85", "n": 2}
    assert (events[1][2]["id"], events[1][2]["run"], events[1][2]["end"]) == ("0-0-1", output.run, 10 * S)
    assert events[2][2] == {"batch": 0, "cti": 10 * S, "ended": False}
    assert events[4][2] == {"batch": 1, "cti": None, "ended": True}


def test_edges_and_retractions_are_events_of_their_own(output: Output) -> None:
    edge = row(0, "A", 1, key="e").model_copy(update={"edge": "start", "end": None})
    output.commit(edge, provisional(0, "B", 1, 0), row(0, "C", 1))
    output.commit(
        edge.model_copy(update={"edge": "end", "end": 5 * S}),
        provisional(0, "B", 2, 1).model_copy(update={"deleted": True}),
        row(0, "C", 1, deleted=True, repair="r"),
    )
    names = [name for _, name, _ in received(output, "1")]
    assert names == ["edge_start", "row", "row", "committed", "edge_end", "retraction", "retraction", "committed"]


def test_a_key_filters_rows_and_a_row_that_loses_it_is_a_retraction(output: Output) -> None:
    output.commit(row(0, "A", 1), row(0, "B", 1), provisional(0, "C", 1, 0), cti=10 * S)
    output.commit(provisional(0, "C", 2, 1), provisional(10, "D", 2, 0), cti=20 * S)
    assert ids_and_names(received(output, "1", query="?key=n:1&key=plate:B")) == [
        ("0-0-1", "row"),
        ("0", "committed"),
        ("1-0-0", "retraction"),
        ("1", "committed"),
    ]
    names = [name for _, name, _ in received(output, "1", query="?key=n:1")]
    assert names == ["row", "row", "row", "committed", "retraction", "committed"]


@pytest.mark.parametrize(
    ("last", "expected"),
    [("0-0-0", ["0-0-1", "0", "1-0-0", "1"]), ("0-0-1", ["0", "1-0-0", "1"]), ("0", ["1-0-0", "1"])],
)
def test_a_client_that_reconnects_gets_the_events_after_its_last_one(
    last: str, expected: list[str], output: Output
) -> None:
    output.commit(row(0, "A", 1), row(0, "B", 2), cti=10 * S)
    output.commit(row(10, "A", 3), cti=20 * S)
    assert [cursor for cursor, _, _ in received(output, "1", last=last)] == expected
    assert [cursor for cursor, _, _ in received(output, "1", query=f"?after={last}")] == expected


def test_a_batch_that_is_committed_while_somebody_reads_comes_when_its_report_comes(output: Output) -> None:
    output.commit(row(0, "A", 1), cti=10 * S)

    def commit() -> None:
        output.commit(row(10, "B", 2), cti=20 * S)
        key = keys.reports(str(output.person.organisation.pk), output.run)
        with redis.Redis.from_url(settings.REDIS_URL) as connection:
            connection.xadd(key, {"report": report(output.run, 1)})

    events = received(output, "1", query="?after=newest", after_first=commit)
    assert ids_and_names(events)[-2:] == [("1-0-0", "row"), ("1", "committed")]
    assert "0-0-0" not in [cursor for cursor, _, _ in events]


@pytest.mark.parametrize(("batches", "first"), [(0, "-1"), (2, "1")])
def test_a_stream_begins_with_the_id_after_which_it_continues(batches: int, first: str, output: Output) -> None:
    for number in range(batches):
        output.commit(row(10 * number, "A", number), cti=10 * S)
    assert first_frame(output, "?after=newest") == f"id: {first}\nretry: 2000\n\n"
    output.commit(row(20, "B", 7), cti=30 * S)
    events = received(output, str(batches), last=first)
    assert ids_and_names(events) == [(f"{batches}-0-0", "row"), (str(batches), "committed")]


def test_without_reports_the_folder_is_polled(output: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.monitoring.subscribing.following.LOOK_S", 0.05)
    output.commit(row(0, "A", 1), cti=10 * S)
    events = received(output, "1", after_first=lambda: output.commit(row(10, "B", 2), cti=20 * S))
    assert [cursor for cursor, _, _ in events] == ["0-0-0", "0", "1-0-0", "1"]


def test_a_run_that_starts_without_state_is_an_event(output: Output) -> None:
    output.commit(row(0, "A", 1), cti=10 * S)
    output.run = "another"
    output.commit(row(0, "A", 1), cti=5 * S)
    events = received(output, "1")
    assert ids_and_names(events)[2:] == [("1-0--1", "restarted"), ("1-0-0", "row"), ("1", "committed")]
    assert events[2][2] == {"batch": 1}
    assert received(output, "1", last="1-0--1") == events[3:]


def test_after_all_results_were_deleted_a_client_continues_with_the_next_batch(output: Output) -> None:
    output.commit(row(0, "A", 1), cti=10 * S)
    remove(output.folder, "results", 0)
    events = received(output, "1", last="0", after_first=lambda: output.commit(row(10, "B", 2), cti=20 * S))
    assert ids_and_names(events) == [("1-0-0", "row"), ("1", "committed")]


def test_missing_rows_are_an_event(output: Output) -> None:
    output.commit(row(0, "A", 1), row(0, "B", 1), cti=10 * S)
    output.commit(row(10, "A", 3), cti=20 * S)
    (output.folder / "results" / "part-0-0.jsonl").unlink()
    events = received(output, "1")
    assert events[0] == ("0-0-1", "rows_missing", {"rows": 2})
    assert ids_and_names(events)[1:] == [("0", "committed"), ("1-0-0", "row"), ("1", "committed")]
    assert received(output, "1", last="0-0-1") == events[1:]


def test_a_damaged_file_ends_the_stream_with_a_sentence_after_the_rows_before_it(output: Output) -> None:
    output.commit(row(0, "A", 1), cti=10 * S)
    output.commit(row(10, "A", 3), cti=20 * S)
    (output.folder / "results" / "part-1-0.jsonl").write_bytes(b"")
    events = received(output, "failed")
    assert ids_and_names(events) == [("0-0-0", "row"), ("0", "committed"), (None, "failed")]
    assert events[2][2]["message"].startswith("These results can't be read. Try again in a minute.")


def test_a_damaged_commit_ends_the_stream_with_a_sentence(output: Output) -> None:
    output.commit(row(0, "A", 1), cti=10 * S)
    (output.folder / "commits" / "0.json").write_bytes(b"{")
    [failed] = received(output, "failed")
    assert failed[2]["message"].startswith("These results can't be read. Try again in a minute.")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("?after=x", "after: 'x' isn't the id of an event of this stream."),
        ("?after=7", "after: batch 7 doesn't exist; the newest one is 0."),
        ("?key=speed:1", "This output has no field 'speed'."),
    ],
)
def test_parameters_that_mean_nothing_are_errors(query: str, words: str, output: Output) -> None:
    output.commit(row(0, "A", 1))
    answered = output.person.get(output.path("stream") + query)
    assert (answered.status_code, answered.json()["faults"][0]["message"]) == (422, words)


def test_open_streams_are_limited_for_an_organisation(
    output: Output, bob: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "SUBSCRIBERS", StreamLimit(SUBSCRIBERS.kind, person=2, organisation=3))
    output.commit(row(0, "A", 1))
    taken = [StreamSlot(output.person.organisation.pk, reader, api.SUBSCRIBERS) for reader in "abc"]
    for each in taken:
        each.take()
    refused = bob.get(output.path("stream"))
    assert (refused.status_code, refused.json()["message"][:35]) == (429, "3 streams of results are already op")
    taken.pop().leave()
    opened = bob.get(output.path("stream"))
    assert opened.streaming
    opened.close()
    for each in taken:
        each.leave()
