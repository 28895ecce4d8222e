"""Messages with the ids of registered schemas: each is read by its own, and errors of the registry are reported."""

import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from fastavro import parse_schema
from google.protobuf.message_factory import GetMessageClass

from streaming.adapters.contract import AdapterError
from streaming.adapters.formats.protobuf.declarations import compiled
from streaming.adapters.kafka.decoding import MessageDecoder
from streaming.adapters.kafka.formats import registry as registry_module
from streaming.adapters.kafka.formats.framing import framed
from streaming.adapters.kafka.options import KafkaOptions
from streaming.adapters.network.fetching import Reach
from streaming.adapters.registry import adapter_kind, output_kind
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn
from streaming.temporal.events import Cti, Event
from streaming.temporal.outcomes import Reason
from streaming.wire.outgoing import NOTHING, OutgoingPolicy
from streaming.wire.rows.arrived import Arrived
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import MalformedRow
from tests.adapters.kafka.fake_message import FakeMessage
from tests.adapters.kafka.formats.drawn_avro import written
from tests.adapters.kafka.formats.registry_server import PASSWORD, USER, RegistryServer, running_registry
from tests.adapters.kafka.topics import LOOPBACK
from tests.https import authority
from tests.ports import free_port

MOMENT = {"type": "long", "logicalType": "timestamp-millis"}
FIRST = {"type": "record", "name": "Car", "fields": [{"name": "at", "type": MOMENT}, {"name": "v", "type": "int"}]}
SECOND = {
    "type": "record",
    "name": "Car",
    "fields": [
        {"name": "v", "type": "double"},
        {"name": "lane", "type": ["null", "string"], "default": None},
        {"name": "at", "type": MOMENT},
    ],
}
PROTO = """syntax = "proto3";
message Else { string text = 1; }
message Car { int64 at = 1; double v = 2; message Inner { int64 at = 1; double v = 2; } }
"""
STREAM = StreamDefinition(
    fields={"v": "double", "lane": "string"}, event_time=EventTime(start=TimeColumn(column="at", unit="ms"))
)


@pytest.fixture
def registry() -> Iterator[RegistryServer]:
    with running_registry() as server:
        yield server


def body(schema: Any, value: Any) -> bytes:
    return written(parse_schema({**schema, "fields": [_bare(each) for each in schema["fields"]]}), value)


def _bare(field: dict[str, Any]) -> dict[str, Any]:
    return {**field, "type": "long"} if field["type"] is MOMENT else field


def decoder(
    registry: RegistryServer, stream: StreamDefinition = STREAM, reach: Reach | None = None, **options: Any
) -> MessageDecoder:
    base = {"brokers": "b:9092", "topic": "t", "format": "avro", "schema_from": "registry"}
    read = KafkaOptions.model_validate({**base, "registry": registry.address, **options})
    return MessageDecoder(stream, read, reach or Reach(LOOPBACK))


def decoded(values: Sequence[bytes | None], registry: RegistryServer, **options: Any) -> Arrived:
    messages = [FakeMessage(value, at=at) for at, value in enumerate(values)]
    return decoder(registry, **options).decode(messages)


def event(at_ms: int, v: float, lane: str | None = None) -> Event:
    return Event(at_ms * 1_000, at_ms * 1_000 + 1, {"v": v, "lane": lane})  # type: ignore[arg-type]


def test_each_message_is_read_by_the_schema_that_it_was_written_with(registry: RegistryServer) -> None:
    old, new = (registry.add("t-value", json.dumps(each)) for each in (FIRST, SECOND))
    values = [
        framed(old, body(FIRST, {"at": n, "v": n}))
        if n % 3
        else framed(new, body(SECOND, {"at": n, "v": 0.5 * n, "lane": "x"}))
        for n in range(60)
    ]
    expected = [event(n, float(n)) if n % 3 else event(n, 0.5 * n, "x") for n in range(60)]
    assert list(elements(decoded(values, registry))) == expected
    assert registry.asked == [f"GET /schemas/ids/{new}", f"GET /schemas/ids/{old}"]
    alike = [framed(old, body(FIRST, {"at": n, "v": n})) for n in range(300)]
    assert list(elements(decoded(alike, registry))) == [event(n, float(n)) for n in range(300)]


def test_a_schema_registered_during_a_run_is_read_from_its_first_message_on(registry: RegistryServer) -> None:
    made = decoder(registry)
    old = registry.add("t-value", json.dumps(FIRST))
    before = framed(old, body(FIRST, {"at": 1, "v": 1}))
    assert list(elements(made.decode([FakeMessage(before)]))) == [event(1, 1.0)]
    new = registry.add("t-value", json.dumps(SECOND))
    after = framed(new, body(SECOND, {"at": 2, "v": 2.5, "lane": "x"}))
    unfit = {**SECOND, "fields": [{"name": "v", "type": "string"}, *SECOND["fields"][1:]]}
    other = framed(registry.add("t-value", json.dumps(unfit)), body(unfit, {"at": 3, "v": "fast", "lane": None}))
    mixed = [FakeMessage(each, at=at) for at, each in enumerate([before, other, after])]
    expected = [event(1, 1.0), MalformedRow(Reason.BAD_PAYLOAD), event(2, 2.5, "x")]
    assert list(elements(made.decode(mixed))) == expected


def test_an_additional_text_is_the_schema_to_which_all_are_resolved(registry: RegistryServer) -> None:
    fields = [
        {"name": "v", "type": "double"},
        {"name": "lane", "type": "string", "default": "left"},
        {"name": "at", "type": "long"},
    ]
    old = registry.add("t-value", json.dumps(FIRST))
    text = json.dumps({"type": "record", "name": "Car", "fields": fields})
    found = decoded([framed(old, body(FIRST, {"at": 5, "v": 6}))], registry, schema_text=text)
    assert list(elements(found)) == [event(5, 6.0, "left")]


def test_a_message_that_does_not_fit_its_schema_affects_no_other(registry: RegistryServer) -> None:
    known = registry.add("t-value", json.dumps(FIRST))
    other = registry.add("other-value", PROTO, "PROTOBUF")
    broken = registry.add("broken-value", json.dumps({"type": "record", "name": "B", "fields": []}))
    good = framed(known, body(FIRST, {"at": 1, "v": 1}))
    bad = {
        b"": "too few",
        b"\x00\x00": "too few",
        b"\x01" + good[1:]: "begins with the byte 1, not with 0",
        framed(4_711, good[5:]): "does not have the schema 4711",
        framed(other, good[5:]): "of the kind protobuf, not avro",
        framed(broken, good[5:]): "can't be used. The Avro record 'B' has no fields",
        good[:-1]: "does not fit its Avro schema",
        good + b"\x00": "1 byte after its Avro value",
    }
    values = [good, *bad, None, good]
    found = decoded(values, registry)
    rows = list(elements(found))
    assert rows == [event(1, 1.0), *[MalformedRow(Reason.BAD_ROW)] * (len(bad) + 1), event(1, 1.0)]
    texts = found.raw(range(len(values)))
    assert json.loads(texts[0]) == {"at": "1970-01-01T00:00:00.001000Z", "v": 1}
    for text, why in zip(texts[1:], bad.values(), strict=False):
        assert why in json.loads(text)["bad"]
    assert texts[-2] == "null"
    asked = list(registry.asked)
    decoded(values, registry)
    assert registry.asked == asked, "an id is requested once"


def test_protobuf_messages_contain_their_indexes(registry: RegistryServer) -> None:
    number = registry.add("t-value", PROTO, "PROTOBUF")
    file = compiled(PROTO)
    car, inner = (GetMessageClass(file.message(name))(at=7, v=0.5).SerializeToString() for name in ("Car", "Car.Inner"))
    values = [
        framed(number, car, [1]),
        framed(number, inner, [1, 0]),
        framed(number, car, [9]),
        framed(number, b"", [0]),
    ]
    values += [b"\x00\x00\x00\x00\x01", b"\x00\x00\x00\x00\x01\x80", b"\x00\x00\x00\x00\x01\xfe\xff\x03"]
    values.insert(0, b"\x00\x00\x00\x00\x01\x04")  # begins like the one with two indexes, and ends there
    found = decoded(values, registry, format="protobuf")
    bad_row, bad_time = MalformedRow(Reason.BAD_ROW), MalformedRow(Reason.BAD_TIME)
    good = [event(7, 0.5)] * 2
    assert list(elements(found)) == [bad_row, *good, bad_row, bad_time, bad_row, bad_row, bad_row]
    assert "no message type at [9]" in found.raw([3])[0]


def test_references_between_schemas_are_followed(registry: RegistryServer) -> None:
    lane = {"type": "record", "name": "Lane", "fields": [{"name": "name", "type": "string"}]}
    car = {
        "type": "record",
        "name": "Car",
        "fields": [{"name": "at", "type": MOMENT}, {"name": "v", "type": "double"}, {"name": "on", "type": "Lane"}],
    }
    registry.add("lane", json.dumps(lane))
    references = [{"name": "Lane", "subject": "lane", "version": 1}]
    number = registry.add("t-value", json.dumps(car), references=references)
    value = framed(number, b"\x02" + b"\x00" * 8 + b"\x08left")
    assert list(elements(decoded([value], registry, columns={"lane": "on.name"}))) == [event(1, 0.0, "left")]
    references = [{"name": "part.proto", "subject": "part", "version": 1}]
    registry.add("part", 'syntax = "proto3"; message Part { int64 at = 1; }', "PROTOBUF")
    text = 'syntax = "proto3"; import "part.proto"; message Car { Part part = 1; }'
    number = registry.add("u-value", text, "PROTOBUF", references)
    stream = StreamDefinition(fields={}, event_time=EventTime(start=TimeColumn(column="_value.part.at", unit="ms")))
    found = decoded([framed(number, b"\x0a\x02\x08\x05", [0])], registry, format="protobuf", stream=stream)
    assert list(elements(found)) == [Event(5_000, 5_001, {})]  # type: ignore[arg-type]


def test_keys_have_their_own_schemas_and_ctis_come_by_header_or_field(registry: RegistryServer) -> None:
    key_schema = {"type": "record", "name": "Key", "fields": [{"name": "at", "type": MOMENT}]}
    key = framed(registry.add("t-key", json.dumps(key_schema)), body(key_schema, {"at": 9}))
    plain = framed(registry.add("p-key", '"string"'), b"\x06red")
    number = registry.add("t-value", json.dumps(SECOND))
    value = framed(number, body(SECOND, {"at": 5, "v": 1.0, "lane": "9"}))
    by_key = StreamDefinition(
        fields={"v": "double"}, event_time=EventTime(start=TimeColumn(column="_key.at", unit="ms"))
    )
    messages = [FakeMessage(value, named=key), FakeMessage(value, named=b"?"), FakeMessage(value)]
    bad = MalformedRow(Reason.BAD_TIME)
    found = decoder(registry, by_key, key="registry").decode(messages)
    assert list(elements(found)) == [Event(9_000, 9_001, {"v": 1.0}), bad, bad]  # type: ignore[arg-type]
    named = decoder(registry, key="registry", columns={"lane": "_key"}).decode([FakeMessage(value, named=plain)])
    assert list(elements(named)) == [event(5, 1.0, "red")]
    headers = decoder(registry, cti_header="cti").decode(
        [FakeMessage(None, header_list=[("cti", b"8")]), FakeMessage(value)]
    )
    assert list(elements(headers)) == [Cti(8_000), event(5, 1.0, "9")]  # type: ignore[arg-type]
    mixed = [
        FakeMessage(None, header_list=[("cti", b"8")]) if at % 3 == 0 else FakeMessage(value, at=at)
        for at in range(300)
    ]
    found = decoder(registry, cti_header="cti").decode(mixed)
    assert list(elements(found)) == [Cti(8_000), event(5, 1.0, "9"), event(5, 1.0, "9")] * 100  # type: ignore[arg-type]
    assert found.raw([0])[0] == "null"
    nothing = framed(number, body(SECOND, {"at": 5, "v": 1.0, "lane": None}))
    some = [
        FakeMessage(each) for each in (nothing, framed(number, body(SECOND, {"at": 0, "v": 0.0, "lane": "infinity"})))
    ]
    fields = list(elements(decoder(registry, cti_field="lane").decode(some * 200)))
    assert fields[:2] == [event(5, 1.0), Cti(2**63 - 1)]  # type: ignore[arg-type]
    assert fields == fields[:2] * 200


def outcome(registry: RegistryServer, reach: Reach | None = None, **options: Any) -> str:
    """The error of the schema's check, "" if it passes."""
    schemas = decoder(registry, reach=reach, **options).schemas
    assert schemas is not None
    try:
        schemas.check()
    except AdapterError as error:
        return str(error)
    return ""


def test_errors_of_the_registry_are_reported(registry: RegistryServer) -> None:
    assert "does not have the subject 't-value'" in outcome(registry)
    registry.add("t-value", '"string"')
    assert "can't be used" in outcome(registry)
    registry.add("t-value", json.dumps(FIRST))
    assert outcome(registry) == ""
    assert "of the kind avro, not protobuf" in outcome(registry, format="protobuf")
    assert "can't be reached" in outcome(registry, Reach(NOTHING))
    assert "can't be reached" in outcome(registry, Reach(OutgoingPolicy(public=False, networks=("10.0.0.0/8",))))
    assert "Nothing answers at" in outcome(RegistryServer(free_port()))
    latest = "/subjects/t-value/versions/latest"
    for status, content, message in [
        (200, b"<html>", "does not answer like a schema registry"),
        (200, b"[]", "does not answer like a schema registry"),
        (200, b'{"schema": 7}', "does not answer like a schema registry"),
        (200, b'{"schema": "' + b"x" * (5 << 20) + b'"}', "more than 4 MiB"),
        (404, b"<html>", "unlike a schema registry"),
        (302, b"", "answers 302"),
        (503, b"", "answers 503"),
        (403, b"", "answers 403"),
    ]:
        registry.answers[latest] = (status, content)
        assert message in outcome(registry)


def test_a_registry_that_answers_after_a_minute_is_not_waited_for(
    registry: RegistryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry_module, "ANSWERS_S", 0.2)
    registry.waits = threading.Event()
    with pytest.raises(AdapterError, match="takes too long to answer") as raised:
        decoded([framed(1, b"")], registry)
    assert raised.value.domain == "external"
    registry.waits.set()
    number = registry.add("t-value", json.dumps(FIRST))
    value = framed(number, body(FIRST, {"at": 1, "v": 1}))
    assert list(elements(decoded([value], registry))) == [event(1, 1.0)]


def test_a_registry_is_trusted_by_its_certificate_and_gets_the_credentials(tmp_path: Path) -> None:
    with running_registry(tmp_path, signs_in=True) as registry:
        registry.add("t-value", json.dumps(FIRST))
        certificate = authority_text(tmp_path)
        signed = {"registry_certificate_authority": certificate, "registry_user": USER, "registry_password": PASSWORD}
        assert outcome(registry, **signed) == ""
        assert "can't prove that it is" in outcome(registry, registry_user=USER, registry_password=PASSWORD)
        for wrong in ({**signed, "registry_password": "not-this-one"}, {"registry_certificate_authority": certificate}):
            message = outcome(registry, **wrong)
            assert "answers 401" in message
            assert "not-this-one" not in message
        (tmp_path / "other").mkdir()
        authority(tmp_path / "other")
        stranger = authority_text(tmp_path / "other")
        assert "can't prove" in outcome(registry, **{**signed, "registry_certificate_authority": stranger})


def test_the_password_of_a_registry_is_a_secret_that_is_sent_to_one_address() -> None:
    for kind in (adapter_kind("kafka"), output_kind("kafka")):
        assert {"password", "client_key", "registry_password"} == kind.secrets
        assert {"registry", "registry_certificate_authority", "brokers"} <= kind.addresses
    known = {"brokers": "b", "topic": "t", "format": "avro", "schema_from": "registry", "registry": "https://r"}
    read = KafkaOptions.model_validate({**known, "registry_user": USER, "registry_password": PASSWORD})
    assert PASSWORD not in f"{read!r} {read} {read.model_dump_json()}"


def authority_text(folder: Path) -> str:
    return (folder / "chain.pem").read_text(encoding="ascii").partition("-----BEGIN PRIVATE KEY-----")[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"registry": "http://r", "registry_user": "u", "registry_password": "p"}, "only over https"),
        ({"registry": "ftp://r"}, "must begin with https"),
        ({"registry": "https://u:p@r"}, "user name or password"),
        ({"registry": "https://r/?a=b"}, "has a query"),
        ({"registry": None}, "belong together"),
        ({"registry": "https://r", "registry_user": "u"}, "user and password of the registry belong together"),
        ({"registry": "https://r", "format": "json"}, "neither values nor keys use the registry"),
        ({"registry": "https://r", "message": "A", "format": "protobuf"}, "remove `message`"),
        ({"registry": "https://r", "schema_text": "A", "format": "protobuf"}, "need no `schema_text`"),
        ({"schema_from": "text", "registry": None}, "requires `schema_text`"),
        ({"schema_from": "text", "registry": None, "schema_text": "{}", "key": "registry"}, "key 'registry'"),
        ({"schema_from": "text", "registry": None, "schema_text": "{}", "format": "json"}, "json doesn't use"),
    ],
)
def test_conflicting_options_are_refused(options: dict[str, Any], message: str) -> None:
    known = {"brokers": "b", "topic": "t", "format": "avro", "schema_from": "registry"}
    with pytest.raises(ValueError, match=message):
        KafkaOptions.model_validate({**known, **options})
