"""Every source that supports CTIs: in the format of its rows, strict and not (T2); rows start at arrival (T17)."""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streaming.adapters.contract import InputAdapter
from streaming.adapters.download.adapter import DownloadAdapter
from streaming.adapters.download.options import DownloadOptions
from streaming.adapters.kafka.decoding import MessageDecoder
from streaming.adapters.kafka.options import KafkaOptions
from streaming.adapters.network.fetching import Reach
from streaming.adapters.push.inbox import InboxLimits, PushInbox
from streaming.adapters.registry import input_adapter, kinds
from streaming.definition.streams.stream import EventTime, Rowtime, StreamDefinition, TimeColumn
from streaming.temporal.events import Cti, Event
from streaming.temporal.ticks import INFINITY, Tick
from streaming.wire.messages import ResultRow
from streaming.wire.outgoing import OutgoingPolicy
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import Element
from tests.adapters.binding.feeding import Feeder
from tests.adapters.delta.tables import Lake
from tests.adapters.inputs import chunks, rows, write
from tests.adapters.kafka.test_messages import FakeMessage
from tests.adapters.postgresql.tables import source_database
from tests.adapters.s3.reading import objects
from tests.https import authority, sends, serving
from tests.object_store import object_store

NEAR = OutgoingPolicy(networks=("127.0.0.1/32",))
POINTS = StreamDefinition(fields={"n": "long"}, event_time=EventTime(start=TimeColumn(column="ts", unit="us")))
PLAIN = StreamDefinition(fields={"n": "long"})
BOUNDS = [None, "15", None, "infinity"]
"""A column of CTIs next to the rows of 10 and 20."""
LINES = "".join(
    json.dumps(row) + "\n" for row in ({"ts": 10, "n": 1}, {"end": 15}, {"ts": 20, "n": 2}, {"end": "infinity"})
)
SAID = {"cti_column": "end"}
Given = tuple[Path, bool, pytest.FixtureRequest]


def column(strict: bool) -> dict[str, Any]:
    return {**SAID, "cti_strict": strict}


def files(given: Given, name: str, content: str) -> Sequence[Element]:
    root, strict, _ = given
    write(root / name, content)
    return rows(input_adapter("file", {"path": name, **column(strict)}, POINTS, root))


def csv(given: Given) -> Sequence[Element]:
    return files(given, "a.csv", "ts,n,end\n10,1,\n,,15\n20,2,\n,,infinity\n")


def json_lines(given: Given) -> Sequence[Element]:
    return files(given, "a.jsonl", LINES)


def parquet(given: Given) -> Sequence[Element]:
    root, strict, _ = given
    table = pa.table({"ts": [10, None, 20, None], "n": [1, None, 2, None], "end": BOUNDS})
    pq.write_table(table, root / "a.parquet")
    return rows(input_adapter("file", {"path": "a.parquet", **column(strict)}, POINTS, root))


def delta(given: Given) -> Sequence[Element]:
    root, strict, _ = given
    lake = Lake(root)
    lake.append([1, 0, 2, 0], ts=[10, None, 20, None], end=BOUNDS)
    return rows(lake.reader(None, POINTS, **column(strict)))


def download(given: Given) -> Sequence[Element]:
    root, strict, _ = given
    made = authority(root)
    with serving(made) as server:
        server.answers["/a.jsonl"] = sends(LINES.encode())
        options = DownloadOptions.model_validate({"url": server.url("/a.jsonl"), **column(strict)})
        return rows(DownloadAdapter(options, POINTS, root / "files", root / "journal", made.reach(NEAR)))


def s3(given: Given) -> Sequence[Element]:
    _, strict, _ = given
    with object_store() as store:
        store.client().create_bucket(Bucket="ctis")
        store.put("ctis", "a.jsonl", LINES.encode())
        return rows(objects(store, "ctis", None, POINTS, **column(strict)))


def postgresql(given: Given) -> Sequence[Element]:
    _, strict, request = given
    with source_database(request.getfixturevalue("postgresql"), "ctis") as source:
        source.run('CREATE TABLE seen (id bigserial PRIMARY KEY, ts bigint, n bigint, "end" text)')
        for values in ([10, 1, None], [None, None, "15"], [20, 2, None], [None, None, "infinity"]):
            source.run('INSERT INTO seen (ts, n, "end") VALUES (%s, %s, %s)', values)
        return rows(source.adapter(None, POINTS, **column(strict)))


def marked(bound: object, strict: bool) -> dict[str, Any]:
    return {"cti": bound} | ({"strict": True} if strict else {})


def transcript(strict: bool) -> str:
    rows = [{"start": 10, "n": 1}, marked(15, strict), {"start": 20, "n": 2}, marked(None, strict=False)]
    return "".join(json.dumps(row) + "\n" for row in rows)


def json_lines_by_kind(given: Given) -> Sequence[Element]:
    root, strict, _ = given
    write(root / "a.jsonl", transcript(strict))
    return rows(input_adapter("file", {"path": "a.jsonl"}, PLAIN, root))


def transcript_rows(given: Given) -> Sequence[Element]:
    root, strict, _ = given
    text = transcript(strict).replace('"n": 1', '"payload": {"n": 1}').replace('"n": 2', '"payload": {"n": 2}')
    write(root / "a.jsonl", text)
    return rows(input_adapter("rows", {"path": "a.jsonl"}, PLAIN, root))


def push(given: Given) -> Sequence[Element]:
    root, strict, _ = given
    inbox = PushInbox.of(root / "files", "a")
    inbox.accept(transcript(strict).encode(), 4, batch=None, now=1, limits=InboxLimits(1 << 20, 7))
    return rows(input_adapter("push", {"inbox": "a"}, PLAIN, root / "files"))


def kafka(by: str) -> Callable[[Given], Sequence[Element]]:
    def read(given: Given) -> Sequence[Element]:
        _, strict, _ = given
        settings = {"brokers": "b:1", "topic": "t", "security": "none", by: "end", "cti_strict": strict}
        bounds = [
            FakeMessage(None, header_list=[("end", text.encode())])
            if by == "cti_header"
            else FakeMessage(json.dumps({"end": int(text) if text.isdigit() else text}).encode())
            for text in ("15", "infinity")
        ]
        events = [FakeMessage(json.dumps({"ts": each * 10, "n": each}).encode()) for each in (1, 2)]
        messages = [events[0], bounds[0], events[1], bounds[1]]
        return list(
            elements(MessageDecoder(POINTS, KafkaOptions.model_validate(settings), Reach(NEAR)).decode(messages))
        )

    return read


def binding(given: Given) -> Sequence[Element]:
    """The CTIs of the output, which no person writes: strict ones are already the next tick."""
    root, strict, _ = given
    feeder = Feeder(root)
    for number, cti in ((1, 16 if strict else 15), (2, INFINITY)):
        feeder.commit([ResultRow(output="out", start=number * 10, end=number * 10 + 1, payload={"n": number})], cti)
    return rows(feeder.reader(PLAIN, None))


SOURCES: dict[str, Callable[[Given], Sequence[Element]]] = {
    "file, CSV": csv,
    "file, JSON lines": json_lines,
    "file, JSON lines by kind": json_lines_by_kind,
    "file, Parquet": parquet,
    "download": download,
    "s3": s3,
    "rows": transcript_rows,
    "push": push,
    "kafka, header": kafka("cti_header"),
    "kafka, field": kafka("cti_field"),
    "postgresql": postgresql,
    "delta": delta,
    "binding": binding,
}


@pytest.mark.parametrize("strict", [False, True], ids=["not strict", "strict"])
@pytest.mark.parametrize("source", SOURCES)
def test_a_bound_is_a_cti_and_a_strict_one_is_that_of_the_next_tick(
    tmp_path: Path, request: pytest.FixtureRequest, source: str, strict: bool
) -> None:
    found = SOURCES[source]((tmp_path, strict, request))
    bound = Cti(Tick(16 if strict else 15))
    points = [Event(Tick(10 * each), Tick(10 * each + 1), {"n": each}, None) for each in (1, 2)]
    assert list(found) == [points[0], bound, points[1], Cti(INFINITY)]


def test_every_kind_with_a_cti_column_is_among_the_sources() -> None:
    """Kinds with another way have their own tests."""
    sources = {source.partition(",")[0] for source in SOURCES}
    assert {kind.kind for kind in kinds() if "cti_column" in str(kind.json_schema())} <= sources
    assert sources <= {kind.kind for kind in kinds() if kind.sends_ctis}


def test_an_unreadable_cti_is_malformed_and_its_row_is_shown(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "ts,n,end\n10,1,soon\n20,2,\n")
    adapter = input_adapter("file", {"path": "a.csv", **SAID}, POINTS, tmp_path)
    [chunk] = chunks(adapter)
    assert {row: reason.value for row, reason in chunk.malformed.items()} == {0: "bad_cti"}
    assert chunk.raw([0]) == ["10,1,soon"]


IMPLICIT = StreamDefinition(fields={"n": "long"}, rowtime=Rowtime.IMPLICIT)


def test_with_implicit_rowtimes_rows_of_a_file_start_when_it_was_written(tmp_path: Path) -> None:
    pq.write_table(pa.table({"n": [1, 2]}), tmp_path / "a.parquet")
    write(tmp_path / "b.csv", "n\n3\n4\n", modified_s=2_000)
    write(tmp_path / "c.jsonl", '{"n": 5, "end": null}\n{"end": 9}\n', modified_s=3_000)
    os.utime(tmp_path / "a.parquet", (1_000, 1_000))
    for name, values in (("a.parquet", [1, 2]), ("b.csv", [3, 4]), ("c.jsonl", [5])):
        settings = {"path": name, **(SAID if name == "c.jsonl" else {})}
        found = chunks(input_adapter("file", settings, IMPLICIT, tmp_path))
        at = int((tmp_path / name).stat().st_mtime) * 1_000_000
        read = [each for chunk in found for each in elements(chunk) if isinstance(each, Event)]
        assert [(each.start, each.payload["n"]) for each in read] == [(at, value) for value in values]
        assert all(chunk.arrival is not None and set(chunk.arrival.tolist()) == {at} for chunk in found)


def test_with_implicit_rowtimes_pushed_rows_start_when_their_batch_arrived(tmp_path: Path) -> None:
    inbox = PushInbox.of(tmp_path / "files", "a")
    for number in (1, 2, 3):
        body = json.dumps({"n": number}).encode() + b"\n"
        inbox.accept(body * number, number, batch=None, now=number * 1_000, limits=InboxLimits(1 << 20, 7))

    def read(start: int, end: int) -> list[Any]:
        adapter: InputAdapter = input_adapter("push", {"inbox": "a"}, IMPLICIT, tmp_path / "files")
        return [each for chunk in adapter.read("0", start, end) for each in elements(chunk)]

    assert [each.start for each in read(0, 6)] == [1_000, 2_000, 2_000, 3_000, 3_000, 3_000]
    assert [each.start for each in read(2, 4)] == [2_000, 3_000]


def test_an_older_inbox_takes_rows_and_reports_that_their_arrival_is_unknown(tmp_path: Path) -> None:
    inbox = PushInbox.of(tmp_path / "files", "a")
    limits = InboxLimits(1 << 20, 7)
    inbox.accept(b'{"n": 1}\n', 1, batch=None, now=5, limits=limits)
    with inbox._writing(create=False) as database:
        database.execute("ALTER TABLE batches DROP COLUMN arrived")
        database.execute("PRAGMA user_version = 1")
    adapter = input_adapter("push", {"inbox": "a"}, IMPLICIT, tmp_path / "files")
    assert [chunk.malformed[0].value for chunk in adapter.read("0", 0, 1)] == ["bad_time"]
    inbox.accept(b'{"n": 2}\n', 1, batch=None, now=7, limits=limits)
    first, second = (each for chunk in adapter.read("0", 0, 2) for each in elements(chunk))
    assert not isinstance(first, Event)
    assert isinstance(second, Event)
    assert second.start == 7
