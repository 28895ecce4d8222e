"""A carrier's batches in this process: the same planner, feed, operators and sink, with dictionaries for Spark's state.

A `Crash` ends a batch like a killed process: written files stay, Spark's state does not, and the next batch is planned
again from the journaled offset, as Spark does.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.streaming.stateful_processor import TimerValues

from streaming.engine.operators.bucket import BucketOperators
from streaming.spark.errors import explain_query
from streaming.spark.messages.envelope import CarrierMessage, packed, rows_of, unpacked
from streaming.spark.messages.shared_keys import place_of
from streaming.spark.planning.planner import Planner
from streaming.spark.query.layout import CarrierFolder, CarrierSettings, create
from streaming.spark.query.manifests import Manifest, read_manifest
from streaming.spark.query.offset import Offset
from streaming.spark.sink.part_files import TaskSink
from streaming.spark.sink.publishing import publish_written
from streaming.spark.source.attempts import is_repeated, tasks_of
from streaming.spark.source.feed import run_task
from streaming.spark.source.lane_clocks import purge_clocks
from streaming.spark.stage.stage import StageProcessor

State = dict[tuple[int, str, int], dict[tuple[str], tuple[bytes]]]
"""By stage, place and bucket."""
PAGES = ("page-0", "page-1")


class Crash(Exception):
    """The process was killed here."""


@contextmanager
def fault_of_operators(batch: int) -> Iterator[None]:
    """Make the operators fail in `batch`, after their turn."""
    turn = BucketOperators.turn

    def broken(self: BucketOperators, number: int, envelopes: Any) -> Any:
        released = turn(self, number, envelopes)
        if number == batch:
            raise ArithmeticError("a fault of ours")
        return released

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BucketOperators, "turn", broken)
        yield


class MapInMemory:
    """Spark's map state of one key."""

    def __init__(self, content: dict[tuple[str], tuple[bytes]]) -> None:
        self.content = content

    def getValue(self, key: tuple[str]) -> tuple[bytes] | None:  # noqa: N802
        return self.content.get(key)

    def updateValue(self, key: tuple[str], value: tuple[bytes]) -> None:  # noqa: N802
        self.content[key] = value

    def removeKey(self, key: tuple[str]) -> None:  # noqa: N802
        self.content.pop(key, None)

    def keys(self) -> Iterator[tuple[str]]:
        return iter(tuple(self.content))

    def clear(self) -> None:
        self.content.clear()


class Loop:
    """A carrier whose batches run one by one."""

    def __init__(self, home: Path, location: str | None = None, **settings: Any) -> None:
        self.home = home
        where = home / "carrier" if location is None else location
        content = {"home": str(home), "pages": PAGES if settings.get("buckets", 1) == 1 else (), **settings}
        self.carrier: CarrierFolder = create(where, CarrierSettings(**content))
        self.clock = 0
        self.offset = Offset()
        self.planned: Offset | None = None
        self.state: State = {}
        self.planner = self._planner()

    def restart(self) -> None:
        """Start a new driver on the files of the old one."""
        self.planner = self._planner()

    def batch(self, on_stage: Callable[[str], None] = lambda _: None) -> Manifest | None:
        """Run one batch, first the interrupted one; return None when there is nothing to do. A batch without any output
        has an empty manifest. `on_stage` may raise Crash."""
        if self.planned is None:
            after = self.planner.plan(self.offset)
            if after is self.offset:
                return None
            self.planned = Offset.of_json(after.to_json())
        on_stage("planned")
        state = {key: dict(content) for key, content in self.state.items()}
        rows = [row for task in self._tasks() for batch in run_task(task) for row in rows_of(batch)]
        on_stage("fed")
        self._sink(self._operate(rows, state), on_stage)
        on_stage("published")
        self.state, self.offset, self.planned = state, self.planned, None
        for partition in range(self.carrier.settings.partitions):
            purge_clocks(self.carrier.folder, partition, self.offset.n - 1)
        self.carrier.control.compact(self.offset.control, self.offset.entries)
        return read_manifest(self.carrier.folder, self.offset.n) or Manifest(batch=self.offset.n)

    def killed_at(self, stage: str) -> bool:
        """Kill the next batch at `stage` and restart from its files; return True if it reached the stage."""

        def crash(reached: str) -> None:
            if reached == stage:
                raise Crash

        try:
            self.batch(crash)
        except Crash:
            self.restart()
            return True
        return False

    def run(self) -> list[Manifest]:
        """Run batches until there is nothing to do."""
        return list(iter(self.batch, None))

    def upheld(self) -> list[Manifest]:
        """Run batches until there is nothing to do, and restart the query as its runner does.

        Raises the error that ends it for good.
        """
        found: list[Manifest] = []
        while True:
            manifest, error = self.attempted()
            if error is not None:
                self.restart()
            elif manifest is None:
                return found
            else:
                found.append(manifest)

    def attempted(self) -> tuple[Manifest | None, Exception | None]:
        """Run one batch, or return its error if it is to be repeated. Raises the error that ends the query for good."""
        try:
            return self.batch(), None
        except Exception as error:
            if not is_repeated(self.carrier, explain_query(error)):
                raise
            return None, error

    def _planner(self) -> Planner:
        def now() -> int:
            self.clock += 1_000_000
            return self.clock

        return Planner(self.carrier, now)

    def _tasks(self) -> list[Any]:
        assert self.planned is not None
        return tasks_of(self.carrier, self.planned)

    def _operate(self, rows: list[CarrierMessage], state: State) -> list[CarrierMessage]:
        for number in range(self.carrier.settings.stages):
            rows = self._through(number, rows, state)
        return rows

    def _through(self, number: int, rows: list[CarrierMessage], state: State) -> list[CarrierMessage]:
        groups: dict[tuple[str, int], list[CarrierMessage]] = defaultdict(list)
        pages = self.carrier.settings.pages
        for row in rows:
            groups[place_of(row.binding, pages), row.bucket].append(row)
        found: list[CarrierMessage] = []
        for key, group in groups.items():
            stage = StageProcessor(self.carrier.location, number)
            stage._state = MapInMemory(state.setdefault((number, *key), {}))
            released = stage.handleInputRows(key, packed(group, pages), TimerValues())
            found += [row for each in released for row in unpacked(*each)]
        return found

    def _sink(self, rows: list[CarrierMessage], on_stage: Callable[[str], None]) -> None:
        assert self.planned is not None
        sink = TaskSink(self.carrier, 0)
        for row in rows:
            sink.take(row)
        summaries = sink.finish()
        on_stage("written")
        publish_written(self.carrier, rows[0].batch if rows else None, summaries)
