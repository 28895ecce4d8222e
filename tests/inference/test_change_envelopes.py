"""Changes in Debezium's envelopes are recognised in a sample, with and without a schema."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from streaming.adapters.contract import RecordSample, RecordSpan
from streaming.adapters.kafka.debezium.sampling import sample_of_topic
from streaming.inference.accepting import accepted_stream
from streaming.inference.change_envelopes import sample_input
from streaming.inference.propose import propose
from streaming.temporal.events import Shape
from tests.adapters.kafka.debezium.test_types import ALL, real
from tests.adapters.kafka.debezium.topic import ReadLane, WrittenTopic
from tests.adapters.kafka.fake_message import FakeMessage


@dataclass
class SampledTopic:
    """A topic as the kind `kafka` reads it: messages as records, or as rows of changes."""

    messages: Sequence[FakeMessage]
    envelope: str = "none"

    def sample_records(self, most_records: int, most_bytes: int, *, now: int) -> RecordSample:
        if self.envelope == "debezium":
            reader = ReadLane(stream=ALL.model_copy(update={"fields": {}})).reader
            return sample_of_topic(self.messages[:most_records], reader, "t", most_bytes, now)
        records = [json.loads(each.content) for each in self.messages if each.content is not None]
        return RecordSample([RecordSpan("the beginning", records)], list(records[0]), whole=False)


def sampled(messages: Sequence[FakeMessage], kind: str = "kafka") -> RecordSample:
    def build(more: Mapping[str, Any]) -> Any:
        return SampledTopic(messages, **more)

    return sample_input(build, kind, now=0)


@pytest.mark.parametrize("schemas", [True, False])
def test_rows_of_changes_are_proposed_with_envelope_key_time_and_reason(schemas: bool) -> None:
    sample = sampled(real(schemas=schemas))
    proposal = propose(sample)
    assert proposal.options["envelope"] == "debezium"
    assert proposal.notes[0].startswith("The messages are changes of a table that Debezium writes")
    assert "The key of the messages identifies the row of the table: `id`." in proposal.notes
    assert any("The messages have no schema" in note for note in proposal.notes) is not schemas
    assert accepted_stream(proposal, proposal.times[0]).shape is Shape.EDGE
    assert proposal.times[0].reason == "Debezium reports when each change was committed"
    assert "car" in {each.name for each in proposal.fields}


def test_changes_that_the_envelope_does_not_read_are_proposed_as_they_are_with_the_reason() -> None:
    topic = WrittenTopic()
    topic.change("c", 1, "a", (1, 10), connector="oracle")
    sample = sampled(topic.messages)
    assert "envelope" not in sample.options
    assert "They can't be read as edges: The topic 't' has no change of a row." in sample.notes[0]
    assert "op" in {each.name for each in propose(sample).fields}


@pytest.mark.parametrize(("schemas", "place"), [(True, "`payload.after`"), (False, "`after`")])
def test_another_kind_than_kafka_names_the_place_of_rows(schemas: bool, place: str) -> None:
    sample = sampled(real(schemas=schemas), "file")
    assert sample.options == {}
    assert place in sample.notes[0]


def test_records_that_are_no_changes_stay_as_they_are() -> None:
    messages = [FakeMessage(json.dumps(each).encode(), 0) for each in ({"op": "c", "source": "web"}, {"before": 1})]
    assert not sampled(messages).notes
