"""Rows pushed over HTTP: on the disk before they are acknowledged, once for each batch, refused with a sentence."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from streaming.adapters.push.inbox import PushInbox
from tests.webapp.conftest import Person, graph
from webapp.core.context import organisation_context
from webapp.streams import pushed_bodies, pushing
from webapp.streams.adapters import adapter_root

ROWS = [{"start": "2026-11-23T10:00:00Z", "plate": "B-1", "speed": 120.5}, {"cti": "2026-11-23T10:00:05Z"}]
JSON, NDJSON = "application/json", "application/x-ndjson"


def body(**options: Any) -> dict[str, Any]:
    definition = {
        "shape": "point",
        "fields": {"plate": "string", "speed": "double"},
        "advance": {"preset": "watermark(5s)"},
    }
    return {
        "name": "pushed",
        "definition": definition,
        "adapter": {"kind": "push", "options": {"inbox": "a"} | options},
    }


@pytest.fixture
def stream(alice: Person) -> dict[str, Any]:
    answered = alice.post("streams/", body())
    assert answered.status_code == 201, answered.content
    made: dict[str, Any] = answered.json()
    return made


def rows_of(person: Person, stream: dict[str, Any]) -> str:
    return person.url(f"streams/{stream['id']}/rows/")


def send(
    person: Person, stream: dict[str, Any], content: object, kind: str = "application/json", **headers: str
) -> Any:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return person.client.post(rows_of(person, stream), data, content_type=kind, headers=headers)


def stored(person: Person) -> list[bytes]:
    with organisation_context(person.organisation.pk):
        inbox = PushInbox.of(adapter_root(), "a")
    return [line for batch in inbox.between(0, 10**9) for line in batch.lines.splitlines()]


def test_rows_are_stored_in_each_form_and_numbered(alice: Person, stream: dict[str, Any]) -> None:
    text = b'\n{"start": 1, "price": 1.10}\r\n\n{"start": 2}\n'
    answers = [
        send(alice, stream, ROWS),
        send(alice, stream, ROWS[0]),
        send(alice, stream, text, NDJSON),
        send(alice, stream, gzip.compress(b' [ {"a":\n1.10} , {} ] '), **{"Content-Encoding": "gzip"}),
    ]
    assert [(each.status_code, each.json()) for each in answers] == [
        (200, {"first": first, "rows": rows, "again": False}) for first, rows in ((0, 2), (2, 1), (3, 2), (5, 2))
    ]
    assert stored(alice)[3:] == [b'{"start": 1, "price": 1.10}', b'{"start": 2}', b'{"a": 1.10}', b"{}"]
    inbox = alice.get(f"streams/{stream['id']}/rows/").json()
    assert (inbox["oldest"], inbox["next"], inbox["readers"], inbox["unread"]) == (0, 7, 0, 7)


def test_a_batch_that_is_sent_again_counts_once(alice: Person, stream: dict[str, Any]) -> None:
    answers = [send(alice, stream, ROWS, **{"Idempotency-Key": "b1"}).json() for _ in range(3)]
    assert answers == [{"first": 0, "rows": 2, "again": again} for again in (False, True, True)]
    other = send(alice, stream, ROWS[:1], **{"Idempotency-Key": "b1"})
    assert (other.status_code, "id of its own" in other.json()["message"]) == (409, True)
    assert len(stored(alice)) == 2


def test_pushed_rows_are_seen_in_the_sample_of_the_stream(alice: Person, stream: dict[str, Any]) -> None:
    assert alice.get(f"streams/{stream['id']}/sample/").json()["rows"] == []
    send(alice, stream, [*ROWS, {"start": "never"}])
    sample = alice.get(f"streams/{stream['id']}/sample/").json()
    assert [row["payload"] for row in sample["rows"] if row["payload"]] == [{"plate": "B-1", "speed": 120.5}]
    assert len(sample["rows"]) == 3


NO_ROWS = [
    (b" ", JSON, 422, "contains no row"),
    (b"[]", JSON, 422, "contains no row"),
    (b"\n\n", NDJSON, 422, "contains no row"),
    (b"[1, {}, null]", JSON, 422, "2 rows of 3 cannot be read, so none was stored"),
    (b'{"a": 1}\n{"a"\n', NDJSON, 422, "1 row of 2"),
    (b'[{"a": 1} {"b": 2}]', JSON, 422, "comma or ] is missing at character 11"),
    (b'[{"a": 1}', JSON, 422, "comma or ] is missing"),
    (b'[{"a": 1}] x', JSON, 422, "something follows the array"),
    (b"[" * 100_000, JSON, 422, "too many nested brackets"),
    (b'{"a": ' + b"[" * 100_000, NDJSON, 422, "none was stored"),
    (b'{"a": ' + b"1" * 10_000 + b"}", NDJSON, 422, "none was stored"),
    (b'{"a": "\xff"}', NDJSON, 422, "isn't valid UTF-8"),
    (b"a,b\n1,2\n", "text/csv", 415, "application/x-ndjson"),
    (b'{"a": "' + b"x" * (8 << 20) + b'"}', NDJSON, 413, "8192 KiB"),
]


def test_what_holds_no_rows_is_refused_with_a_sentence_and_nothing_is_stored(
    alice: Person, stream: dict[str, Any]
) -> None:
    for content, kind, status, words in NO_ROWS:
        answered = send(alice, stream, content, kind)
        assert (answered.status_code, words in answered.json()["message"]) == (status, True), content[:40]
    assert stored(alice) == []


def test_what_cannot_be_unzipped_is_refused(alice: Person, stream: dict[str, Any]) -> None:
    for content in (b"no gzip", gzip.compress(b" " * (9 << 20)), gzip.compress(b"{}")[:-6]):
        assert send(alice, stream, content, **{"Content-Encoding": "gzip"}).status_code in {413, 422}
    assert send(alice, stream, ROWS, **{"Content-Encoding": "br"}).status_code == 415
    assert send(alice, stream, ROWS, **{"Idempotency-Key": "x" * 101}).status_code == 422
    assert stored(alice) == []


def test_too_many_rows_a_second_wait(alice: Person, stream: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pushing, "limit", lambda name: 1)
    monkeypatch.setattr(pushing, "now_ticks", lambda: 10**15 + 3_000_000)
    assert send(alice, stream, [{}] * 11).status_code == 429
    assert [send(alice, stream, [{}] * 5).status_code for _ in range(3)] == [200, 200, 429]
    refused = send(alice, stream, [{}])
    assert (refused["Retry-After"], refused.json()["code"]) == ("7", "too_many_requests")
    assert len(stored(alice)) == 10
    monkeypatch.setattr(pushing, "now_ticks", lambda: 10**15 + 10_000_000)
    assert send(alice, stream, [{}]).status_code == 200


def test_a_full_inbox_says_who_is_behind(
    alice: Person, stream: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        pushing.InboxLimits, "__init__", lambda self, *_: self.__dict__.update(most_bytes=10, wait_days=1)
    )
    answered = send(alice, stream, ROWS)
    assert (answered.status_code, answered["Retry-After"]) == (429, "5")
    assert "no binding reads it; start one" in answered.json()["message"]


def test_another_kind_of_stream_takes_nothing(alice: Person, cars: dict[str, Any]) -> None:
    for answered in (send(alice, cars, ROWS), alice.get(f"streams/{cars['id']}/rows/")):
        assert (answered.status_code, "Choose HTTP push" in answered.json()["message"]) == (409, True)


def test_others_push_nothing(alice: Person, bob: Person, charlie: Person, stream: dict[str, Any]) -> None:
    path = f"/api/t/zeta/streams/{stream['id']}/rows/"
    assert charlie.client.post(path, b"{}", content_type=NDJSON).status_code == 404
    assert send(bob, stream, ROWS).status_code == 403
    assert Client().post(rows_of(alice, stream), b"{}", content_type=NDJSON).status_code == 401
    token = alice.post("tokens/", {"name": "n", "role": "operator", "expires_in_days": 1, "scopes": ["push"]})
    headers: Any = {"Authorization": f"Bearer {token.json()['token']}"}
    assert Client().post(rows_of(alice, stream), b"{}", content_type=NDJSON, headers=headers).status_code == 200
    assert Client().get(rows_of(alice, stream), headers=headers).status_code == 403


def test_a_damaged_inbox_is_a_sentence_and_its_stream_can_be_deleted(alice: Person, stream: dict[str, Any]) -> None:
    send(alice, stream, ROWS)
    with organisation_context(alice.organisation.pk):
        path: Path = PushInbox.of(adapter_root(), "a").path
    path.write_bytes(b"no database" * 500)
    for answered in (send(alice, stream, ROWS), alice.get(f"streams/{stream['id']}/rows/")):
        assert (answered.status_code, answered.json()["code"]) == (503, "unavailable")


@pytest.mark.django_db(transaction=True)
def test_the_inbox_goes_with_the_last_stream_that_reads_it(alice: Person, stream: dict[str, Any]) -> None:
    send(alice, stream, ROWS)
    again = alice.post("streams/", body() | {"name": "again"}).json()
    assert alice.client.delete(alice.url(f"streams/{stream['id']}/")).status_code == 204
    assert len(stored(alice)) == 2
    assert alice.client.delete(alice.url(f"streams/{again['id']}/")).status_code == 204
    assert stored(alice) == []


def inboxes(person: Person) -> list[str]:
    with organisation_context(person.organisation.pk):
        return sorted(each.stem for each in PushInbox.of(adapter_root(), "a").path.parent.glob("*.sqlite"))


def changed(person: Person, stream: dict[str, Any], **options: Any) -> Any:
    return person.put(f"streams/{stream['id']}/", body(**options))


def test_rows_are_never_left_in_an_inbox_that_nobody_reads(
    alice: Person, stream: dict[str, Any], django_capture_on_commit_callbacks: Any, cars: dict[str, Any]
) -> None:
    send(alice, stream, ROWS)
    refused = changed(alice, stream, inbox="b")
    [fault] = refused.json()["faults"]
    assert (refused.status_code, fault["field"]) == (422, "adapter.options.inbox")
    assert "The inbox a contains rows that no stream would read any more" in fault["message"]
    assert send(alice, stream, ROWS[0]).json()["first"] == 2, "all is as it was"
    renamed = alice.put(f"streams/{stream['id']}/", body() | {"name": "sent"})
    assert renamed.status_code == 200, "a name of the stream is none of its inbox"
    assert send(alice, stream, ROWS[0]).json()["first"] == 3
    other = alice.post("streams/", body() | {"name": "other"}).json()
    with django_capture_on_commit_callbacks(execute=True):
        assert changed(alice, stream, inbox="b").status_code == 200, "another stream reads what is there"
    assert inboxes(alice) == ["a"]
    send(alice, stream, ROWS)
    assert inboxes(alice) == ["a", "b"]
    with django_capture_on_commit_callbacks(execute=True):
        assert (
            alice.put(f"streams/{other['id']}/", body() | {"name": "other", "adapter": cars["adapter"]}).status_code
            == 200
        )
    assert inboxes(alice) == ["b"], "who reads something else lets go of its rows, as who is deleted"


def test_an_inbox_is_not_left_while_a_run_reads_it(alice: Person, stream: dict[str, Any], cars: dict[str, Any]) -> None:
    version = alice.post("queries/", {"graph": graph("q", stream["name"])}).json()["current"]["id"]
    binding = alice.post("bindings/", {"name": "reads", "query_version": version, "inputs": {}}).json()
    assert alice.post(f"bindings/{binding['id']}/start/").status_code == 201
    refused = alice.put(f"streams/{stream['id']}/", body() | {"adapter": cars["adapter"]})
    assert refused.status_code == 409
    assert "The run of reads reads the inbox a of this stream. Stop it first." in refused.json()["message"]


def test_a_batch_that_comes_while_its_stream_is_changed_is_not_acknowledged(
    alice: Person, stream: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    accept = PushInbox.accept

    def meanwhile(self: PushInbox, *args: Any, **options: Any) -> Any:
        assert changed(alice, stream, inbox="b").status_code == 200
        return accept(self, *args, **options)

    monkeypatch.setattr(PushInbox, "accept", meanwhile)
    answered = send(alice, stream, ROWS)
    assert (answered.status_code, answered.json()["code"]) == (503, "unavailable")
    monkeypatch.undo()
    assert send(alice, stream, ROWS).json() == {"first": 0, "rows": 2, "again": False}


MANY = pushed_bodies.SMALL_ROWS + 1
LARGE = [
    (b'{"start": 1}\n' * MANY, NDJSON, MANY),
    (b"[" + b"{},\n" * MANY + b"{}]", JSON, MANY + 1),
    (b'{"deep": ' + b"[" * 900 + b"]" * 900 + b', "wide": [' + b"0," * pushed_bodies.SMALL_BYTES + b"0]}", NDJSON, 1),
]


@pytest.mark.parametrize(("content", "kind", "rows"), LARGE, ids=["many lines", "a long array", "deep and wide"])
def test_a_large_body_is_read_in_a_limited_process_and_stored_as_it_is(
    alice: Person,
    stream: dict[str, Any],
    content: bytes,
    kind: str,
    rows: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = pushed_bodies.read_lines(content.decode(), kind)
    monkeypatch.setattr(pushed_bodies, "read_lines", None)  # here; the limited process has its own
    assert send(alice, stream, content, kind).json() == {"first": 0, "rows": rows, "again": False}
    assert b"".join(line + b"\n" for line in stored(alice)) == expected.lines.encode()
    assert expected.rows == rows


@pytest.mark.parametrize(
    ("content", "kind", "words"),
    [
        (b"{}\n" * (pushed_bodies.MOST_ROWS + 1), NDJSON, "more than 200,000 rows"),
        (b"[" + b"1," * 300_000 + b"1]", JSON, "More than 20 rows cannot be read"),
        (b"{\n" * 300_000, NDJSON, "More than 20 rows cannot be read"),
        (b'{"a": ' + b"[" * 300_000, NDJSON, "too many nested brackets"),
        (b'{"a": ' + b"9" * 300_000 + b"}", NDJSON, "too many digits"),
        (b'[{"a": ' + b"9" * 300_000 + b"}]", JSON, "too many digits"),
    ],
    ids=["too many rows", "numbers for rows", "broken lines", "deep", "a number of many digits", "one in an array"],
)
def test_what_a_large_body_has_wrong_is_a_sentence_and_nothing_is_stored(
    alice: Person, stream: dict[str, Any], content: bytes, kind: str, words: str
) -> None:
    refused = send(alice, stream, content, kind)
    assert refused.status_code == 422
    assert words in json.dumps(refused.json())
    assert len(refused.json()["faults"]) <= pushed_bodies.MOST_TOLD
    assert stored(alice) == []


def test_rows_stay_where_they_are_when_an_adapter_first_reads_the_folder(alice: Person, stream: dict[str, Any]) -> None:
    """An inbox that came before any file: nothing in the organisation's folder is moved but by a person."""
    assert send(alice, stream, ROWS, **{"Idempotency-Key": "first"}).status_code == 200
    with organisation_context(alice.organisation.pk):
        files = adapter_root()
        files.rmdir()
        before = sorted(path.name for path in files.parent.iterdir())
        assert adapter_root() == files
        assert sorted(path.name for path in files.parent.iterdir()) == sorted([*before, "files"])
    assert [json.loads(line) for line in stored(alice)] == ROWS
    assert send(alice, stream, ROWS, **{"Idempotency-Key": "first"}).json()["again"]
