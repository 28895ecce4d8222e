"""A binding in the form that feed and operators run: branches of the inputs, then a graph of nodes. Picklable."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from streaming.definition.expressions.failures import may_fail
from streaming.definition.expressions.tree import Expression
from streaming.definition.graph import Emit, OutputTimestamp
from streaming.definition.payload.types import Fields, Type
from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.windows import FixedPanes, PaneKind
from streaming.planning.columns import AggregateColumn, RowColumn, RowOrderBy
from streaming.planning.sequences import SequenceSpec
from streaming.planning.steps import Operand, Step
from streaming.temporal.events import Shape
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import NO_TICKS, Ticks
from streaming.temporal.windows import HoppingWindows


class NotRunnable(Exception):
    """The engine cannot run this definition; the message says to the user what to change."""


@dataclass(frozen=True)
class WindowSpec:
    """A window node. `fields` are its output fields: the `group_by` fields, then the aggregates.

    `grace` is in ticks, from any source (T19). `one_clock`: one clock applies to all its events (T14).
    `fill_gap` is the longest gap that is filled for `fill_groups` (values in the order of `group_by`), None for
    `empty: skip` (T21). `folded`: the feed aggregates its rows into partial results, and its port receives these
    instead of flows.
    """

    node: str
    panes: PaneKind
    grace: Ticks
    one_clock: bool
    group_by: tuple[str, ...]
    aggregates: tuple[AggregateColumn, ...]
    fields: Fields
    emit: Emit = "final"
    retract: bool = False
    fill_gap: Ticks | None = None
    fill_groups: tuple[tuple[object, ...], ...] = ()
    folded: bool = False

    @property
    def tells_complete(self) -> bool:
        """Return whether it emits complete panes that late rows may still enter, in a known order (T19, T20)."""
        return self.emit == "on_complete" and self.grace > 0 and self.one_clock

    @property
    def fixed(self) -> bool:
        """Return whether the definition fixes the windows, independent of events."""
        return isinstance(self.panes, FixedPanes)

    @property
    def operands(self) -> tuple[Operand, ...]:
        """Return the aggregates whose `of` or `where` may fail."""
        every = ((each.name, each.of, each.where) for each in self.aggregates)
        return tuple(each for each in every if any(part is not None and may_fail(part) for part in each[1:]))


@dataclass(frozen=True)
class TopKSpec:
    """A top_k node; its rows have the fields of its input."""

    node: str
    panes: PaneKind
    grace: Ticks
    one_clock: bool
    group_by: tuple[str, ...]
    by: Expression
    by_type: Type
    k: int
    fields: Fields

    @property
    def fixed(self) -> bool:
        """Return whether the definition fixes the windows, independent of events."""
        return isinstance(self.panes, FixedPanes)

    @property
    def operands(self) -> tuple[Operand, ...]:
        """Return `by` if it may fail."""
        return (("by", self.by, None),) if may_fail(self.by) else ()


@dataclass(frozen=True)
class MatchSpec:
    """The matching of a node with a left and a right side: `keys` in both, `where` over the joined payload.

    `left`, `right` and `fields` are schemas; `added` are the fields of the right that aren't keys, in their order.
    `kind` is that of the definition's node: join, anti_join, semi_join, asof_join or clip; `outer` means left_outer.
    `forgets`: no late_kept event can arrive, so an event that ends before the other side's CTI has no further matches.
    `versions`: the right side has versions of a table, and an as-of join takes only one that holds (T48).
    """

    node: str
    kind: str
    keys: tuple[str, ...]
    where: Expression | None
    outer: bool
    left: Fields
    right: Fields
    added: tuple[str, ...]
    fields: Fields
    forgets: bool = True
    versions: bool = False


@dataclass(frozen=True)
class UnionSpec:
    """A union node; its ports have the same fields, possibly in another order than `fields`."""

    node: str
    fields: Fields


@dataclass(frozen=True)
class LifetimeSpec:
    """A node that waits for the ends of edges: point_at_end, to_intervals, order_edges, or shorten by `by` < 0."""

    node: str
    kind: str
    fields: Fields
    by: Ticks = NO_TICKS


@dataclass(frozen=True)
class ChopSpec:
    """A chop node: the cuts are the starts of the tumbling windows `pieces` (T40)."""

    node: str
    fields: Fields
    pieces: HoppingWindows


@dataclass(frozen=True)
class StitchSpec:
    """A stitch node, which joins lifetimes of equal payloads (T41)."""

    node: str
    fields: Fields


@dataclass(frozen=True)
class AnalyticSpec:
    """An analytic node: `before` are the fields of its rows, `fields` those with its columns.

    Rows `reach` or more away are not seen (None: all are). A row is known `grace` after the CTI passes it.
    """

    node: str
    before: Fields
    group_by: tuple[str, ...]
    order_by: tuple[RowOrderBy, ...]
    columns: tuple[RowColumn, ...]
    fields: Fields
    reach: Ticks | None
    grace: Ticks


@dataclass(frozen=True)
class OutputSpec:
    """An output node; `timestamp` sets the lifetime of its rows (T22)."""

    node: str
    fields: Fields
    timestamp: OutputTimestamp


Lifetimes = LifetimeSpec | ChopSpec | StitchSpec
NodeSpec = WindowSpec | TopKSpec | SequenceSpec | MatchSpec | UnionSpec | Lifetimes | AnalyticSpec | OutputSpec


@dataclass(frozen=True)
class Branch:
    """A path from an input, through `steps` that the feed runs, to one port of a node after the shuffle.

    `id` is unique in the plan. `entering` is the schema before the steps, `fields` after them. `window` is set if
    the feed pre-aggregates for that window. `keys` are the fields, after the steps, that determine the bucket of a row.
    """

    id: str
    steps: tuple[Step, ...]
    entering: Fields
    fields: Fields
    window: WindowSpec | None = None
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class InputPlan:
    """One input node: its stream's shape and schema, its advance-time settings, and its branches.

    `over` is the typed expression of the settings' substreams (T15). `watch_longer`: rows that live for more than that
    many ticks may be in too many windows (T24) and are watched like late_kept rows; None: no row needs to be watched.
    """

    node: str
    stream: StreamDefinition
    fields: Fields
    advance: AdvanceTime
    lanes: tuple[str, ...] | None
    branches: tuple[Branch, ...]
    over: Expression | None = None
    watch_longer: int | None = None

    @property
    def shape(self) -> Shape:
        """Return the shape of the stream."""
        return self.stream.shape


@dataclass(frozen=True)
class Wire:
    """The input of a port: `source`, a branch or a node, through `steps` that end with the schema `fields`."""

    source: str
    steps: tuple[Step, ...]
    fields: Fields


@dataclass(frozen=True)
class NodePlan:
    """One node after the shuffle, with its ports."""

    spec: NodeSpec
    ports: tuple[Wire, ...]

    @property
    def id(self) -> str:
        """Return the id of the node."""
        return self.spec.node


OneBucketBecause = Literal["not_asked", "no_key", "one_place"]
"""The reason why a plan runs in one bucket: no more were requested; no key covers all rows that meet; or a single task
has to decide which late_kept or long events windows accept."""


class StageInput(Protocol):
    """One input of the operators of a stage: an input node, or the output of one node of the previous stage.

    `lanes` exist from the start, and delay the CTI until they send one; `branches` are the paths of its rows to nodes.
    """

    @property
    def node(self) -> str:
        """Return the name."""

    @property
    def lanes(self) -> tuple[str, ...] | None:
        """Return the lanes; None if they are not known."""

    @property
    def branches(self) -> tuple[Branch, ...]:
        """Return the branches, in the order that numbers their CTIs."""


def tells_complete(node: NodePlan) -> bool:
    """Return whether `node` is a window that emits complete panes that late rows may still enter."""
    return isinstance(node.spec, WindowSpec) and node.spec.tells_complete


class PlannedStage(Protocol):
    """The nodes between two exchanges, which the operators of one bucket run."""

    @property
    def inputs(self) -> Mapping[str, StageInput]:
        """Return the inputs by name."""

    @property
    def nodes(self) -> tuple[NodePlan, ...]:
        """Return the nodes, each after its inputs."""

    @property
    def buckets(self) -> int:
        """Return the number of buckets of the stage."""

    @property
    def ordered(self) -> bool:
        """Return whether batches are cut at CTIs (`QueryPlan`)."""

    @property
    def second(self) -> "SecondStage | None":
        """Return the stage after this one."""


@dataclass(frozen=True)
class CutPlan:
    """An input of the second stage from `node`, a node or a branch of the first; `lanes` are the first stage's buckets.

    Its `branches` are the wires that were cut; their steps run before the exchange. Their `keys` are fields
    after the steps, or () if all rows go to the first bucket.
    """

    node: str
    lanes: tuple[str, ...]
    branches: tuple[Branch, ...]


@dataclass(frozen=True, eq=False)
class SecondStage:
    """The nodes of a plan after a second exchange, and their inputs through it."""

    inputs: Mapping[str, CutPlan]
    nodes: tuple[NodePlan, ...]
    buckets: int
    ordered: bool = False
    second: None = None


@dataclass(frozen=True, eq=False)
class QueryPlan:
    """A whole binding; equal only to itself (`once_of_plan`).

    `nodes` are ordered so that each comes after its inputs; outputs are among them.
    `outputs` holds the schema of each output node. `buckets` is the usable number of buckets: more than one
    only if one key determines the bucket of all rows that meet. `stamps`: some output uses the latest input (T22).
    `watched`: the outcome of late_kept rows is decided after the shuffle. `ordered`: the order of rows and CTIs in a
    batch affects what windows refuse (T19, one clock), so the feed numbers both. `trailing`: a window emits complete
    panes, so the feed sends late rows after the last CTI of a batch separately (T20). `together`: one task has to feed
    the lanes of all inputs (import_from, idle rule, substreams, implicit rowtimes). `second`: the part of the graph
    after a second exchange (`stages.py`); `nodes` are the others, `outputs` those of both. `one_bucket` is the reason
    for a single bucket, None with several.
    """

    inputs: Mapping[str, InputPlan]
    nodes: tuple[NodePlan, ...]
    outputs: Mapping[str, Fields]
    buckets: int
    stamps: bool = False
    watched: bool = False
    ordered: bool = False
    trailing: bool = False
    together: bool = False
    second: SecondStage | None = None
    one_bucket: OneBucketBecause | None = "not_asked"

    @property
    def spread(self) -> tuple[int, int]:
        """Return the numbers of buckets of the first and the second stage; 0 without a second."""
        return self.buckets, self.second.buckets if self.second is not None else 0

    @property
    def routing(self) -> str:
        """Return a digest of the assignment of rows to buckets; state saved with another digest cannot be reused.

        It is "" if all rows go to one bucket.
        """
        if self.spread == (1, 0):
            return ""
        stages: tuple[QueryPlan | SecondStage, ...] = (self, self.second) if self.second is not None else (self,)
        keys = [
            (stage.buckets, [(branch.id, branch.keys) for each in stage.inputs.values() for branch in each.branches])
            for stage in stages
        ]
        return hashlib.sha256(json.dumps(keys).encode()).hexdigest()[:12]

    def buckets_at(self, output: str) -> int:
        """Return the number of buckets in which the output node `output` runs."""
        second = self.second
        return second.buckets if second and any(node.id == output for node in second.nodes) else self.buckets
