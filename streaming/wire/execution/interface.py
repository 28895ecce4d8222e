"""The interface of query execution, the same for every executor: inputs batch by batch, and a sink for the results.

Reference, engine and Spark each have one entry point, `execute(query, sink)`; transcripts and the command line on files
use no other.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa

from streaming.definition.graph import InputNode, OutputNode, QueryGraph
from streaming.definition.streams.stream import AdapterChoice, AdvanceTimeSettings, StreamDefinition
from streaming.temporal.ticks import NO_CTI, Tick
from streaming.wire.execution.case import CaseStep, EndMode
from streaming.wire.execution.failures import FailureCount
from streaming.wire.messages import LateEvent
from streaming.wire.rows.arrived import Arrived
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import Element

RowPlace = tuple[str, int]
"""The place of a row in its input: its lane, and its position in the lane."""
ReleasedRow = tuple[int, int, Mapping[str, Any]]
"""Start and end in ticks (INFINITY for open), and the payload in the model's form."""


class LaneRows(Protocol):
    """Rows of one lane of an input node, in arrival order."""

    @property
    def input(self) -> str:
        """The input node."""

    @property
    def lane(self) -> str:
        """The lane, one of those that the stream lists."""

    @property
    def arrived(self) -> Arrived:
        """The rows in columns."""

    def elements(self) -> Iterator[tuple[Element, Tick | None]]:
        """Yield the rows one by one, each with the wall clock at its arrival where known."""

    def __len__(self) -> int:
        """Return the number of rows."""


@dataclass(frozen=True)
class ArrivedRows:
    """Rows of a lane in columns, a `LaneRows`."""

    input: str
    lane: str
    arrived: Arrived

    def elements(self) -> Iterator[tuple[Element, Tick | None]]:
        """See `LaneRows`."""
        arrivals = self.arrived.arrival
        for index, element in enumerate(elements(self.arrived)):
            known = arrivals is not None and arrivals[index] != NO_CTI
            yield element, Tick(int(arrivals[index])) if known and arrivals is not None else None

    def __len__(self) -> int:
        return len(self.arrived.kind)


@dataclass(frozen=True)
class ClockReading:
    """The wall clock of the input reached `at` without a row (T16, T17)."""

    input: str
    at: Tick


@dataclass(frozen=True)
class HistoryMark:
    """The history of the input begins with the `lanes` that it has, which count from then on; None: it has ended (T56).

    The rows of live follow its end.
    """

    input: str
    lanes: tuple[str, ...] | None


Heard = LaneRows | ClockReading | HistoryMark


class QueryInputs(Protocol):
    """The rows of a query. `adapters` are for input nodes that Spark reads directly; `batches` leaves them out."""

    @property
    def adapters(self) -> Mapping[str, AdapterChoice]:
        """Return the adapters by input node."""

    def batches(self) -> Iterator[Sequence[Heard]]:
        """Yield the micro-batches, each in order of arrival. Raises `AdapterError` for an unreadable input."""

    def originals(self, node: str, wanted: Collection[RowPlace]) -> Mapping[RowPlace, str]:
        """Return the original texts of the rows at `wanted`; rows not read through `batches` may be missing."""


@dataclass(frozen=True)
class QueryExecution:
    """A valid definition, its rows, and its end.

    `streams` is keyed by stream name; `advance`, by input node, holds the settings that replace the stream's. With
    `restart`, an executor that supports it (reference, engine) is killed and resumes from its saved state before each
    batch but the first.
    """

    graph: QueryGraph
    streams: Mapping[str, StreamDefinition]
    inputs: QueryInputs
    advance: Mapping[str, AdvanceTimeSettings] = field(default_factory=dict)
    end: EndMode = EndMode.FLUSH
    restart: bool = False

    @property
    def input_nodes(self) -> list[str]:
        """The ids of the input nodes."""
        return [node.id for node in self.graph.nodes if isinstance(node, InputNode)]

    @property
    def output_nodes(self) -> list[str]:
        """The ids of the output nodes."""
        return [node.id for node in self.graph.nodes if isinstance(node, OutputNode)]


class ExecutionSink(Protocol):
    """Receives the results of an execution, in the order in which they are emitted."""

    def read(self, rows: int) -> None:
        """Report that `rows` more rows were read, CTIs included."""

    def begin(self, stage: str) -> None:
        """Report the current stage of work, where no row is read for longer than a second."""

    def rows(self, output: str, rows: Iterable[ReleasedRow]) -> None:
        """Add rows of the net result of an output."""

    def table(self, output: str, rows: pa.Table) -> None:
        """Add rows of the net result in columns: start and end, by position, then the fields."""

    def steps(self, rows: Iterable[CaseStep]) -> None:
        """Add all rows that led to the net result, those of an output in order; optional for an executor."""

    def ctis(self, output: str, ctis: Iterable[int]) -> None:
        """Add the CTIs of an output, in order, without repetitions and infinity."""

    def late(self, event: LateEvent) -> None:
        """Add a row that was changed, or that no result contains; of two for one row the later counts (T24)."""

    def failures(self, counts: Iterable[FailureCount]) -> None:
        """Add the numbers of rows on which expressions failed and are null (T5): once, at the end."""


@dataclass
class OutcomeCounts:
    """The rows of one input, counted by outcome (T12) and by reason."""

    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def received(self) -> int:
        """Return the number of rows without CTIs."""
        return sum(self.outcomes.values())


class ExecutionError(Exception):
    """An executor can't run a query, or failed; the message is a sentence with the reason."""


class Execute(Protocol):
    """The entry point of an executor."""

    def __call__(self, query: QueryExecution, sink: ExecutionSink) -> Mapping[str, OutcomeCounts]:
        """Run `query` to its end and report to `sink`; return the counts of its rows by input node.

        Raises `ExecutionError`, and `AdapterError` for unreadable inputs.
        """
