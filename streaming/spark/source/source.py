"""The feed of a carrier as a Spark streaming data source."""

from collections.abc import Iterator, MutableMapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit
from pyspark.sql.types import StructType

from streaming.spark.messages.envelope import SCHEMA_DDL
from streaming.spark.planning.blocking_planner import BlockingPlanner
from streaming.spark.planning.planner import Planner
from streaming.spark.query.layout import HOLD, open_carrier
from streaming.spark.query.offset import Offset
from streaming.spark.session.secret_client import request_ticket, use_ticket
from streaming.spark.session.task_places import TaskPlaces
from streaming.spark.session.tickets import Ticket
from streaming.spark.source.attempts import tasks_of
from streaming.spark.source.feed import run_task
from streaming.spark.source.feed_work import TaskWork
from streaming.spark.source.lane_clocks import purge_clocks


class FeedSource(DataSource):
    """Option `carrier`: the carrier's folder."""

    @classmethod
    def name(cls) -> str:
        """Return the format's name."""
        return "punctual_feed"

    def schema(self) -> str:
        """Return the columns of envelopes."""
        return SCHEMA_DDL

    def streamReader(self, schema: StructType) -> "FeedReader":  # noqa: ARG002, N802
        """Return the reader of the carrier."""
        return FeedReader(self.options)


class FeedPartition(InputPartition):
    """The work of one task, with a ticket for secrets if it may run on another machine."""

    def __init__(self, work: TaskWork, ticket: Ticket | None = None) -> None:
        super().__init__(work)
        self.work = work
        self.ticket = ticket


class FeedReader(DataSourceStreamReader):
    """Plans in the driver's planner process, reads in the workers."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        self._path = options["carrier"]
        self._planner: BlockingPlanner | None = None
        self._read: tuple[dict[str, Any], Offset] | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Return the offset with nothing carried and nothing read."""
        return Offset().to_json()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: ARG002, N802
        """Wait for the offset of the next batch; return `start` itself, unchanged, when there is nothing to do."""
        if self._planner is None:
            carrier = open_carrier(self._path)
            self._planner = BlockingPlanner(carrier, Planner(carrier), places=self._places)
        before = self._offset(start)
        after = self._planner.plan(before)
        return start if after is before else after.to_json()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Return one partition for each task that has work."""
        if start["n"] == end["n"]:
            return []
        offset = self._offset(end)
        if self._places is not None:
            # The query has its places already, unless Spark repeats a batch that was planned before the query started.
            self._places.wait(lambda: open_carrier(self._path).folder.read(HOLD) is not None)
        ticket = request_ticket()
        return [FeedPartition(work, ticket) for work in tasks_of(open_carrier(self._path), offset)]

    def _offset(self, content: dict[str, Any]) -> Offset:
        """Decode an offset from Spark, which passes each one three times; for a thousand bindings it takes 28 ms."""
        if self._read is None or self._read[0] != content:
            self._read = content, Offset.of_json(content)
        return self._read[1]

    @cached_property
    def _places(self) -> TaskPlaces | None:
        settings = open_carrier(self._path).settings
        return None if settings.places is None else TaskPlaces(Path(settings.places), settings.partitions)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the envelopes of one task."""
        work: TaskWork = partition.value
        use_ticket(getattr(partition, "ticket", None))
        return run_task(work)

    def commit(self, end: dict[str, Any]) -> None:
        """Delete lane clocks and commands that no batch can need again."""
        carrier = open_carrier(self._path)
        offset = self._offset(end)
        carrier.control.compact(offset.control, offset.entries)
        for partition in range(carrier.settings.partitions):
            purge_clocks(carrier.folder, partition, end["n"] - 1)
