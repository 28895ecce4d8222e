"""What an explanation says: the shape that the API sends, and that text and Mermaid are made from.

Lengths of time are ticks (T1); each stands beside a text that says the same in words. Fields are by name, with their
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
    """How long the events live that leave a node. `longest` is in ticks; None: no bound is known."""

    shape: LifetimeShape
    longest: Ticks | None
    text: str


class ExplainedPort(Strict):
    """One thing that a node reads: the `field` that names it, such as `inputs[2]`, and the node there.

    What comes in has the `fields` of that node.
    """

    field: str
    node: str


class ExplainedHold(Strict):
    """How far the CTI that leaves a node may be behind the smallest CTI that came in, in ticks.

    `rule` and `why` are the table of TEMPORAL.md section 5, `formula` the rule with the numbers of this node. The CTI
    is at least `at_least` behind (negative: ahead) and at most `at_most`; None: there is no bound, `because` of that.
    """

    rule: str
    why: str
    formula: str
    at_least: Ticks
    at_most: Ticks | None
    because: str | None
    text: str


class ExplainedState(Strict):
    """One thing that a node remembers: `what`, a piece of it for each `per`, and `until` when; `formula` says how much.

    `bounded_by`: a CTI frees it; there is one for each lane, or for each key, and keys are not forgotten; it stays
    while an edge is open, until its group pauses, until enough further events of its group came; or nothing bounds it.
    """

    what: str
    per: str
    until: str
    formula: str
    bounded_by: BoundedBy


class Slices(Strict):
    """What is folded once and merged into the windows that overlap there.

    `lengths` are the ticks from one boundary of a window to the next, in turn; all of them are multiples of `grid`,
    the greatest common divisor of size and hop, from `offset` on. A window merges `per_window` slices; an event is in
    `fewest` to `most` windows (None: up to the cap of T24, beyond which it is refused).
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
    """How time advances on an input, and what becomes of events that time has left behind.

    `advances`: what makes CTIs, in sentences; none: the input moves by the CTIs of its adapter alone. `behind` is how
    many ticks the CTI of a lane is behind the largest start on it, at most (negative: ahead); None: no bound is known.
    `imports` is the input whose CTIs it copies. `lanes` are listed by the stream; None: one for each of the adapter.
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
    """One node: what it does, what goes in and out, what it holds back, what it remembers, and who carries it.

    `stage` is the number of its stage. `slices` is there for windows that stand where the definition says, `clock` for
    inputs.
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
    """Nodes of one stage whose rows go to buckets by the same `keys`.

    Without any all are in one bucket; None: they could be in any, for none meets another.
    """

    keys: list[str] | None
    nodes: list[str]
    text: str


class ExplainedStage(Strict):
    """What runs between two exchanges of rows. `folds` are windows of later stages that are folded here already.

    `shared` and `dedicated` say how many buckets there are in the two kinds of carriers.
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
    """One node on a path that holds CTIs back, by at most `at_most` ticks (negative: moves them on; None: no bound)."""

    node: str
    at_most: Ticks | None
    text: str


class ExplainedPath(Strict):
    """The slowest way from an input to an output.

    Once the CTI of `input` is `at_most` ticks and one more beyond a time, every row that starts at that time or before
    has left by `output`, if no other input holds it. None: that is not bounded, `because` of that. `behind_events` is
    the same from the largest start on each lane of the input on, where its clock gives a bound.
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
    """All of it. Nodes stand in an order in which each comes after what it reads; `warnings` are those of the checks.

    `paths` has each output with each input that reaches it; of more than 200 only the slowest to each output.
    `buckets` says in a sentence how many buckets a dedicated carrier uses, and why.
    """

    query: str
    summary: list[str]
    nodes: list[ExplainedNode]
    stages: list[ExplainedStage]
    paths: list[ExplainedPath]
    buckets: str
    warnings: list[Fault]
