"""The sink of a carrier as a Spark streaming data source: parts on the executors, manifests in the commit."""

from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSource, DataSourceStreamArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from streaming.spark.messages.envelope import rows_of
from streaming.spark.query.layout import open_carrier
from streaming.spark.sink.part_files import BindingSummary, TaskSink
from streaming.spark.sink.publishing import publish_written


class ResultSink(DataSource):
    """Option `carrier`: the carrier's folder."""

    @classmethod
    def name(cls) -> str:
        """Return the format's name."""
        return "punctual_results"

    def streamWriter(self, schema: StructType, overwrite: bool) -> "ResultWriter":  # noqa: ARG002, N802
        """Return the writer of the carrier."""
        return ResultWriter(self.options)


@dataclass
class TaskWritten(WriterCommitMessage):
    """The output of one task; `batch` is None when it had nothing to write."""

    batch: int | None
    bindings: list[BindingSummary]


class ResultWriter(DataSourceStreamArrowWriter):
    """Writes on the executors, publishes on the driver."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        self._path = options["carrier"]

    def write(self, iterator: Iterator[pa.RecordBatch]) -> TaskWritten:
        """Write the parts of one task. Raises `OSError`."""
        context = TaskContext.get()
        sink = TaskSink(open_carrier(self._path), context.partitionId() if context is not None else 0)
        batch = None
        for arrived in iterator:
            for row in rows_of(arrived):
                batch = row.batch
                sink.take(row)
        return TaskWritten(batch, sink.finish())

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: ARG002, N803
        """Make the batch count, atomically for each binding; repeating it changes nothing."""
        written = [message for message in messages if isinstance(message, TaskWritten)]
        batch = next((message.batch for message in written if message.batch is not None), None)
        summaries = [summary for message in written for summary in message.bindings]
        publish_written(open_carrier(self._path), batch, summaries)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Do nothing: parts that no commit lists do not count."""
