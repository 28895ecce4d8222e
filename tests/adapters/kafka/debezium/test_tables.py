"""Changes as the versions of a table (T48, T49), and the options that fit to them."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.debezium.adapter import DebeziumAdapter
from streaming.adapters.network.fetching import Reach
from streaming.definition.streams.stream import EventTime, Rowtime, StreamDefinition, TimeColumn
from streaming.temporal.events import Cti, Event, Shape
from streaming.temporal.outcomes import Reason
from streaming.temporal.tables import MalformedVersion, Version
from streaming.wire.outgoing import NOTHING
from tests.adapters.kafka.debezium.test_changes import history
from tests.adapters.kafka.debezium.topic import CARS, SECOND, ReadLane, WrittenTopic, options_of

TABLE = StreamDefinition(shape=Shape.TABLE, keys=["id"], fields={"id": "long", "car": "string"})


def version(time: int, row: int, car: str) -> Version:
    return Version(time * SECOND, {"id": row, "car": car})  # type: ignore[arg-type]


def deletion(time: int, row: int) -> Version:
    return Version(time * SECOND, {"id": row, "car": None}, deleted=True)  # type: ignore[arg-type]


def test_an_update_is_a_deletion_and_a_version_at_one_time_and_a_deletion_has_its_key_alone() -> None:
    lane = ReadLane(stream=TABLE)
    lane.take(history().messages)
    lane.take([], 10)
    found = [each for each in lane.elements() if not isinstance(each, Cti)]
    assert found == [
        version(10, 1, "a"),
        version(10, 2, "b"),
        version(20, 3, "c"),
        deletion(30, 2),
        version(30, 2, "bbb"),
        deletion(30, 1),
        deletion(40, 3),
        version(40, 30, "c"),
    ]


def test_a_row_without_its_key_is_malformed() -> None:
    lane = ReadLane(stream=TABLE.model_copy(update={"keys": ["car"]}), options=options_of(settle_s=0))
    topic = WrittenTopic()
    topic.change("c", 1, None, (7, 10))
    lane.take(topic.messages)
    assert lane.elements()[0] == MalformedVersion(10 * SECOND, Reason.BAD_PAYLOAD)  # type: ignore[arg-type]


def test_a_stream_of_points_has_an_event_for_each_written_row() -> None:
    start = EventTime(start=TimeColumn(column="_start", unit="us"))
    lane = ReadLane(stream=CARS.model_copy(update={"shape": Shape.POINT, "event_time": start}))
    lane.take(history().messages)
    lane.take([], 10)
    found = [(each.start // SECOND, each.payload["id"]) for each in lane.elements() if isinstance(each, Event)]
    assert found == [(10, 1), (10, 2), (20, 3), (30, 2), (40, 30)]


@pytest.mark.parametrize(
    ("stream", "why"),
    [
        (CARS.model_copy(update={"shape": Shape.POINT}), "Each written row"),
        (TABLE.model_copy(update={"rowtime": Rowtime.IMPLICIT}), "Versions of rows have the times of their commits"),
        (TABLE.model_copy(update={"event_time": EventTime(start=TimeColumn(column="at"))}), "Versions of rows"),
        (CARS.model_copy(update={"fields": {"_end": "long"}}), "The field '_end' can't be _end"),
    ],
)
def test_a_stream_that_does_not_fit_is_refused(stream: StreamDefinition, why: str) -> None:
    with pytest.raises(AdapterError, match=why):
        DebeziumAdapter(options_of(), stream, Path("/nowhere"), None, Reach(NOTHING))


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"format": "protobuf", "schema_text": 'syntax = "proto3";'}, "read in json or avro"),
        ({"cti_field": "cti"}, "CTIs of their own"),
        ({"columns": {"car": "_key.car"}}, "columns of its row"),
        ({"envelope": "canal"}, "debezium"),
        ({"batch_messages": 5}, "remove `batch_messages`"),
        ({"key": "json"}, "remove `key`"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        options_of(**options)
