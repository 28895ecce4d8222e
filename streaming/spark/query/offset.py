"""The offset of a carrier: all inputs of the next batch, in Spark's own log before the batch runs.

A batch is a function of two offsets, so a replay repeats every decision. Batches read a *carried* binding. A *parked*
binding was stopped or failed, and keeps its positions, so that a later start resumes there.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from streaming.spark.errors import PunctualError
from streaming.spark.query.binding_life import (
    BindingStanding,
    BindingState,
    CarriedBinding,
    LanePositions,
    StateGeneration,
)
from streaming.spark.query.layout import ANOTHER_LAYOUT, LAYOUT


@dataclass(frozen=True)
class BindingTurn:
    """The actions of a batch for one binding in addition to reading.

    `state` is reported when the batch is committed. `end`: inputs that get CTI infinity after their rows.
    `clear`: delete the state of generation `key` after the batch's results. `save`: the savepoint for the state from
    before the batch. `by_user`: a user stopped the run; its inputs have not ended. `cut`: results of this batch may be
    incomplete, because the user closed all windows. `repair`: the repair whose rows the batch also emits. `slow`: of a
    failure, as in `RunFailure`.
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
        """Return the combined actions for the same generation; the later state wins."""
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
    """`n` numbers the planned batches from 1; `tick` is the wall clock at planning; `control` the last applied entry.

    `spare` is the unused part of the row limit after the batch, in millionths of rows; None without a limit. `spares`:
    the same in a pooled carrier, for the organisations with a limit.
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
        """All bindings, the carried ones first."""
        return (*self.carried.values(), *self.parked.values())

    def planned_rows(self, organisation_of: Callable[[str], str]) -> dict[str, int]:
        """Return how many positions the batch advances, for each organisation."""
        found: dict[str, int] = {}
        for item in self.every:
            name = organisation_of(item.binding)
            found[name] = found.get(name, 0) + _rows(item.positions) - _rows(item.stood.positions)
        return found

    @property
    def entries(self) -> set[int]:
        """The applied control entries that later batches may need again."""
        widened = {item.widens.entry for item in self.every if item.widens is not None}
        return {item.entry for item in self.every} | {turn.entry for turn in self.turns} | widened

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values for Spark's log, which share their contents with this offset."""
        return {
            **vars(self),
            "layout": LAYOUT,
            "carried": {name: _content(item) for name, item in self.carried.items()},
            "parked": {name: _content(item) for name, item in self.parked.items()},
            "turns": [{**vars(turn), "end": list(turn.end)} for turn in self.turns],
        }

    @classmethod
    def of_json(cls, content: dict[str, Any]) -> "Offset":
        """Read the output of `to_json`. Raises `PunctualError` for the output of another version."""
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
    """Return the fields as JSON values; dataclasses.asdict would copy each binding deeply."""
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
