"""Kafka -> hopping windows joined with a table of PostgreSQL -> Kafka, PostgreSQL and Delta, each of them killed once.

Imported CTIs take effect at the boundaries of micro-batches (T26), which a kill moves. The right result is determined
all the same, because rows of the table come before their time: the first ones are read before there is an event, the
others before the feed's CTI has come to where they begin. So none meets an imported CTI that is above its start,
wherever the batches are cut; every other decision follows the order within a partition alone (T14).
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

from streaming.spark.committed_rows import committed_lines
from streaming.spark.layout import opened
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
from tests.runtime.process import RunnerProcess

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

ROWS_A_BATCH = 4_000
"""About, so that each of the parts takes several batches."""
INTO = 2
"""A part is disturbed when so many of its batches are planned."""
KINDS = ("worker", "PostgreSQL", "broker", "runner")


class Pipeline:
    """The pipeline in `runner`, and what stands around it."""

    def __init__(
        self, runner: RunnerProcess, kafka: KafkaBroker, postgresql: PostgreSQL, desks: SourceDatabase
    ) -> None:
        self.runner, self.kafka, self.postgresql, self.desks = runner, kafka, postgresql, desks
        self.topic, self.given = kafka.topic(LANES), kafka.topic(LANES)
        self.sent = 0
        desks.run(DESKS)

    def begin(self) -> None:
        """Start the runner with all that is wanted of it."""
        desks = self.desks.options()
        del desks["table"]
        feed = {"brokers": self.kafka.address, "security": "none"}
        self.runner.told |= {"outgoing": {"public": False, "networks": ["127.0.0.0/8"]}}
        self.wanted = plan({**feed, "topic": self.topic}, desks)
        self.runner.desire(self.wanted)
        table = {name: said for name, said in desks.items() if name not in {"cursor", "poll_s"}}
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
        """Let the next events arrive."""
        for lane in range(LANES):
            mine = [each.message() for at, each in enumerate(events, self.sent) if at % LANES == lane]
            self.kafka.produce(self.topic, mine, lane)
        self.sent += len(events)

    def end_feed(self) -> None:
        """Let CTI infinity arrive in each partition."""
        for lane in range(LANES):
            self.kafka.produce(self.topic, [{"value": None, "headers": {"cti": b"infinity"}}], lane)

    def hand_over(self, desks: Sequence[Desk]) -> None:
        """Write rows of the table, and return when they are read."""
        before = self.received("desks")
        for desk in desks:
            values = (desk.market, desk.symbol, desk.desk, desk.since, desk.until)
            self.desks.run("INSERT INTO desks (market, symbol, desk, since, until) VALUES (%s, %s, %s, %s, %s)", values)
        self.wait_until(lambda: self.received("desks") == before + len(desks), "the rows of the table are read")

    def received(self, name: str) -> int:
        """So many rows of an input are read."""
        content = self.runner.connection.hget(keys.progress(self.runner.organisation), RUN)
        return int(json.loads(str(content))["inputs"].get(name, {}).get("received", 0)) if content else 0

    def deliveries(self) -> dict[str, DeliveryObserved]:
        """How far each output is."""
        found = self.runner.connection.hgetall(keys.delivered(self.runner.organisation)).values()
        return {each.identity: each for each in map(DeliveryObserved.model_validate_json, map(str, found))}

    def disturb(self, kind: str) -> None:
        """Kill one, with no warning, in the midst of a part; return when every output has gone on after it."""
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
        self.wait_until(lambda: self.went_on(before), f"every output goes on after a killed {kind}")

    def went_on(self, before: Mapping[str, DeliveryObserved]) -> bool:
        """Whether every output has more than it had then."""
        return all((now.delivered or -1) > (before[sink].delivered or -1) for sink, now in self.deliveries().items())

    def kill_a_worker(self) -> None:
        """SIGKILL to a process of Spark that computes."""
        assert self.runner.process is not None
        pid = self.runner.process.pid
        self.wait_until(lambda: bool(spark_processes(pid, "worker")), "there is a worker", 0.01)
        spark_processes(pid, "worker")[0].kill()

    def began(self) -> bool:
        """Whether every output has had results."""
        return all(each.delivered is not None for each in self.deliveries().values())

    def delivered(self) -> bool:
        """Whether every output has all there will ever be."""
        found = self.deliveries()
        return set(found) == set(SINKS) and all(
            each.ended and each.state == "current" and each.waiting_rows == 0 for each in found.values()
        )

    def wait_until(self, reached: Callable[[], bool], what: str, every_s: float = 0.1) -> None:
        """Wait for it; a run that failed because somebody was away is asked for again, as the web application does."""

        def looked() -> bool:
            seen = self.runner.observed(RUN)
            if seen is not None and seen.state == "failed":
                assert seen.domain == "external", f"{what}: {seen.message}"
                self.ask_again()
            return reached()

        self.runner.wait_until(looked, what, every_s)

    def ask_again(self) -> None:
        """Give the failed run up and want it once more; it goes on where it was."""
        self.runner.desire()
        carrier = opened(str(self.runner.folder / "carriers" / "main"))
        self.runner.wait_until(lambda: not carrier.control.commanded(), "the failed run is given up")
        self.runner.desire(self.wanted)
        self.runner.wait_until(lambda: self.runner.state(RUN) != "failed", "the run is carried again")


@pytest.fixture
def pipeline(runners: Runners, kafka: KafkaBroker, postgresql: PostgreSQL) -> Iterator[Pipeline]:
    with source_database(postgresql, "pipeline") as desks:
        yield Pipeline(runners("piped", ROWS_A_BATCH), kafka, postgresql, desks)


def in_force(events: Sequence[Quote], change: int) -> tuple[list[Desk], list[Desk]]:
    """Desks known from the start, and those that come later, for the time from `change` on; one symbol has none."""
    first = min(event.at_ms for event in events) - 60_000
    known = sorted({(event.market, event.symbol) for event in events})[1:]
    until = {name: change if number % 2 else FOR_EVER_MS for number, name in enumerate(known)}
    early = [Desk(*name, f"{name[0]} desk", first, until[name]) for name in known]
    late = [Desk(*name, "night desk", change, FOR_EVER_MS) for name in known if until[name] == change]
    return early, late


def ms(time: datetime | str) -> int:
    """Milliseconds since 1970."""
    read = datetime.fromisoformat(time) if isinstance(time, str) else time
    return round(read.astimezone(UTC).timestamp() * 1_000)


def as_row(start: datetime | str, end: datetime | str, said: dict[str, Any]) -> Row:
    fields = (said[name] for name in ("market", "symbol", "n", "depth", "high", "desk"))
    return (ms(start), ms(end), *fields)


def found_in(pipeline: Pipeline) -> dict[str, list[Row]]:
    """What each sink holds, as its readers see it."""
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


def test_three_sinks_hold_each_row_once_whatever_is_killed(pipeline: Pipeline, shared_data: Path) -> None:
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
