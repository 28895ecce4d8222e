"""Parquet files, then a topic, in a carrier (without Spark's own process), killed at every stage of every batch."""

import json
from pathlib import Path

import pytest

from streaming.definition.streams.stream import StreamDefinition
from streaming.reference import execution as reference
from streaming.transcripts.seam import SourcedRow, joined_rows
from streaming.wire.execution.case import HISTORY_LANE, Case, CaseRow, EndMode
from streaming.wire.execution.case_execution import run_case
from streaming.wire.messages import RunSpec
from tests.adapters.kafka.topics import LOOPBACK
from tests.kafka_broker import KafkaBroker
from tests.spark.history_specs import Reading, add_joined, contents, joined_spec, one_run, readings, write_archive
from tests.spark.loop import Loop
from tests.spark.test_loop import STAGES, states

pytestmark = pytest.mark.kafka
ARCHIVED, ALL = 120, 240


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    home = tmp_path / "files"
    write_archive(home, readings(range(70)))
    write_archive(home, readings(range(70, ARCHIVED)), "archive/2.parquet")
    return Loop(home, outgoing=LOOPBACK.model_dump(), rows_per_batch=25, partitions=2)


def over(kafka: KafkaBroker, topic: str, seam: dict[str, object], **options: str) -> RunSpec:
    """Return the binding that reads the archive, then `topic`."""
    reached = {"brokers": kafka.address, "topic": topic, "security": "none", **options}
    return joined_spec(seam, {"kind": "kafka", "options": reached})


def send(kafka: KafkaBroker, topic: str, rows: list[Reading], partitions: int = 1) -> None:
    """Send each reading to the partition of its number."""
    for partition in range(partitions):
        mine = [json.dumps(row).encode() for row in rows if row["value"] % partitions == partition]
        kafka.produce(topic, mine, partition)


def run_killed(loop: Loop) -> int:
    """Kill every batch once, at one stage after another; return how many there were."""
    batches = 0
    while loop.killed_at(STAGES[batches % len(STAGES)]):
        loop.batch()
        batches += 1
    return batches


def joined_run(wanted: RunSpec, history: list[Reading], live: list[Reading], partitions: int) -> list[tuple[int, str]]:
    """Return the reference's results of history, which names no lane of live, and then of live."""
    stream = wanted.inputs["readings"].stream.model_dump(mode="json")
    stream |= {"event_time": None, "lanes": [str(each) for each in range(partitions)]}
    stream["history"]["seam"] = {"position": 0}
    streams = {"readings": StreamDefinition.model_validate_json(json.dumps(stream))}

    def row(lane: str, each: Reading) -> CaseRow:
        payload = {name: each[name] for name in ("device", "value")}
        return CaseRow("readings", lane, 0, {"start": each["at"], "payload": payload})

    rows = [SourcedRow(row(HISTORY_LANE, each), "history") for each in history]
    rows.append(SourcedRow(CaseRow("readings", HISTORY_LANE, 0, {"history": None}), "history"))
    rows += [SourcedRow(row(str(each["value"] % partitions), each), "live") for each in live]
    case = Case("joined", wanted.query, streams, tuple(joined_rows(rows, streams)), EndMode.NONE)
    result = run_case(reference.execute, case)
    assert result.failure is None
    return sorted((event.start, json.dumps(event.payload)) for event in result.events)


def test_parquet_then_a_topic_equals_one_run_over_the_joined_data(kafka: KafkaBroker, loop: Loop) -> None:
    topic = kafka.topic()
    send(kafka, topic, readings(range(ALL)))
    wanted = over(kafka, topic, {"position": ARCHIVED})
    add_joined(loop, wanted)
    assert run_killed(loop) >= 10
    assert contents(loop.home) == one_run(wanted, [("0", row) for row in readings(range(ALL))], ["0"])


def test_history_of_a_topic_with_partitions_is_a_lane_of_its_own(kafka: KafkaBroker, loop: Loop) -> None:
    topic = kafka.topic(partitions=3)
    send(kafka, topic, readings(range(ALL)), 3)
    wanted = over(kafka, topic, {"position": {str(each): ARCHIVED // 3 for each in range(3)}})
    add_joined(loop, wanted, ["0", "1", "2"])
    assert run_killed(loop) >= 10
    rows = readings(range(ALL))
    assert contents(loop.home) == joined_run(wanted, rows[:ARCHIVED], rows[ARCHIVED:], 3)


def test_a_seam_by_id_reads_the_topic_from_its_own_start(kafka: KafkaBroker, loop: Loop) -> None:
    topic = kafka.topic()
    send(kafka, topic, readings(range(100, ALL)))
    wanted = over(kafka, topic, {"id": "value", "over": "1h"})
    add_joined(loop, wanted)
    run_killed(loop)
    assert contents(loop.home) == one_run(wanted, [("0", row) for row in readings(range(ALL))], ["0"])


def test_live_keeps_its_place_although_it_would_start_at_the_newest(kafka: KafkaBroker, loop: Loop) -> None:
    topic = kafka.topic()
    send(kafka, topic, readings(range(150)))
    wanted = over(kafka, topic, {"position": ARCHIVED}, start="latest")
    add_joined(loop, wanted)
    assert loop.killed_at("published")
    send(kafka, topic, readings(range(150, ALL)))
    run_killed(loop)
    assert contents(loop.home) == one_run(wanted, [("0", row) for row in readings(range(ALL))], ["0"])


@pytest.mark.parametrize("seam", [{"position": 50}, {"time": 400}])
def test_a_place_that_has_gone_from_the_topic_is_refused_before_anything_is_read(
    kafka: KafkaBroker, loop: Loop, seam: dict[str, object]
) -> None:
    topic = kafka.topic()
    send(kafka, topic, readings(range(ALL)))
    kafka.forget(topic, before=60)
    add_joined(loop, over(kafka, topic, seam))
    ((_, domain, message),) = [each for each in states(loop.run(), "a") if each[0] == "failed"]
    assert domain == "user"
    assert message is not None
    assert message.startswith("seam_gone: ")
    assert contents(loop.home) == []


def test_a_place_that_goes_while_history_is_read_fails_the_run(kafka: KafkaBroker, loop: Loop) -> None:
    topic = kafka.topic()
    send(kafka, topic, readings(range(ALL)))
    add_joined(loop, over(kafka, topic, {"position": ARCHIVED}))
    loop.batch()
    loop.batch()
    kafka.forget(topic, before=ARCHIVED + 10)
    loop.clock += 60_000_000  # so that live is polled again
    ((_, domain, message),) = [each for each in states(loop.run(), "a") if each[0] == "failed"]
    assert domain == "user"
    assert message is not None
    assert f"The messages {ARCHIVED} to {ARCHIVED + 9}" in message
