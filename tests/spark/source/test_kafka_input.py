"""A binding over topics in a carrier (without Spark's own process): kills, added partitions, the reference's rows."""

import json
from pathlib import Path
from typing import Any

import pytest

from streaming.definition.streams.stream import StreamDefinition
from streaming.reference import execution as reference
from streaming.spark.query.control import AddBinding, StopBinding
from streaming.spark.sink.committed_rows import committed_lines
from streaming.wire.execution.case import Case, CaseRow, EndMode
from streaming.wire.execution.case_execution import run_case
from streaming.wire.messages import RunSpec
from tests.adapters.kafka.topics import LOOPBACK, aborted
from tests.kafka_broker import KafkaBroker
from tests.spark.loop import Loop
from tests.spark.planning.test_carrying_over import beginning
from tests.spark.specs import spec
from tests.spark.test_loop import states

pytestmark = pytest.mark.kafka


def over(kafka: KafkaBroker, topic: str, **changes: Any) -> RunSpec:
    """Return the count and sum of `spec`, for the messages of `topic`."""
    content = json.loads(spec("a", "none").model_dump_json())
    options = {"brokers": kafka.address, "topic": topic, "security": "none"}
    content["inputs"]["readings"]["adapter"] = {"kind": "kafka", "options": options}
    content["inputs"]["readings"]["stream"] |= {"event_time": {"start": {"column": "at", "unit": "us"}}, **changes}
    return RunSpec.model_validate_json(json.dumps(content))


def readings(numbers: range) -> list[dict[str, Any]]:
    """Return readings of two devices, every fifth late."""
    return [
        {"at": number * 3 - (40 if number % 5 == 4 else 0) + 100, "device": f"d{number % 2}", "value": number}
        for number in numbers
    ]


def as_bytes(rows: list[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(row).encode() for row in rows]


def expected(wanted: RunSpec, rows: dict[str, list[dict[str, Any]]], batch: dict[str, int]) -> list[tuple[int, str]]:
    """Return the reference results for rows read lane by lane; a lane exists from the batch `batch` on."""
    stream = wanted.inputs["readings"].stream.model_dump(mode="json")
    stream |= {"event_time": None, "lanes": sorted(rows)}
    case = Case(
        "kafka",
        wanted.query,
        {"readings": StreamDefinition.model_validate_json(json.dumps(stream))},
        tuple(
            CaseRow(
                "readings",
                lane,
                batch[lane],
                {"start": row["at"], "payload": {name: row[name] for name in ("device", "value")}},
            )
            for lane, mine in sorted(rows.items(), key=lambda each: batch[each[0]])
            for row in mine
        ),
        EndMode.NONE,
    )
    result = run_case(reference.execute, case)
    assert result.failure is None
    return sorted((event.start, json.dumps(event.payload)) for event in result.events)


def read_rows(loop: Loop) -> list[tuple[int, str]]:
    lines = committed_lines(loop.home / "results" / "a", "results")
    return sorted((line["start"], json.dumps(line["payload"])) for line in lines)


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    return Loop(tmp_path, outgoing=LOOPBACK.model_dump(), rows_per_batch=30, partitions=2)


def several(loop: Loop) -> None:
    """Run as many batches as needed: with an idle rule there is always another one, because time passes."""
    for _ in range(8):
        loop.batch()


def add(loop: Loop, wanted: RunSpec, lanes: int) -> None:
    known = {"readings": [str(lane) for lane in range(lanes)]}
    loop.carrier.control.append(
        AddBinding(kind="add", tick=0, spec=wanted, bucket_ids=[0], lanes=known, at_end="flush")
    )


def test_a_kill_at_every_stage_of_every_batch_gives_the_rows_of_the_reference(kafka: KafkaBroker, loop: Loop) -> None:
    topic = kafka.topic(partitions=3)
    rows = {str(lane): readings(range(lane, 150, 3)) for lane in range(3)}
    for lane, mine in rows.items():
        kafka.produce(topic, as_bytes(mine[:20]), int(lane))
        aborted(kafka, topic, range(5), int(lane))
        kafka.produce(topic, as_bytes(mine[20:]), int(lane))
    wanted = over(kafka, topic)
    add(loop, wanted, 3)
    for stage in ["planned", "fed", "written", "published"]:
        assert loop.killed_at(stage)
        loop.batch()
    loop.run()
    assert read_rows(loop) == expected(wanted, rows, dict.fromkeys(rows, 0))


def test_rows_that_were_deleted_before_they_were_read_are_not_counted_as_replayed(
    kafka: KafkaBroker, loop: Loop
) -> None:
    topic = kafka.topic()
    kafka.produce(topic, as_bytes(readings(range(1_000))))
    kafka.forget(topic, before=1_000)
    kafka.produce(topic, as_bytes(readings(range(20))))
    aborted(kafka, topic, range(5))
    kafka.produce(topic, as_bytes(readings(range(20, 30))))
    add(loop, over(kafka, topic), 1)
    several(loop)
    loop.carrier.control.append(StopBinding(kind="stop", tick=0, binding="a", flush=False))
    several(loop)
    content = json.loads(over(kafka, topic).model_dump_json()) | {"run": "a-2"}
    content["query"]["nodes"][1]["where"] = "value >= 0"
    add(loop, RunSpec.model_validate_json(json.dumps(content)), 1)
    several(loop)
    start = beginning(loop, "a-2")
    assert (start.rows_again, start.rows_at_most) == (30, True), "not the 1,036 of the offset"
    assert "at most 30 rows" in start.sentence


@pytest.mark.parametrize("together", [False, True])
def test_an_added_partition_joins_at_the_cti_of_the_input(kafka: KafkaBroker, loop: Loop, together: bool) -> None:
    topic = kafka.topic(partitions=2)
    both = {str(lane): readings(range(lane, 80, 2)) for lane in range(2)}
    for lane, mine in both.items():
        kafka.produce(topic, as_bytes(mine), int(lane))
    wanted = over(kafka, topic)
    if together:
        content = json.loads(wanted.model_dump_json())
        content["inputs"]["readings"]["stream"]["advance"]["idle_after"] = "1h"
        wanted = RunSpec.model_validate_json(json.dumps(content))
    add(loop, wanted, 2)
    several(loop)
    before = read_rows(loop)
    kafka.grow(topic, 3)
    late, fresh = readings(range(30, 50)), readings(range(85, 130))
    kafka.produce(topic, as_bytes([*late, *fresh]), 2)
    for lane in both:
        kafka.produce(topic, as_bytes(readings(range(80, 130))), int(lane))
    loop.clock += 60_000_000  # so that the topic is polled again for its partitions
    assert loop.killed_at("fed")
    several(loop)
    after = read_rows(loop)
    assert [each for each in after if each in before] == before, "final results do not change"
    counted = sum(json.loads(payload)["n"] for start, payload in after if start >= 400)
    assert counted > 0
    quarantined = committed_lines(loop.home / "results" / "a", "late")
    of_new = [json.loads(each["raw"])["value"] for each in quarantined if each["lane"] == "2"]
    assert [value for value in of_new if value < 50] == list(range(30, 50)), (
        "all of them are before the CTI it joined at"
    )


def test_a_topic_that_is_deleted_during_a_run_fails_only_that_run(kafka: KafkaBroker, loop: Loop) -> None:
    gone, stays = kafka.topic(), kafka.topic()
    rows = readings(range(150))
    for topic in (gone, stays):
        kafka.produce(topic, as_bytes(rows[:60]))
    wanted = over(kafka, stays)
    add(loop, wanted, 1)
    content = json.loads(over(kafka, gone).model_dump_json())
    content |= {"binding": "b", "run": "b-1", "results": "results/b"}
    add(loop, RunSpec.model_validate_json(json.dumps(content)), 1)
    loop.batch()
    kafka.delete(gone)
    kafka.produce(stays, as_bytes(rows[60:]))
    (ended,) = [each for each in states(loop.run(), "b") if each[0] == "failed"]
    assert ended[1] == "user"
    assert f"There is no topic '{gone}'" in ended[2]
    assert read_rows(loop) == expected(wanted, {"0": rows}, {"0": 0})
