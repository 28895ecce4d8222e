"""The model of an explanation: the API sends it, and text and Mermaid are made from it.

Lengths of time are in ticks (T1); each comes with a text that expresses it in words. Fields are by name, with their
types as texts, in order.
"""

from typing import Literal

from streaming.definition.faults import Fault
from streaming.definition.strict import Strict
from streaming.temporal.ticks import Ticks

LifetimeShape = Literal["points", "intervals", "edges"]
BoundedBy = Literal["cti", "lanes", "keys", "open_edges", "pause", "next_event", "nothing"]
StageKind = Literal["feed", "keyed", "sink"]


class ExplainedLifetime(Strict):
    """The lifetime of the output events of a node. `longest` is in ticks; None: without a bound."""

    shape: LifetimeShape
    longest: Ticks | None
    text: str


class ExplainedPort(Strict):
    """One input of a node: the `field` that names it, such as `inputs[2]`, and the `node` in it.

    Input rows have the `fields` of that node.
    """

    field: str
    node: str


class ExplainedHold(Strict):
    """The delay of a node's output CTI relative to the smallest input CTI, in ticks.

    `rule` and `why` are from the table of TEMPORAL.md section 5; `formula` is the rule with the numbers of this node.
    The CTI is at least `at_least` behind (negative: ahead) and at most `at_most`; None: without a bound, for the reason
    in `because`.
    """

    rule: str
    why: str
    formula: str
    at_least: Ticks
    at_most: Ticks | None
    because: str | None
    text: str


class ExplainedState(Strict):
    """One part of a node's state: `what` it is, one entry for each `per`, kept `until`; `formula` is its size.

    `bounded_by`: a CTI frees it (`cti`); there is one entry for each lane (`lanes`), or for each key, and none is ever
    freed (`keys`); it stays while an edge is open (`open_edges`), until its group pauses (`pause`), or until enough
    further events of its group arrive (`next_event`); or it has no bound (`nothing`).
    """

    what: str
    per: str
    until: str
    formula: str
    bounded_by: BoundedBy


class Slices(Strict):
    """Slices of time that are aggregated once and merged into all windows that contain them.

    `lengths` are the ticks from one boundary of a window to the next, alternating; all are multiples of `grid`,
    the greatest common divisor of size and hop, starting at `offset`. A window merges `per_window` slices; an event is
    in `fewest` to `most` windows (None: up to the cap of T24; events above it are refused).
    """

    size: Ticks
    hop: Ticks
    offset: Ticks
    grid: Ticks
    lengths: list[Ticks]
    per_window: int
    fewest: int
    most: int | None
    text: str


class ExplainedClock(Strict):
    """The clock of an input, and its policies for late events, silent lanes and events from the future.

    `advances` are sentences about the sources of CTIs; empty: only CTIs of the adapter advance the input. `behind` is
    the largest lag, in ticks, of a lane's CTI to the largest start on it (negative: ahead); None: without a bound.
    `imports` is the input whose CTIs it copies. `lanes` are those listed by the stream; None: those of the adapter.
    """

    advances: list[str]
    behind: Ticks | None
    imports: str | None
    lanes: list[str] | None
    minimum: str
    late: str
    idle: str
    future: str


class ExplainedNode(Strict):
    """One node: its description, its inputs and output, the delay that it adds, its state, and its stage.

    `stage` is the number of its stage. `slices` is set for fixed windows, `clock` for inputs.
    """

    id: str
    kind: str
    does: str
    details: list[str]
    reads: list[ExplainedPort]
    fields: dict[str, str]
    lifetime: ExplainedLifetime
    stage: int
    hold: ExplainedHold
    state: list[ExplainedState]
    slices: Slices | None
    clock: ExplainedClock | None


class StagePart(Strict):
    """Nodes of one stage whose rows are assigned to buckets by the same `keys`.

    Empty: all rows are in one bucket. None: rows may be in any bucket, because they never meet.
    """

    keys: list[str] | None
    nodes: list[str]
    text: str


class ExplainedStage(Strict):
    """The nodes between two exchanges of rows. `folds` are windows of later stages that are pre-aggregated here.

    `shared` and `dedicated` describe the number of buckets in the two kinds of carriers.
    """

    number: int
    kind: StageKind
    title: str
    parts: list[StagePart]
    folds: list[str]
    lanes: str
    shared: str
    dedicated: str


class ExplainedStep(Strict):
    """One node on a path that delays CTIs by at most `at_most` ticks (negative: advances them; None: no bound)."""

    node: str
    at_most: Ticks | None
    text: str


class ExplainedPath(Strict):
    """The slowest path from an input to an output.

    Once the CTI of `input` is more than `at_most` ticks after a time, `output` has emitted every row that starts at or
    before that time, unless another input delays it. None: without a bound, for the reason in `because`.
    `behind_events` is the same bound, measured from the largest start on each lane of the input, if its clock has a
    bound.
    """

    input: str
    output: str
    through: list[str]
    steps: list[ExplainedStep]
    at_most: Ticks | None
    because: str | None
    behind_events: Ticks | None
    text: str


class Explanation(Strict):
    """The complete explanation. Each node comes after its inputs; `warnings` are those of the checks.

    `paths` has each output with each input that reaches it; with more than 200, only the slowest to each output.
    `buckets` is a sentence about the number of buckets of a dedicated carrier, and its reason.
    """

    query: str
    summary: list[str]
    nodes: list[ExplainedNode]
    stages: list[ExplainedStage]
    paths: list[ExplainedPath]
    buckets: str
    warnings: list[Fault]
