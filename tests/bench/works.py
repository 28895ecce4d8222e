"""What is measured: each work with its data, the query of Punctual and, where it can say it, that of plain Spark."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from streaming.wire.messages import RunSpec
from tests.bench.data import Source

BINDING: Final = "bench"
Node = dict[str, Any]
Plain = Callable[[Mapping[str, DataFrame]], DataFrame]
STEADY: Final = (1.0, 1.0, 0.5, 1.0, 0.5, 1.0, 0.5, 1.0)
"""Two full batches to warm up, then half and full ones in turns, so that a further row has a cost."""
FEW: Final = (1.0, 0.5, 1.0, 0.5, 1.0)
ONCE: Final = (0.25, 0.5, 1.0)


@dataclass(frozen=True)
class Work:
    """One row of the table.

    `nodes` stand between the inputs, named as `sources`, and the output, which reads the last. `plain` makes the same
    of the inputs as data frames with a watermark; None: plain Spark cannot say it. `columns` are the numbers of the
    result, whose sums are compared unless `alike` is False (an approximation beside an exact result). `batches` are
    parts of a full batch, the first `warm_up` are not counted. `text`: plain Spark reads lines, then `from_json`.
    `duckdb_s`: the tumbling window that DuckDB groups by, as the limit. `message`: Punctual reads the lines of the
    files as messages of that format from a broker, plain Spark the files.
    """

    title: str
    target: str
    sources: Mapping[str, Source]
    nodes: Sequence[Node]
    plain: Plain | None
    columns: tuple[str, ...] = ("n", "total", "mean")
    batches: tuple[float, ...] = STEADY
    warm_up: int = 2
    alike: bool = True
    text: bool = False
    late: Literal["drop", "keep"] = "drop"
    duckdb_s: int | None = None
    message: Literal["json", "avro", "protobuf"] | None = None

    @property
    def lanes(self) -> int:
        """The lanes of each input."""
        return max(source.lanes for source in self.sources.values())

    @property
    def rows(self) -> int:
        """The rows of a full batch, of all inputs together."""
        return sum(source.rows for source in self.sources.values())

    def scaled(self, factor: float) -> "Work":
        """With so many times the rows a batch."""
        return replace(self, sources={name: source.scaled(factor) for name, source in self.sources.items()})

    def spec(self, binding: str = BINDING, folder: str = "in", *, follow: bool = True) -> RunSpec:
        """Punctual's run: delay 5 s, a CTI every 100 events; its inputs are in `<folder>/<input>`, and may grow."""
        inputs = {
            name: self._input(name, source, f"{folder}/{name}", follow=follow) for name, source in self.sources.items()
        }
        entering = [{"id": name, "kind": "input", "stream": name} for name in self.sources]
        leaving = {"id": "out", "kind": "output", "input": self.nodes[-1]["id"]}
        query = {"version": 1, "name": "bench", "nodes": [*entering, *self.nodes, leaving]}
        said = {"organisation": "bench", "binding": binding, "run": binding, "desired": "running"}
        return RunSpec.model_validate({**said, "query": query, "inputs": inputs, "results": f"results/{binding}"})

    def _input(self, name: str, source: Source, path: str, *, follow: bool) -> dict[str, Any]:
        stream = {"fields": source.fields, "event_time": {"start": {"column": "ts"}}}
        advance = {"generate": {"every": 100, "delay": "5s", "final": True}, "late": self.late}
        adapter: dict[str, Any] = {"kind": "file", "options": {"path": path, "follow": follow}}
        if source.lanes > 1:
            adapter = {"kind": "lanes_of_files", "options": {"path": path, "lanes": source.lanes}}
        return {"stream": stream, "adapter": adapter, "advance": advance}


COUNT_SUM_AVG: Final = (
    {"name": "n", "function": "count"},
    {"name": "total", "function": "sum", "of": "value"},
    {"name": "mean", "function": "avg", "of": "value"},
)


def window_node(window: Node, aggregates: Sequence[Node] = COUNT_SUM_AVG, **more: Any) -> Node:
    """A window by key over `events`."""
    node = {"id": "w", "kind": "window", "input": "events", "group_by": ["key"], "window": window}
    return {**node, "aggregates": list(aggregates), **more}


def hopping(size_s: int, hop_s: int) -> Node:
    """A hopping window; a tumbling one where both are the same."""
    return {"kind": "hopping", "size": f"{size_s}s", "hop": f"{hop_s}s"}


def count_sum_avg() -> Sequence[Column]:
    """The same aggregates in Spark's words."""
    return [f.count("*").alias("n"), f.sum("value").alias("total"), f.avg("value").alias("mean")]


def grouped(size_s: int, hop_s: int, columns: Callable[[], Sequence[Column]] = count_sum_avg) -> Plain:
    """Aggregates by window and key of `events`."""

    def made(inputs: Mapping[str, DataFrame]) -> DataFrame:
        window = f.window("ts", f"{size_s} seconds", f"{hop_s} seconds")
        return inputs["events"].groupBy(window, "key").agg(*columns())

    return made
