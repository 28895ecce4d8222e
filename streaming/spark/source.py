"""The feed of a carrier as a Spark streaming data source."""

from collections.abc import Iterator, MutableMapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit
from pyspark.sql.types import StructType

from streaming.spark.envelope import SCHEMA_DDL
from streaming.spark.feed import run_task
from streaming.spark.feed_work import TaskWork, share_out
from streaming.spark.lane_clocks import purge_clocks
from streaming.spark.layout import HOLD, opened
from streaming.spark.offset import Offset
from streaming.spark.patience import PatientPlanner
from streaming.spark.planner import Planner
from streaming.spark.secret_client import bear, issued
from streaming.spark.task_places import TaskPlaces
from streaming.spark.tickets import Ticket


class FeedSource(DataSource):
    """Option `carrier`: the carrier's folder."""

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return "punctual_feed"

    def schema(self) -> str:
        """Envelopes."""
        return SCHEMA_DDL

    def streamReader(self, schema: StructType) -> "FeedReader":  # noqa: ARG002, N802
        """The reader of the carrier."""
        return FeedReader(self.options)


class FeedPartition(InputPartition):
    """The work of one task, and the ticket with which it asks for secrets where it may run on another machine."""

    def __init__(self, work: TaskWork, ticket: Ticket | None = None) -> None:
        super().__init__(work)
        self.work = work
        self.ticket = ticket


class FeedReader(DataSourceStreamReader):
    """Plans in the driver's planner process, reads in the workers."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        self._path = options["carrier"]
        self._planner: PatientPlanner | None = None
        self._read: tuple[dict[str, Any], Offset] | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Nothing carried, nothing read."""
        return Offset().to_json()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: ARG002, N802
        """The offset of the next batch, waited for; `start` itself, unchanged, when there is nothing to do."""
        if self._planner is None:
            carrier = opened(self._path)
            self._planner = PatientPlanner(carrier, Planner(carrier), places=self._places)
        before = self._offset(start)
        after = self._planner.plan(before)
        return start if after is before else after.to_json()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """One partition for each task that has work."""
        if start["n"] == end["n"]:
            return []
        offset = self._offset(end)
        if self._places is not None:
            # It has them, but where Spark repeats a batch that was planned before its query was started.
            self._places.wait(lambda: opened(self._path).folder.read(HOLD) is not None)
        settings = opened(self._path).settings
        ticket = issued()
        return [FeedPartition(work, ticket) for work in share_out(self._path, settings.partitions, offset)]

    def _offset(self, content: dict[str, Any]) -> Offset:
        """The offset that Spark tells of, of each batch three times; for a thousand bindings it takes 28 ms to make."""
        if self._read is None or self._read[0] != content:
            self._read = content, Offset.of_json(content)
        return self._read[1]

    @cached_property
    def _places(self) -> TaskPlaces | None:
        settings = opened(self._path).settings
        return None if settings.places is None else TaskPlaces(Path(settings.places), settings.partitions)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The envelopes of one task."""
        work: TaskWork = partition.value
        bear(getattr(partition, "ticket", None))
        return run_task(work)

    def commit(self, end: dict[str, Any]) -> None:
        """Forget lane clocks and commands that no batch can need again."""
        carrier = opened(self._path)
        offset = self._offset(end)
        carrier.control.compact(offset.control, offset.entries)
        for partition in range(carrier.settings.partitions):
            purge_clocks(carrier.folder, partition, end["n"] - 1)
