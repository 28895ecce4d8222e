"""The query graph, version 1 (DEFINITION.md section 2), shared by API, storage, executors and browser."""

from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import Field, StrictFloat

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.analytic import AnalyticNode
from streaming.definition.names import DurationText, Name, WholeNumber
from streaming.definition.own_functions.functions import QueryFunction
from streaming.definition.sequences.node import MatchRecognizeNode
from streaming.definition.strict import ExpressionText, Strict
from streaming.definition.windows import WindowSpec

MOST_NODES: Final = 500
"""The largest number of nodes of a query."""
MOST_FUNCTIONS: Final = 100
"""The largest number of functions of a query."""


class InputNode(Strict):
    """Reads a stream."""

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
    """Moves both ends of every lifetime by `by`, which may be negative; CTIs move by the same amount."""

    kind: Literal["shift"]
    id: Name
    input: Name
    by: DurationText


class SetDurationNode(Strict):
    """Gives every event the lifetime `[start, start + duration)` and removes the ends of edges.

    Set either `duration` or `expression`, a long in ticks for each event. An event whose value is null, zero or less
    is removed.
    """

    kind: Literal["set_duration"]
    id: Name
    input: Name
    duration: DurationText | None = None
    expression: ExpressionText | None = None


class ExtendNode(Strict):
    """Moves the end of every lifetime by `by`; an event whose lifetime is then empty is removed."""

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
    """Replaces every lifetime by a point at its end; events that never end are removed."""

    kind: Literal["point_at_end"]
    id: Name
    input: Name


class ToIntervalsNode(Strict):
    """Pairs the start and the end of each edge into one interval, released when the edge ends."""

    kind: Literal["to_intervals"]
    id: Name
    input: Name


class OrderEdgesNode(Strict):
    """Releases the starts and ends of edges in order of time; the first query of the two-query recipe."""

    kind: Literal["order_edges"]
    id: Name
    input: Name


class ChopNode(Strict):
    """Cuts every lifetime at the ticks `offset + k * period` inside it; the pieces of an edge are edges."""

    kind: Literal["chop"]
    id: Name
    input: Name
    period: DurationText
    offset: DurationText = 0


class StitchNode(Strict):
    """Joins lifetimes of equal payloads that meet: one ends where the next one starts. Overlaps are not joined."""

    kind: Literal["stitch"]
    id: Name
    input: Name


class UnionNode(Strict):
    """Merges the events of `inputs`, which have the same fields, and releases them in order of start."""

    kind: Literal["union"]
    id: Name
    inputs: Annotated[list[Name], Field(min_length=2, max_length=100)]


JoinType = Literal["inner", "left_outer"]
Keys = Annotated[list[Name], Field(default_factory=list)]


class JoinNode(Strict):
    """Pairs events with equal `keys` for which `where` is true, while both live.

    The payload has the fields of the left, then those of the right that are not keys. A null key equals nothing.
    `left_outer` adds the parts of left lifetimes without a partner, with nulls for the right.

    As SQL, `SELECT a.k, b.v AS w FROM a JOIN b ON a.k = b.j` puts a project node before each side. That node keeps the
    columns that the text names. It renames columns that both sides have and keys whose names differ.
    """

    kind: Literal["join"]
    id: Name
    left: Name
    right: Name
    keys: Keys
    where: ExpressionText | None = None
    type: JoinType = "inner"


class AntiJoinNode(Strict):
    """Keeps the parts of left lifetimes during which no matching right event lives."""

    kind: Literal["anti_join"]
    id: Name
    left: Name
    right: Name
    keys: Keys
    where: ExpressionText | None = None


class SemiJoinNode(Strict):
    """Keeps the parts of left lifetimes during which a matching right event lives."""

    kind: Literal["semi_join"]
    id: Name
    left: Name
    right: Name
    keys: Keys
    where: ExpressionText | None = None


class AsofJoinNode(Strict):
    """Joins each left event with the matching right event that started last, at its own start or before."""

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
    """One result column: `function` over the values of `of` (optional for count) of the events where `filter` is true.

    `k` is the number of values that topk, maxk, mink, maxk_unique and mink_unique return; `fraction` (0 to 1) is the
    percentile, or the weight of each new value in ewma.
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
    """Groups events by window and by `group_by` fields, and emits a row of aggregates for each group of each window.

    A window closes `grace` after its end (None: the default of the input's preset, else zero; T19). `emit` sets when
    rows appear (T20), `retract` adds a deletion for each replaced row. `empty: default` also emits rows for windows
    without events between two windows with events, no further apart than `empty_gap`, for each of `empty_groups` (T21).
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
    """Emits, for each group of each window, the `k` events with the largest value of `by`, and all ties at rank k.

    Each row has the lifetime of the window; an event whose `by` is null has no rank.
    """

    kind: Literal["top_k"]
    id: Name
    input: Name
    window: WindowSpec
    group_by: list[Name] = Field(default_factory=list)
    by: ExpressionText
    k: Annotated[WholeNumber, Field(gt=0, le=10_000)]


Windowed = WindowNode | TopKNode
"""Nodes with windows."""
OutputTimestamp = Literal["lifetime", "point_at_end", "latest_input"]


class OutputNode(Strict):
    """Emits the results of the query; `timestamp` sets their lifetime (T22).

    `lifetime` is the row's own, `point_at_end` a point at its end, `latest_input` a point at the latest start among
    the events that contributed to it, but not before the row's own start.
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
    | ChopNode
    | StitchNode
    | UnionNode
    | JoinNode
    | AntiJoinNode
    | SemiJoinNode
    | AsofJoinNode
    | WindowNode
    | TopKNode
    | MatchRecognizeNode
    | AnalyticNode
    | OutputNode,
    Field(discriminator="kind"),
]


class QueryGraph(Strict):
    """A query: nodes that name their inputs; `check` tests that they fit together. `functions` may be called by all."""

    version: Literal[1]
    name: Name
    functions: Annotated[list[QueryFunction], Field(max_length=MOST_FUNCTIONS, exclude_if=lambda value: not value)] = (
        Field(default_factory=list)
    )
    nodes: Annotated[list[Node], Field(min_length=1, max_length=MOST_NODES)]


def sources(node: Node) -> tuple[str, ...]:
    """Return the ids of the nodes that `node` reads, by port: the left of a join first, the clipping node last."""
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
