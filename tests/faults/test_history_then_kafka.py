"""An archive in Parquet, then a topic, on Spark: worker, broker and runner are killed before, at and after the seam."""

import pytest

from streaming.wire.messages import RunSpec
from tests.faults.conftest import Runners
from tests.faults.journal import journal
from tests.faults.spark_processes import spark_processes
from tests.kafka_broker import KafkaBroker
from tests.runtime.processes.process import RunnerProcess
from tests.spark.history_specs import contents, joined_spec, one_run, readings, write_archive
from tests.spark.source.test_history_then_kafka import send

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.thorough]

ROWS_A_BATCH = 150
ARCHIVED, ALL = 1_500, 3_000
SEAM = ARCHIVED // ROWS_A_BATCH + 1
"""The batch that ends the history, if the first one reads rows."""


def begun(runner: RunnerProcess, kafka: KafkaBroker) -> RunSpec:
    """Start the run over the archive and then the topic, which has only a part of the live rows yet."""
    topic = kafka.topic()
    send(kafka, topic, readings(range(ARCHIVED + 300)))
    write_archive(runner.files, readings(range(ARCHIVED - 200)))
    write_archive(runner.files, readings(range(ARCHIVED - 200, ARCHIVED)), "archive/2.parquet")
    reached = {"brokers": kafka.address, "topic": topic, "security": "none"}
    wanted = joined_spec({"position": ARCHIVED}, {"kind": "kafka", "options": reached})
    wanted = wanted.model_copy(update={"organisation": runner.organisation})
    runner.configuration |= {"outgoing": {"public": False, "networks": ["127.0.0.0/8"]}}
    runner.desire(wanted)
    runner.start()
    return wanted


def received(runner: RunnerProcess) -> int:
    inputs = {} if runner.batch("a-1") == 0 else runner.progress("a-1").inputs
    return inputs["readings"].received if "readings" in inputs else 0


def kill_a_worker(runner: RunnerProcess) -> None:
    assert runner.process is not None
    pid = runner.process.pid
    runner.wait_until(lambda: bool(spark_processes(pid, "worker")), "there is a worker", 0.01)
    spark_processes(pid, "worker")[0].kill()


def test_kills_during_the_seam_lose_and_repeat_no_row(runners: Runners, kafka: KafkaBroker) -> None:
    runner = runners("archive", ROWS_A_BATCH)
    wanted = begun(runner, kafka)

    def reach(batch: int) -> None:
        runner.wait_until(lambda: journal(runner.folder, "a").planned >= batch, f"batch {batch} is planned", 0.003)

    for batch in (3, SEAM - 1, SEAM, SEAM + 1, SEAM + 2):
        reach(batch)
        runner.kill()
        runner.start()
    topic = wanted.inputs["readings"].adapter.options["topic"]
    runner.wait_until(lambda: received(runner) >= ARCHIVED, "the history is read")
    kafka.kill()
    kafka.start()
    send(kafka, topic, readings(range(ARCHIVED + 300, ALL)))
    reach(SEAM + 4)
    kill_a_worker(runner)
    runner.wait_until(lambda: received(runner) == ALL, "all rows are read")
    assert contents(runner.folder) == one_run(wanted, [("0", row) for row in readings(range(ALL))], ["0"])
    assert runner.progress("a-1").inputs["readings"].outcomes.get("overlap", 0) == 0
