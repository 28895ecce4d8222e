"""Kafka -> hopping windows joined with a table of PostgreSQL -> Kafka, PostgreSQL and Delta, each one killed once.

Imported CTIs take effect at the boundaries of micro-batches (T26), which a kill moves. The result is deterministic all
the same, because rows of the table arrive before their time: the first ones before the first event, the others before
the feed's CTI reaches their start. So no row meets an imported CTI after its start, wherever batches end. Every other
decision depends only on the order within a partition (T14).
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from psycopg.rows import dict_row

from streaming.spark.sink.committed_rows import committed_lines
from streaming.wire import keys
from streaming.wire.deliveries import DeliveryObserved
from tests.adapters.kafka_output.test_delivering import seen
from tests.adapters.postgresql.tables import SourceDatabase, source_database
from tests.faults.conftest import Runners
from tests.faults.journal import journal
from tests.faults.pipeline import (
    BINDING,
    DESKS,
    EVENTS,
    FOR_EVER_MS,
    LANES,
    RUN,
    SINKS,
    Desk,
    Quote,
    Row,
    expected,
    in_time,
    outputs,
    plan,
    quotes,
)
from tests.faults.spark_processes import spark_processes
from tests.kafka_broker import KafkaBroker
from tests.postgresql import PostgreSQL
from tests.runtime.processes.process import RunnerProcess

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

ROWS_A_BATCH = 4_000
"""An approximate limit, so that each of the parts takes several batches."""
INTO = 2
"""A part is disturbed when so many of its batches are planned."""
KINDS = ("worker", "PostgreSQL", "broker", "runner")


class Pipeline:
    """The pipeline in `runner` with its sources and targets."""

    def __init__(
        self, runner: RunnerProcess, kafka: KafkaBroker, postgresql: PostgreSQL, desks: SourceDatabase
    ) -> None:
        self.runner, self.kafka, self.postgresql, self.desks = runner, kafka, postgresql, desks
        self.topic, self.given = kafka.topic(LANES), kafka.topic(LANES)
        self.sent = 0
        desks.run(DESKS)

    def begin(self) -> None:
        """Start the runner with its run and deliveries."""
        desks = self.desks.options()
        del desks["table"]
        feed = {"brokers": self.kafka.address, "security": "none"}
        self.runner.configuration |= {"outgoing": {"public": False, "networks": ["127.0.0.0/8"]}}
        self.wanted = plan({**feed, "topic": self.topic}, desks)
        self.runner.desire(self.wanted)
        table = {name: value for name, value in desks.items() if name not in {"cursor", "poll_s"}}
        key = ["market", "symbol"]
        wanted = outputs(
            {
                "kafka": {**feed, "topic": self.given, "key": [*key, "start", "end"]},
                "postgresql": {**table, "table": "given", "key": key},
                "delta": {"path": "given", "key": key},
            }
        )
        self.runner.connection.hset(keys.deliveries(self.runner.organisation), BINDING, wanted.model_dump_json())
        self.runner.start()

    def send(self, events: Sequence[Quote]) -> None:
        """Send the next events."""
        for lane in range(LANES):
            mine = [each.message() for at, each in enumerate(events, self.sent) if at % LANES == lane]
            self.kafka.produce(self.topic, mine, lane)
        self.sent += len(events)

    def end_feed(self) -> None:
        """Send CTI infinity in each partition."""
        for lane in range(LANES):
            self.kafka.produce(self.topic, [{"value": None, "headers": {"cti": b"infinity"}}], lane)

    def hand_over(self, desks: Sequence[Desk]) -> None:
        """Write rows of the table, and return when the run has read them."""
        before = self.received("desks")
        for desk in desks:
            values = (desk.market, desk.symbol, desk.desk, desk.since, desk.until)
            self.desks.run("INSERT INTO desks (market, symbol, desk, since, until) VALUES (%s, %s, %s, %s, %s)", values)
        self.wait_until(lambda: self.received("desks") == before + len(desks), "the rows of the table are read")

    def received(self, name: str) -> int:
        """Return the number of rows read from an input."""
        content = self.runner.connection.hget(keys.progress(self.runner.organisation), RUN)
        return int(json.loads(str(content))["inputs"].get(name, {}).get("received", 0)) if content else 0

    def deliveries(self) -> dict[str, DeliveryObserved]:
        """Return the progress of each output."""
        found = self.runner.connection.hgetall(keys.delivered(self.runner.organisation)).values()
        return {each.identity: each for each in map(DeliveryObserved.model_validate_json, map(str, found))}

    def disturb(self, kind: str) -> None:
        """Kill one in the middle of a part, without warning; return when every output has continued."""
        planned = journal(self.runner.folder, BINDING).planned + INTO
        self.wait_until(lambda: journal(self.runner.folder, BINDING).planned >= planned, f"batch {planned}", 0.01)
        assert self.received("feed") < self.sent, "all has been read before it was disturbed"
        before = self.deliveries()
        match kind:
            case "worker":
                self.kill_a_worker()
            case "PostgreSQL":
                self.postgresql.restart()
            case "broker":
                self.kafka.kill()
                self.kafka.start()
            case "runner":
                self.runner.kill()
                self.runner.start()
        self.wait_until(lambda: self.received("feed") == self.sent, f"all rows are read after a killed {kind}")
        self.wait_until(lambda: self.has_continued(before), f"every output continues after a killed {kind}")

    def has_continued(self, before: Mapping[str, DeliveryObserved]) -> bool:
        """Return whether every output has more rows than in `before`."""
        return all((now.delivered or -1) > (before[sink].delivered or -1) for sink, now in self.deliveries().items())

    def kill_a_worker(self) -> None:
        """Kill a worker of Spark."""
        assert self.runner.process is not None
        pid = self.runner.process.pid
        self.wait_until(lambda: bool(spark_processes(pid, "worker")), "there is a worker", 0.01)
        spark_processes(pid, "worker")[0].kill()

    def began(self) -> bool:
        """Return whether every output has received results."""
        return all(each.delivered is not None for each in self.deliveries().values())

    def delivered(self) -> bool:
        """Return whether every output has received all results, including the end."""
        found = self.deliveries()
        return set(found) == set(SINKS) and all(
            each.ended and each.state == "current" and each.waiting_rows == 0 for each in found.values()
        )

    def wait_until(self, reached: Callable[[], bool], what: str, every_s: float = 0.1) -> None:
        """Wait until `reached`; retry a run that failed with an external error, as the web application does."""

        def poll() -> bool:
            seen = self.runner.observed(RUN)
            if seen is not None and seen.state == "failed":
                assert seen.domain == "external", f"{what}: {seen.message}"
                self.retry()
            return reached()

        self.runner.wait_until(poll, what, every_s)

    def retry(self) -> None:
        """Remove the failed run and desire it again; it resumes."""
        self.runner.retry(self.wanted)


@pytest.fixture
def pipeline(runners: Runners, kafka: KafkaBroker, postgresql: PostgreSQL) -> Iterator[Pipeline]:
    with source_database(postgresql, "pipeline") as desks:
        yield Pipeline(runners("piped", ROWS_A_BATCH), kafka, postgresql, desks)


def in_force(events: Sequence[Quote], change: int) -> tuple[list[Desk], list[Desk]]:
    """Return the desks from the start, and later ones for the time from `change`; one symbol has no desk."""
    first = min(event.at_ms for event in events) - 60_000
    known = sorted({(event.market, event.symbol) for event in events})[1:]
    until = {name: change if number % 2 else FOR_EVER_MS for number, name in enumerate(known)}
    early = [Desk(*name, f"{name[0]} desk", first, until[name]) for name in known]
    late = [Desk(*name, "night desk", change, FOR_EVER_MS) for name in known if until[name] == change]
    return early, late


def ms(time: datetime | str) -> int:
    """Return milliseconds since 1970."""
    read = datetime.fromisoformat(time) if isinstance(time, str) else time
    return round(read.astimezone(UTC).timestamp() * 1_000)


def as_row(start: datetime | str, end: datetime | str, payload: dict[str, Any]) -> Row:
    fields = (payload[name] for name in ("market", "symbol", "n", "depth", "high", "desk"))
    return (ms(start), ms(end), *fields)


def found_in(pipeline: Pipeline) -> dict[str, list[Row]]:
    """Return the rows of each sink, as its readers see them."""
    messages = [value for _, value, _ in seen(pipeline.kafka, pipeline.given, LANES)]
    lake = DeltaTable(pipeline.runner.files / "given").to_pyarrow_table().to_pylist()
    with pipeline.desks.connected() as connection:
        table = connection.cursor(row_factory=dict_row).execute("SELECT * FROM given").fetchall()
    found = {
        "kafka": [as_row(value["start"], value["end"], value["payload"]) for value in messages],
        "postgresql": [as_row(row["window_start"], row["window_end"], row) for row in table],
        "delta": [as_row(row["window_start"], row["window_end"], row) for row in lake],
    }
    return {name: sorted(rows, key=str) for name, rows in found.items()}


def test_three_sinks_contain_each_row_once_whatever_is_killed(pipeline: Pipeline, shared_data: Path) -> None:
    events = quotes(shared_data)
    cuts = [EVENTS * number // 5 for number in range(6)]
    parts = [events[low:high] for low, high in pairwise(cuts)]
    change = max(event.at_ms for event in events[: cuts[2]]) + 5_000
    early, late = in_force(events, change)
    pipeline.begin()
    pipeline.hand_over(early)
    pipeline.send(parts[0])
    pipeline.wait_until(pipeline.began, "first results")
    for part, kind in zip(parts[1:], KINDS, strict=True):
        pipeline.send(part)
        pipeline.disturb(kind)
        if kind == KINDS[0]:
            pipeline.hand_over(late)
    pipeline.end_feed()
    pipeline.wait_until(pipeline.delivered, "all is delivered")

    wanted = expected(events, [*early, *late])
    assert len({row[-1] for row in wanted}) > 2
    for sink, rows in found_in(pipeline).items():
        assert rows == wanted, sink
    counts = pipeline.runner.progress(RUN).inputs["feed"]
    too_late = EVENTS - len(list(in_time(events)))
    assert (counts.received, counts.outcomes["dropped_late"]) == (EVENTS, too_late)
    assert too_late > 1_000
    assert len(list(committed_lines(pipeline.runner.folder / "results" / BINDING, "late"))) == too_late
