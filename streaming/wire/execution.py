"""How a query is executed, whoever executes it: what it is given, batch by batch, and to whom it tells what it made.

Reference, engine and Spark each have one front door, `execute(query, sink)`; transcripts and the command line on files
know no other.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa

from streaming.definition.graph import InputNode, OutputNode, QueryGraph
from streaming.definition.streams import AdapterChoice, AdvanceTimeSettings, StreamDefinition
from streaming.temporal.ticks import NO_CTI, Tick
from streaming.wire.arrived import Arrived
from streaming.wire.arrived_rows import elements
from streaming.wire.case import CaseStep, EndMode
from streaming.wire.failures import FailureCount
from streaming.wire.messages import LateEvent
from streaming.wire.rows import Element

RowPlace = tuple[str, int]
"""Where a row of an input stands: its lane, and its position in the lane."""
ReleasedRow = tuple[int, int, Mapping[str, Any]]
"""Start and end in ticks (INFINITY for open), and the payload as the model holds it."""


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
        """The rows one by one, each with the wall clock at its arrival where that is known."""

    def __len__(self) -> int:
        """How many there are."""


@dataclass(frozen=True)
class ArrivedRows:
    """Rows of a lane that came in columns. As `LaneRows` says."""

    input: str
    lane: str
    arrived: Arrived

    def elements(self) -> Iterator[tuple[Element, Tick | None]]:
        """As `LaneRows` says."""
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


Heard = LaneRows | ClockReading


class QueryInputs(Protocol):
    """The rows of a query. `adapters`: what reads those input nodes that Spark reads by itself, and nobody gives it."""

    @property
    def adapters(self) -> Mapping[str, AdapterChoice]:
        """By input node."""

    def batches(self) -> Iterator[Sequence[Heard]]:
        """The micro-batches, each in order of arrival. Raises `AdapterError` for what cannot be read."""

    def originals(self, node: str, wanted: Collection[RowPlace]) -> Mapping[RowPlace, str]:
        """The texts of the rows at `wanted` as they came; what was not read through `batches` may be left out."""


@dataclass(frozen=True)
class QueryExecution:
    """A definition without faults, its rows, and how it ends.

    `streams` is keyed by stream name; `advance`, by input node, holds the settings that replace the stream's. With
    `restart` an executor that can (reference, engine) is killed and goes on from what it kept before each batch but the
    first.
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
    """Takes what an execution gives, in the order in which it leaves."""

    def read(self, rows: int) -> None:
        """So many rows more were read, CTIs included."""

    def begin(self, stage: str) -> None:
        """What is done from now on, where no row is read for longer than a second."""

    def rows(self, output: str, rows: Iterable[ReleasedRow]) -> None:
        """Rows of an output that stand: its net result."""

    def table(self, output: str, rows: pa.Table) -> None:
        """The same in columns: start and end, by position, then the fields."""

    def steps(self, rows: Iterable[CaseStep]) -> None:
        """All rows that led there, those of an output in order; an executor that does not know them says nothing."""

    def ctis(self, output: str, ctis: Iterable[int]) -> None:
        """The CTIs of an output that moved, in order, without infinity."""

    def late(self, event: LateEvent) -> None:
        """A row that was changed, or that no result contains; of two for one row the later counts (T24)."""

    def failures(self, counts: Iterable[FailureCount]) -> None:
        """On how many rows expressions failed, so that they are null there (T5): once, at the end."""


@dataclass
class OutcomeCounts:
    """What became of the rows of one input: how many had each outcome (T12), and each reason."""

    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def received(self) -> int:
        """All rows but CTIs."""
        return sum(self.outcomes.values())


class ExecutionError(Exception):
    """An executor cannot run a query, or failed at it; says why in a sentence."""


class Execute(Protocol):
    """The front door of an executor."""

    def __call__(self, query: QueryExecution, sink: ExecutionSink) -> Mapping[str, OutcomeCounts]:
        """Run `query` to its end and tell `sink`; by input node, what became of its rows.

        Raises `ExecutionError`, and `AdapterError` for inputs that cannot be read.
        """
