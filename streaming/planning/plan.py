"""A binding in the form that feed and operators run: branches out of the inputs, then a graph of nodes. Picklable."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol

from streaming.definition.expressions.failures import may_fail
from streaming.definition.expressions.tree import Expression
from streaming.definition.graph import Emit, OutputTimestamp
from streaming.definition.streams import StreamDefinition
from streaming.definition.types import Fields, Type
from streaming.definition.windows import PaneKind
from streaming.planning.steps import Operand, Step
from streaming.temporal.events import Shape
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import NO_TICKS, Ticks
from streaming.temporal.windows import HoppingWindows


class NotRunnable(Exception):
    """The engine cannot run this definition; the message is a sentence for the user that says what to change."""


@dataclass(frozen=True)
class AggregateColumn:
    """One result column of a window: `function` over `of` (None: every row) of the rows where `where` is true.

    `of_type` is the type of `of`, `type` that of the result; `k` and `fraction` as in the definition.
    """

    name: str
    function: str
    of: Expression | None
    where: Expression | None
    of_type: Type | None
    type: Type
    k: int | None = None
    fraction: Fraction | None = None


@dataclass(frozen=True)
class WindowSpec:
    """A window node. `fields` is its result: the `group_by` fields, then the aggregates.

    `grace` is in ticks, whatever it came from (T19). `one_clock`: all its events were judged by one clock (T14).
    `fill_gap` is the bound on gaps that are filled for `fill_groups` (values in the order of `group_by`), None for
    `empty: skip` (T21). `folded`: the feed folds its rows into partials, so its port brings these instead of flows.
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
        """Whether rows tell of complete panes that late rows may still enter, in an order that is known (T19, T20)."""
        return self.emit == "on_complete" and self.grace > 0 and self.one_clock

    @property
    def fixed(self) -> bool:
        """Whether the windows stand where the definition says, whatever events there are."""
        return isinstance(self.panes, HoppingWindows)

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The aggregates whose `of` or `where` may fail."""
        every = ((each.name, each.of, each.where) for each in self.aggregates)
        return tuple(each for each in every if any(part is not None and may_fail(part) for part in each[1:]))


@dataclass(frozen=True)
class TopKSpec:
    """A top_k node; its rows have the fields of what it reads."""

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
        """Whether the windows stand where the definition says, whatever events there are."""
        return isinstance(self.panes, HoppingWindows)

    @property
    def operands(self) -> tuple[Operand, ...]:
        """`by`, if it may fail."""
        return (("by", self.by, None),) if may_fail(self.by) else ()


@dataclass(frozen=True)
class MatchSpec:
    """How a node with a left and a right matches them: `keys` in both, `where` over the joined payload.

    `left`, `right` and `fields` are schemas; `added` the fields of the right that are no keys, in their order. `kind`
    is that of the definition's node: join, anti_join, semi_join, asof_join or clip; `outer` stands for left_outer.
    `forgets`: no late_kept event can come, so what ended before the other side's CTI meets nothing any more.
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


@dataclass(frozen=True)
class UnionSpec:
    """A union node; its ports have the same fields, perhaps in another order than `fields`."""

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
class OutputSpec:
    """An output node: rows leave with the lifetime that `timestamp` names (T22)."""

    node: str
    fields: Fields
    timestamp: OutputTimestamp


NodeSpec = WindowSpec | TopKSpec | MatchSpec | UnionSpec | LifetimeSpec | OutputSpec


@dataclass(frozen=True)
class Branch:
    """A way from an input, through `steps` that the feed takes, to one port of a node behind the shuffle.

    `id` is unique in the plan. `entering` is the schema before the steps, `fields` after them. `window` is set where
    the feed folds for that window. `keys` are the fields, after the steps, whose values say the bucket of a row.
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

    `over` is the typed expression of the settings' substreams (T15). `watch_longer`: rows that live longer than so
    many ticks may be in too many windows (T24) and are watched as late_kept rows are; None: none need be.
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
        """The shape of the stream."""
        return self.stream.shape


@dataclass(frozen=True)
class Wire:
    """What a port of a node reads: `source`, a branch or a node, through `steps` that end with the schema `fields`."""

    source: str
    steps: tuple[Step, ...]
    fields: Fields


@dataclass(frozen=True)
class NodePlan:
    """One node behind the shuffle, with its ports."""

    spec: NodeSpec
    ports: tuple[Wire, ...]

    @property
    def id(self) -> str:
        """The id of the node."""
        return self.spec.node


OneBucketBecause = Literal["not_asked", "no_key", "one_place"]
"""Why a plan runs in one bucket: no more were wanted; no key says of all rows which ever meet; or one place has to
decide which late events that are kept, or which long ones, windows take."""


class StageInput(Protocol):
    """What the operators of a stage hear under one name: an input, or what one node of the stage before lets go.

    `lanes` exist from the start, and hold back until they speak; `branches` are the ways of its rows to the nodes.
    """

    @property
    def node(self) -> str:
        """The name."""

    @property
    def lanes(self) -> tuple[str, ...] | None:
        """The lanes, None where it is not known which there are."""

    @property
    def branches(self) -> tuple[Branch, ...]:
        """The branches, in the order in which their CTIs are numbered."""


def tells_complete(node: NodePlan) -> bool:
    """Whether `node` is a window that tells of complete panes which late rows may still enter."""
    return isinstance(node.spec, WindowSpec) and node.spec.tells_complete


class PlannedStage(Protocol):
    """What the operators of one bucket run: the nodes between two exchanges."""

    @property
    def inputs(self) -> Mapping[str, StageInput]:
        """What they hear, by name."""

    @property
    def nodes(self) -> tuple[NodePlan, ...]:
        """The nodes, each after what it reads."""

    @property
    def buckets(self) -> int:
        """How many buckets the stage has."""

    @property
    def ordered(self) -> bool:
        """Whether batches are cut at CTIs (`QueryPlan`)."""

    @property
    def second(self) -> "SecondStage | None":
        """The stage behind this one."""


@dataclass(frozen=True)
class CutPlan:
    """What the second stage hears of `node`, a node or a branch of the first: `lanes` are the first one's buckets.

    Its `branches` are the wires that were cut; their steps are taken before the exchange, their `keys` are fields
    behind the steps, and () where all rows go to the first bucket.
    """

    node: str
    lanes: tuple[str, ...]
    branches: tuple[Branch, ...]


@dataclass(frozen=True, eq=False)
class SecondStage:
    """The nodes of a plan behind a second exchange, and what they hear through it."""

    inputs: Mapping[str, CutPlan]
    nodes: tuple[NodePlan, ...]
    buckets: int
    ordered: bool = False
    second: None = None


@dataclass(frozen=True, eq=False)
class QueryPlan:
    """A whole binding, equal to itself alone (`once_of_plan`).

    `nodes` are in such an order that each comes after what it reads; outputs are among them.
    `outputs` gives the schema of each output node. `buckets` is how many the binding may really use: more than one
    only where one key says the bucket of all rows that ever meet. `stamps`: some output wants the latest input (T22).
    `watched`: the outcome of late_kept rows is decided behind the shuffle. `ordered`: what windows refuse hangs on the
    order of rows and CTIs in a batch (T19, one clock), so the feed numbers both. `trailing`: a window tells of complete
    panes, so the feed sends late rows behind the last CTI of a batch apart (T20). `together`: the lanes of all inputs
    have to be fed by one task (import_from, idle rule, substreams, implicit rowtimes). `second`: what of the graph runs
    behind a second exchange (`stages.py`), so that `nodes` are the others; `outputs` are those of both. `one_bucket`
    says why it is not spread, None where it is.
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
        """How many buckets the first and the second stage have; 0 where there is no second."""
        return self.buckets, self.second.buckets if self.second is not None else 0

    @property
    def routing(self) -> str:
        """A digest of what says to which bucket a row goes: state that was kept under another cannot be read on.

        It is "" where all rows go to one bucket.
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
        """In how many buckets the output node `output` runs."""
        behind = self.second
        return behind.buckets if behind and any(node.id == output for node in behind.nodes) else self.buckets
