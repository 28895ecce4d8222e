"""The offset of a carrier: everything that the next batch needs to know, in Spark's own log before the batch runs.

A batch is a function of two offsets, so a replay repeats every decision. A *carried* binding is one that batches
read; a *parked* one was stopped or failed and keeps its positions, so that a later start goes on from there.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from streaming.spark.binding_life import BindingStanding, BindingState, CarriedBinding, LanePositions, StateGeneration
from streaming.spark.errors import PunctualError
from streaming.spark.layout import ANOTHER_LAYOUT, LAYOUT


@dataclass(frozen=True)
class BindingTurn:
    """What a batch does with one binding beside reading what moved.

    `state` is reported when the batch is committed. `end`: inputs that get CTI infinity after what they read.
    `clear`: the state of generation `key` goes, after the batch's results. `save`: the savepoint that its state of
    before the batch is written to. `by_user`: the run was told to stop, its inputs have not come to their end. `cut`:
    what it gives in this batch was not whole yet, because its user had all windows closed. `repair`: the repair whose
    rows it gives too. `slow`: of a failure, as `RunFailure` has it.
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
    repair: str | None = None
    slow: bool = False

    def with_later(self, later: "BindingTurn") -> "BindingTurn":
        """What the batch does with the same generation in all; the newer state counts."""
        return replace(
            later if later.state is not None else self,
            end=(*self.end, *later.end),
            clear=self.clear or later.clear,
            save=later.save or self.save,
            by_user=self.by_user or later.by_user,
            cut=self.cut or later.cut,
            repair=later.repair or self.repair,
        )


@dataclass(frozen=True)
class Offset:
    """`n` numbers the planned batches from 1; `tick` is the wall clock at planning; `control` the last entry taken.

    `spare` is what the limit of rows each second leaves after the batch, in millionths of rows; None without a limit.
    `spares`: the same in a pooled carrier, of the organisations that have one.
    """

    n: int = 0
    tick: int = 0
    control: int = 0
    carried: dict[str, CarriedBinding] = field(default_factory=dict)
    parked: dict[str, CarriedBinding] = field(default_factory=dict)
    turns: tuple[BindingTurn, ...] = ()
    spare: int | None = None
    spares: dict[str, int] = field(default_factory=dict)

    @property
    def every(self) -> tuple[CarriedBinding, ...]:
        """All bindings that are known, the carried ones first."""
        return (*self.carried.values(), *self.parked.values())

    def planned_rows(self, organisation_of: Callable[[str], str]) -> dict[str, int]:
        """How many positions the batch moves on by, of each organisation."""
        found: dict[str, int] = {}
        for item in self.every:
            name = organisation_of(item.binding)
            found[name] = found.get(name, 0) + _rows(item.positions) - _rows(item.stood.positions)
        return found

    @property
    def entries(self) -> set[int]:
        """The control entries that later batches may need again, of those that were taken."""
        widened = {item.widens.entry for item in self.every if item.widens is not None}
        return {item.entry for item in self.every} | {turn.entry for turn in self.turns} | widened

    def to_json(self) -> dict[str, Any]:
        """As Spark keeps it: plain JSON values, which share what they hold with this offset."""
        return {
            **vars(self),
            "layout": LAYOUT,
            "carried": {name: _content(item) for name, item in self.carried.items()},
            "parked": {name: _content(item) for name, item in self.parked.items()},
            "turns": [{**vars(turn), "end": list(turn.end)} for turn in self.turns],
        }

    @classmethod
    def of_json(cls, content: dict[str, Any]) -> "Offset":
        """Read what `to_json` wrote. Raises `PunctualError` for what another version wrote."""
        if content.get("layout") != LAYOUT:
            found = content.get("layout", "unknown")
            raise PunctualError(ANOTHER_LAYOUT.format(found=found, known=LAYOUT), domain="user")
        return cls(
            n=content["n"],
            tick=content["tick"],
            control=content["control"],
            carried={name: _carried(item) for name, item in content["carried"].items()},
            parked={name: _carried(item) for name, item in content["parked"].items()},
            turns=tuple(BindingTurn(**{**turn, "end": tuple(turn["end"])}) for turn in content["turns"]),
            spare=content["spare"],
            spares=content.get("spares", {}),
        )


def _rows(positions: LanePositions) -> int:
    return sum(position for lanes in positions.values() for position in lanes.values())


def _content(item: CarriedBinding) -> dict[str, Any]:
    """The fields as JSON values; not dataclasses.asdict, which copies deeply: there is one for each binding."""
    before = None if item.before is None else vars(item.before)
    widens = None if item.widens is None else vars(item.widens)
    apart = {"generation": vars(item.generation), "now": vars(item.now), "before": before, "widens": widens}
    return {**vars(item), **apart}


def _carried(content: dict[str, Any]) -> CarriedBinding:
    before, widens = content["before"], content.get("widens")
    named = {
        "generation": StateGeneration(**content["generation"]),
        "state": BindingState(content["state"]),
        "now": _standing(content["now"]),
        "before": None if before is None else _standing(before),
        "widens": None if widens is None else StateGeneration(**widens),
    }
    return CarriedBinding(**{**content, **named})


def _standing(content: dict[str, Any]) -> BindingStanding:
    return BindingStanding(content["positions"], tuple(content["ended"]))
