"""The query graph, version 1 (DEFINITION.md section 2), shared by API, storage, executors and browser."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from streaming.definition.names import DurationText, ExpressionText, Name


class Strict(BaseModel):
    """Frozen, and unknown keys are refused: nothing that a user wrote is silently dropped."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class InputNode(Strict):
    """Where a stream enters the query."""

    kind: Literal["input"]
    id: Name
    stream: Name


class FilterNode(Strict):
    """Keeps the events for which `where` is true; null is not true. Lifetimes are kept."""

    kind: Literal["filter"]
    id: Name
    input: Name
    where: ExpressionText


class Column(Strict):
    """One computed field."""

    name: Name
    of: ExpressionText


class ProjectNode(Strict):
    """Replaces the payload by `columns`. Lifetimes are kept."""

    kind: Literal["project"]
    id: Name
    input: Name
    columns: Annotated[list[Column], Field(min_length=1)]


class TumblingWindow(Strict):
    """Windows `[offset + k*size, offset + (k+1)*size)`; `offset` counts from 1970-01-01T00:00Z (T23)."""

    kind: Literal["tumbling"]
    size: DurationText
    offset: DurationText = 0


class HoppingWindow(Strict):
    """Windows `[offset + k*hop, offset + k*hop + size)`; hop above size leaves gaps (T25)."""

    kind: Literal["hopping"]
    size: DurationText
    hop: DurationText
    offset: DurationText = 0


WindowSpec = Annotated[TumblingWindow | HoppingWindow, Field(discriminator="kind")]
AggregateFunction = Literal["count", "sum", "avg", "min", "max"]


class Aggregate(Strict):
    """One result column: `function` over `of` (count may leave it out), of the events where `filter` is true."""

    name: Name
    function: AggregateFunction
    of: ExpressionText | None = None
    filter: ExpressionText | None = None


class WindowNode(Strict):
    """Groups events by window and by `group_by` fields; one final row for each group when the window closes."""

    kind: Literal["window"]
    id: Name
    input: Name
    group_by: list[Name] = Field(default_factory=list)
    window: WindowSpec
    aggregates: Annotated[list[Aggregate], Field(min_length=1)]


class OutputNode(Strict):
    """Where results leave the query, with the StreamInsight lifetime (T22)."""

    kind: Literal["output"]
    id: Name
    input: Name


Node = Annotated[InputNode | FilterNode | ProjectNode | WindowNode | OutputNode, Field(discriminator="kind")]


class QueryGraph(Strict):
    """A query: nodes that name their inputs; `check` says whether they fit together."""

    version: Literal[1]
    name: Name
    nodes: Annotated[list[Node], Field(min_length=1, max_length=500)]
