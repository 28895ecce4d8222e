"""The form of a work: its data, Punctual's query and, if plain Spark can express it, its query."""

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
"""Two full batches to warm up, then half and full ones in turns, from which the cost of another row follows."""
FEW: Final = (1.0, 0.5, 1.0, 0.5, 1.0)
ONCE: Final = (0.25, 0.5, 1.0)


@dataclass(frozen=True)
class Work:
    """One row of the table.

    `nodes` are between the inputs, named as `sources`, and the output, which reads the last node. `plain` computes the
    same from the inputs as data frames with a watermark; None: plain Spark can't express it. `columns` are the numbers
    of the result; their sums are compared unless `alike` is False (an approximation compared with an exact result).
    `batches` are fractions of a full batch, the first `warm_up` aren't counted. `text`: plain Spark reads lines, then
    `from_json`. `duckdb_s`: the tumbling window that DuckDB groups by, as the limit. `message`: Punctual reads the
    lines of the files as messages of that format from a broker, plain Spark reads the files.
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
        """The number of rows of a full batch, of all inputs together."""
        return sum(source.rows for source in self.sources.values())

    def scaled(self, factor: float) -> "Work":
        """Return the work with `factor` times the rows of each batch."""
        return replace(self, sources={name: source.scaled(factor) for name, source in self.sources.items()})

    def spec(self, binding: str = BINDING, folder: str = "in", *, follow: bool = True) -> RunSpec:
        """Return Punctual's run: delay 5 s, a CTI every 100 events; its inputs in `<folder>/<input>` may grow."""
        inputs = {
            name: self._input(name, source, f"{folder}/{name}", follow=follow) for name, source in self.sources.items()
        }
        entering = [{"id": name, "kind": "input", "stream": name} for name in self.sources]
        leaving = {"id": "out", "kind": "output", "input": self.nodes[-1]["id"]}
        query = {"version": 1, "name": "bench", "nodes": [*entering, *self.nodes, leaving]}
        names = {"organisation": "bench", "binding": binding, "run": binding, "desired": "running"}
        return RunSpec.model_validate({**names, "query": query, "inputs": inputs, "results": f"results/{binding}"})

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
    """Return a window by key over `events`."""
    node = {"id": "w", "kind": "window", "input": "events", "group_by": ["key"], "window": window}
    return {**node, "aggregates": list(aggregates), **more}


def hopping(size_s: int, hop_s: int) -> Node:
    """Return a hopping window; a tumbling one if both values are equal."""
    return {"kind": "hopping", "size": f"{size_s}s", "hop": f"{hop_s}s"}


def count_sum_avg() -> Sequence[Column]:
    """Return the same aggregates in Spark's functions."""
    return [f.count("*").alias("n"), f.sum("value").alias("total"), f.avg("value").alias("mean")]


def grouped(size_s: int, hop_s: int, columns: Callable[[], Sequence[Column]] = count_sum_avg) -> Plain:
    """Return a query with aggregates by window and key of `events`."""

    def made(inputs: Mapping[str, DataFrame]) -> DataFrame:
        window = f.window("ts", f"{size_s} seconds", f"{hop_s} seconds")
        return inputs["events"].groupBy(window, "key").agg(*columns())

    return made
