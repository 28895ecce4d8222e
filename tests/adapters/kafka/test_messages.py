"""Decoded messages: value, key, headers and metadata as fields and times, CTIs in band; without a broker."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.adapters.kafka.decoding import MessageDecoder
from streaming.adapters.kafka.options import KafkaOptions
from streaming.adapters.network.fetching import Reach
from streaming.definition.streams.stream import EventTime, Rowtime, StreamDefinition, TimeColumn
from streaming.temporal.events import Cti, Event
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.outgoing import NOTHING
from streaming.wire.rows.arrived import Arrived
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import Element, MalformedRow
from tests.adapters.kafka.fake_message import APPENDED, CREATED, FakeMessage
from tests.adapters.kafka.topics import POINTS, row


def decoded(stream: StreamDefinition, messages: Sequence[FakeMessage], **options: Any) -> Arrived:
    settings = {"brokers": "b:9092", "topic": "t", **options}
    return MessageDecoder(stream, KafkaOptions.model_validate(settings), Reach(NOTHING)).decode(messages)


def read(stream: StreamDefinition, message: FakeMessage, **options: Any) -> Element:
    """The message as one of a few, which are read one by one, and as one of many, which are read in columns."""
    alone = decoded(stream, [message], **options)
    many = decoded(stream, [replace(message, at=at) for at in range(400)], **options)
    assert list(elements(many)) == list(elements(alone)) * 400
    return next(elements(alone))


def timed(path: str, unit: str = "ms", **fields: str) -> StreamDefinition:
    start = TimeColumn.model_validate({"column": path, "unit": unit})
    return StreamDefinition(fields=fields, event_time=EventTime(start=start))


def test_the_start_is_in_the_value_in_an_object_of_it_in_the_key_or_in_the_metadata() -> None:
    message = FakeMessage(
        b'{"v": 1, "seen": {"at": 5}}',
        named=b'{"at": 6}',
        stamp=(CREATED, 7),
        header_list=[("sent", b"1970-01-01T00:00:00.008Z")],
    )
    for path, unit, start in [
        ("seen.at", "ms", 5_000),
        ("_value.seen.at", "ms", 5_000),
        ("_key.at", "ms", 6_000),
        ("_meta.timestamp", "ms", 7_000),
        ("_meta.headers.sent", "iso", 8_000),
    ]:
        assert read(timed(path, unit, v="long"), message) == Event(start, start + 1, {"v": 1})  # type: ignore[arg-type]
    assert read(timed("_meta.nowhere"), message) == MalformedRow(Reason.BAD_TIME)


def test_fields_are_outside_the_value_if_the_options_say_so() -> None:
    fields = {"v": "long", "who": "string", "id": "long", "part": "long", "trace": "string", "deep": "double"}
    columns = {
        "who": "_key",
        "id": "_key.id",
        "part": "_meta.partition",
        "trace": "_meta.headers.trace",
        "deep": "details.deep",
    }
    message = FakeMessage(
        b'{"ts": 1, "v": 2, "details": {"deep": 2.5}}',
        named=b'{"id": 9}',
        header_list=[("trace", b"x"), ("trace", b"y")],
    )
    found = read(timed("ts", "us", **fields), message, columns=columns)
    expected = {"v": 2, "who": '{"id": 9}', "id": 9, "part": 3, "trace": "y", "deep": 2.5}
    assert found == Event(1, 2, expected)  # type: ignore[arg-type]
    lacking = read(timed("ts", "us", **fields), FakeMessage(b'{"ts": 1}'), columns=columns)
    assert lacking == Event(1, 2, dict.fromkeys(fields) | {"part": 3})  # type: ignore[arg-type]


def test_a_json_key_may_be_a_number() -> None:
    stream = timed("_meta.timestamp", id="long")
    message = FakeMessage(b"{}", named=b"42")
    assert read(stream, message, columns={"id": "_key"}, key="json") == Event(1_000_000, 1_000_001, {"id": 42})  # type: ignore[arg-type]
    assert read(stream, message, columns={"id": "_key"}) == MalformedRow(Reason.BAD_PAYLOAD)


def test_arrivals_are_the_broker_s_timestamps_and_a_producer_s_only_with_implicit_rowtimes() -> None:
    created, appended = FakeMessage(row(1)), FakeMessage(row(1), stamp=(APPENDED, 2_000))
    assert decoded(POINTS, [created]).arrival is None
    arrival = decoded(POINTS, [created, appended]).arrival
    assert arrival is not None
    assert arrival.tolist() == [NO_CTI, 2_000_000]
    implicit = StreamDefinition(fields={"v": "long"}, rowtime=Rowtime.IMPLICIT)
    assert read(implicit, created) == Event(1_000_000, 1_000_001, {"v": 1})  # type: ignore[arg-type]
    assert read(implicit, FakeMessage(row(1), stamp=(0, -1))) == MalformedRow(Reason.BAD_TIME)
    known = decoded(implicit, [created]).arrival
    assert known is not None
    assert known.tolist() == [1_000_000]


@pytest.mark.parametrize(
    ("text", "strict", "expected"),
    [
        ("5", False, Cti(5)),  # type: ignore[arg-type]
        ("5", True, Cti(6)),  # type: ignore[arg-type]
        ("1970-01-01T00:00:01Z", False, Cti(1_000_000)),  # type: ignore[arg-type]
        ("infinity", True, Cti(INFINITY)),
        ("soon", False, MalformedRow(Reason.BAD_CTI)),
    ],
)
def test_ctis_come_by_a_header_or_by_a_field(text: str, strict: bool, expected: Element) -> None:
    by_header = FakeMessage(None, header_list=[("cti", text.encode())])
    assert read(POINTS, by_header, cti_header="cti", cti_strict=strict) == expected
    written = int(text) if text.isdigit() else text
    by_field = FakeMessage(json.dumps({"ts": 1, "bound": written}).encode())
    assert read(POINTS, by_field, cti_field="bound", cti_strict=strict) == expected
    event = FakeMessage(b'{"ts": 1, "k": "a", "v": 1, "bound": null}')
    assert read(POINTS, event, cti_field="bound") == Event(1, 2, {"k": "a", "v": 1})  # type: ignore[arg-type]


def test_without_an_event_time_messages_are_transcript_rows() -> None:
    stream = StreamDefinition(fields={"v": "long"})
    assert read(stream, FakeMessage(b'{"start": 5, "payload": {"v": 1}}')) == Event(5, 6, {"v": 1})  # type: ignore[arg-type]
    assert read(stream, FakeMessage(b'{"start": 5, "v": 1}')) == Event(5, 6, {"v": 1})  # type: ignore[arg-type]
    assert read(stream, FakeMessage(b'{"cti": 7}')) == Cti(7)  # type: ignore[arg-type]


messages = st.builds(
    FakeMessage,
    content=st.one_of(
        st.none(),
        st.binary(max_size=12),
        st.builds(
            lambda ts, v: json.dumps({"ts": ts, "k": "a", "v": v}).encode(),
            st.one_of(st.integers(0, 99), st.just("x"), st.none()),
            st.one_of(st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=3), st.booleans(), st.none()),
        ),
    ),
    named=st.one_of(st.none(), st.binary(max_size=4), st.integers(0, 9).map(lambda n: b"%d" % n)),
    header_list=st.one_of(st.none(), st.just([("cti", b"7")]), st.just([("cti", b"?")])),
    stamp=st.tuples(st.sampled_from([0, CREATED, APPENDED]), st.integers(0, 10**12)),
)


@given(few=st.lists(messages, max_size=12, min_size=1), key=st.sampled_from(["text", "json"]), at=st.integers(0, 11))
def test_a_message_is_read_alike_alone_and_among_many(few: list[FakeMessage], key: str, at: int) -> None:
    stream = StreamDefinition(fields={"v": "long", "who": "string"}, event_time=POINTS.event_time)
    settings = {"columns": {"who": "_key"}, "key": key, "cti_header": "cti"}
    among = [FakeMessage(row(n), named=b"k") for n in range(300)]
    whole = decoded(stream, [*among[:at], *few, *among[at:]], **settings)
    alone = [next(elements(decoded(stream, [each], **settings))) for each in few]
    assert list(elements(whole))[at : at + len(few)] == alone
    for index, each in enumerate(few, at):
        if whole.malformed.get(index):
            assert whole.raw([index]) == decoded(stream, [each], **settings).raw([0])
