"""The query graph, version 1 (DEFINITION.md section 2), shared by API, storage, executors and browser."""

from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import Field, StrictFloat

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.names import DurationText, ExpressionText, Name, WholeNumber
from streaming.definition.strict import Strict
from streaming.definition.windows import WindowSpec

MOST_NODES: Final = 500
"""Nodes of a query."""


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


class ShiftNode(Strict):
    """Moves both ends of every lifetime by `by`, which may be negative; CTIs move alike."""

    kind: Literal["shift"]
    id: Name
    input: Name
    by: DurationText


class SetDurationNode(Strict):
    """Gives every event the lifetime `[start, start + duration)`; edge ends disappear.

    One of `duration` and `expression`, a long in ticks for each event; zero or less, or null, removes the event.
    """

    kind: Literal["set_duration"]
    id: Name
    input: Name
    duration: DurationText | None = None
    expression: ExpressionText | None = None


class ExtendNode(Strict):
    """Moves the end of every lifetime by `by`; an event that is then empty is removed."""

    kind: Literal["extend"]
    id: Name
    input: Name
    by: DurationText


class ClipNode(Strict):
    """Ends every lifetime at the first later start of an event of `by` with equal `keys`."""

    kind: Literal["clip"]
    id: Name
    input: Name
    by: Name
    keys: Annotated[list[Name], Field(min_length=1)]


class PointAtEndNode(Strict):
    """Replaces every lifetime by a point at its end; what never ends is removed."""

    kind: Literal["point_at_end"]
    id: Name
    input: Name


class ToIntervalsNode(Strict):
    """Pairs the start and the end of each edge into one interval, released when it is closed."""

    kind: Literal["to_intervals"]
    id: Name
    input: Name


class OrderEdgesNode(Strict):
    """Releases the starts and ends of edges in order of time: the first query of the two-query recipe."""

    kind: Literal["order_edges"]
    id: Name
    input: Name


class UnionNode(Strict):
    """All events of `inputs`, which have the same fields; released in order of start."""

    kind: Literal["union"]
    id: Name
    inputs: Annotated[list[Name], Field(min_length=2, max_length=100)]


JoinType = Literal["inner", "left_outer"]
Keys = Annotated[list[Name], Field(default_factory=list)]


class JoinNode(Strict):
    """Pairs events with equal `keys`, for which `where` is true, while both live.

    The payload is the fields of the left, then those of the right that are no keys. A null key equals nothing.
    `left_outer` adds the parts of left lifetimes without a partner, with nulls for the right.

    As SQL, `SELECT a.k, b.v AS w FROM a JOIN b ON a.k = b.j` puts a project before each side: it takes what the text
    names, and renames what both have and keys of two names.
    """

    kind: Literal["join"]
    id: Name
    left: Name
    right: Name
    keys: Keys
    where: ExpressionText | None = None
    type: JoinType = "inner"


class AntiJoinNode(Strict):
    """The parts of left lifetimes during which no matching right event lives."""

    kind: Literal["anti_join"]
    id: Name
    left: Name
    right: Name
    keys: Keys
    where: ExpressionText | None = None


class SemiJoinNode(Strict):
    """The parts of left lifetimes during which some matching right event lives."""

    kind: Literal["semi_join"]
    id: Name
    left: Name
    right: Name
    keys: Keys
    where: ExpressionText | None = None


class AsofJoinNode(Strict):
    """Each left event with the matching right event of the largest start that is not after its own."""

    kind: Literal["asof_join"]
    id: Name
    left: Name
    right: Name
    keys: Keys
    type: JoinType = "inner"


if TYPE_CHECKING:
    AggregateFunction = str
else:
    AggregateFunction = Literal[*AGGREGATES]


class Aggregate(Strict):
    """One result column: `function` over `of` (count may leave it out), of the events where `filter` is true.

    `k` is how many values topk, maxk, mink, maxk_unique and mink_unique return, `fraction` (0 to 1) which percentile.
    """

    name: Name
    function: AggregateFunction
    of: ExpressionText | None = None
    filter: ExpressionText | None = None
    k: Annotated[WholeNumber, Field(gt=0, le=10_000)] | None = None
    fraction: Annotated[StrictFloat, Field(ge=0, le=1)] | None = None


Emit = Literal["final", "on_complete", "running"]
Empty = Literal["skip", "default"]


class WindowNode(Strict):
    """Groups events by window and by `group_by` fields, and gives rows of aggregates for each group of each window.

    A window closes `grace` after its end (None: the default of the input's preset, else zero; T19). `emit` says when
    rows appear (T20), `retract` adds a deletion for each replaced row. `empty: default` also gives rows for windows
    without events between two that have some, no further apart than `empty_gap`, for each of `empty_groups` (T21).
    """

    kind: Literal["window"]
    id: Name
    input: Name
    group_by: list[Name] = Field(default_factory=list)
    window: WindowSpec
    grace: DurationText | None = None
    emit: Emit = "final"
    retract: bool = False
    empty: Empty = "skip"
    empty_gap: DurationText | None = None
    empty_groups: list[dict[Name, str | int | bool | None]] | None = None
    aggregates: Annotated[list[Aggregate], Field(min_length=1)]


class TopKNode(Strict):
    """The `k` events of each group of each window with the largest `by`, an expression; ties at rank k all count.

    Each is given the lifetime of the window; an event whose `by` is null has no rank.
    """

    kind: Literal["top_k"]
    id: Name
    input: Name
    window: WindowSpec
    group_by: list[Name] = Field(default_factory=list)
    by: ExpressionText
    k: Annotated[WholeNumber, Field(gt=0, le=10_000)]


Windowed = WindowNode | TopKNode
"""What has windows."""
OutputTimestamp = Literal["lifetime", "point_at_end", "latest_input"]


class OutputNode(Strict):
    """Where results leave the query; `timestamp` says with which lifetime (T22).

    `lifetime` is the row's own, `point_at_end` a point at its end, `latest_input` a point at the latest start among
    the events that made it, but not before the row's own start.
    """

    kind: Literal["output"]
    id: Name
    input: Name
    timestamp: OutputTimestamp = "lifetime"


Node = Annotated[
    InputNode
    | FilterNode
    | ProjectNode
    | ShiftNode
    | SetDurationNode
    | ExtendNode
    | ClipNode
    | PointAtEndNode
    | ToIntervalsNode
    | OrderEdgesNode
    | UnionNode
    | JoinNode
    | AntiJoinNode
    | SemiJoinNode
    | AsofJoinNode
    | WindowNode
    | TopKNode
    | OutputNode,
    Field(discriminator="kind"),
]


class QueryGraph(Strict):
    """A query: nodes that name their inputs; `check` says whether they fit together."""

    version: Literal[1]
    name: Name
    nodes: Annotated[list[Node], Field(min_length=1, max_length=MOST_NODES)]


def sources(node: Node) -> tuple[str, ...]:
    """The ids of the nodes that `node` reads, port by port: the left of a join first, the clipping node last."""
    match node:
        case InputNode():
            return ()
        case UnionNode():
            return tuple(node.inputs)
        case JoinNode() | AntiJoinNode() | SemiJoinNode() | AsofJoinNode():
            return (node.left, node.right)
        case ClipNode():
            return (node.input, node.by)
        case _:
            return (node.input,)
