"""The offset of a carrier: everything that the next batch needs to know, in Spark's own log before the batch runs.

A batch is a function of two offsets, so a replay repeats every decision. A *carried* binding is one that batches
read; a *parked* one was stopped or failed and keeps its positions, so that a later start goes on from there.
"""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from streaming.adapters.contract import Position

LanePositions = dict[str, dict[str, Position]]
"""Input id to lane to position, in the order in which the lanes became known."""


@dataclass(frozen=True)
class Carried:
    """One binding in a carrier.

    `entry` is the control entry that added it last, `generation` the one that began its state (the two differ after a
    restart that continues), `shape` a digest of what the state depends on. `positions` are those after the batch,
    `before` (and `ended_before`) those before it where the batch does something with the binding. `ended`: inputs that
    have had CTI infinity. `redo`: the batch that failed and whose lane clocks must be forgotten. `held`: the limit of
    rows each second that kept the batch from reading all that waited, None where it did not. `together`: its lanes are
    fed as one, and the time of a batch counts for it; `beaten` is that of the last one that did. `enters`: the
    savepoint that it begins with in this batch, in which it reads nothing. `routing`: `Plan.routing` of the plan whose
    state it has; None in offsets of before that was noted. `begins`: in this batch, in which it reads nothing, its
    lanes get the clocks that the run before had at their positions. `again`: where that one had read to; up to there
    it reads what was read before, in this batch too.
    """

    binding: str
    entry: int
    generation: int
    shape: str
    positions: LanePositions
    before: LanePositions | None = None
    ended: tuple[str, ...] = ()
    ended_before: tuple[str, ...] = ()
    redo: int = 0
    held: int | None = None
    together: bool = False
    beaten: int = 0
    enters: str | None = None
    routing: str | None = None
    begins: bool = False
    again: LanePositions | None = None

    @property
    def key(self) -> str:
        """The name of this generation's state."""
        return f"{self.binding}@{self.generation}"


@dataclass(frozen=True)
class Turn:
    """What a batch does with one binding beside reading what moved.

    `state` is reported when the batch is committed. `end`: inputs that get CTI infinity after what they read.
    `clear`: the state of generation `key` goes, after the batch's results. `save`: the savepoint that its state of
    before the batch is written to. `by_user`: the run was told to stop, its inputs have not come to their end. `cut`:
    what it gives in this batch was not whole yet, because its user had all windows closed.
    """

    binding: str
    key: str
    entry: int
    state: Literal["running", "stopped", "completed", "failed"] | None = None
    domain: Literal["user", "external", "internal"] | None = None
    message: str | None = None
    detail: str | None = None
    end: tuple[str, ...] = ()
    clear: bool = False
    save: str | None = None
    by_user: bool = False
    cut: bool = False


@dataclass(frozen=True)
class Offset:
    """`n` numbers the planned batches from 1; `tick` is the wall clock at planning; `control` the last entry taken.

    `spare` is what the limit of rows each second leaves after the batch, in millionths of rows; None without a limit.
    """

    n: int = 0
    tick: int = 0
    control: int = 0
    carried: dict[str, Carried] = field(default_factory=dict)
    parked: dict[str, Carried] = field(default_factory=dict)
    turns: tuple[Turn, ...] = ()
    spare: int | None = None

    @property
    def planned_rows(self) -> int:
        """How many positions the batch moves on by."""
        items = [item for item in (*self.carried.values(), *self.parked.values()) if item.before is not None]
        return sum(_rows(item.positions) - _rows(item.before or {}) for item in items)

    @property
    def entries(self) -> set[int]:
        """The control entries that later batches may need again, of those that were taken."""
        items = (*self.carried.values(), *self.parked.values())
        return {item.entry for item in items} | {turn.entry for turn in self.turns}

    def to_json(self) -> dict[str, Any]:
        """As Spark keeps it: plain JSON values, which share what they hold with this offset."""
        return {
            **vars(self),
            "carried": {name: _content(item) for name, item in self.carried.items()},
            "parked": {name: _content(item) for name, item in self.parked.items()},
            "turns": [_content(turn) for turn in self.turns],
        }

    @classmethod
    def of_json(cls, content: dict[str, Any]) -> "Offset":
        """Read what `to_json` wrote."""
        return cls(
            n=content["n"],
            tick=content["tick"],
            control=content["control"],
            carried={name: _carried(item) for name, item in content["carried"].items()},
            parked={name: _carried(item) for name, item in content["parked"].items()},
            turns=tuple(_turn(item) for item in content["turns"]),
            spare=content.get("spare"),  # offsets of before there were limits have none
        )


def _rows(positions: LanePositions) -> int:
    return sum(position for lanes in positions.values() for position in lanes.values())


def _content(item: Carried | Turn) -> dict[str, Any]:
    """The fields as JSON values; not dataclasses.asdict, which copies deeply: there is one for each binding."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in vars(item).items()}


def _carried(content: dict[str, Any]) -> Carried:
    ends = {"ended": tuple(content["ended"]), "ended_before": tuple(content["ended_before"])}
    return Carried(**{**content, **ends})


def _turn(content: dict[str, Any]) -> Turn:
    return Turn(**{**content, "end": tuple(content["end"])})


def rewound(carried: Carried, batch: int) -> Carried:
    """`carried` as if `batch`, in which it failed, had not been: old positions, and the lane clocks of before."""
    if carried.before is None:
        return carried
    return replace(carried, positions=carried.before, before=None, ended=carried.ended_before, redo=batch)
