"""The life of a binding in its carrier: its states from batch to batch, and the one table of legal moves.

A batch is planned from what the one before left. What is settled (waiting, parked, unbegun) is as it is between two
batches; every other state says what the batch does with the binding, and settles when it is over.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from streaming.adapters.contract import Position

LanePositions = dict[str, dict[str, Position]]
"""Input id to lane to position, in the order in which the lanes became known."""


class BindingState(StrEnum):
    """What the batch does with a binding, and whether the next one may read for it.

    Carried: `beginning`: its lanes get the clocks that the run before had, and nothing is read; `entering`: its state
    comes in from a savepoint, and nothing is read; `waiting`: nothing happens; `reading`: lanes move on, inputs end, or
    the time of the batch counts.
    Parked, so that a later start goes on from there: `stopping`: the batch is its last; `stopping_unbegun` and
    `stopping_entered`: it was stopped before the batch in which it begins, or enters, had run; `parked`: nothing
    happens; `unbegun`: the same, and what begins it is still to be done.
    """

    BEGINNING = "beginning"
    ENTERING = "entering"
    WAITING = "waiting"
    READING = "reading"
    STOPPING = "stopping"
    STOPPING_UNBEGUN = "stopping_unbegun"
    STOPPING_ENTERED = "stopping_entered"
    PARKED = "parked"
    UNBEGUN = "unbegun"


_S = BindingState
NEW: Final = frozenset({_S.BEGINNING, _S.ENTERING, _S.WAITING})
"""The states in which a generation begins."""
MOVES: Final[dict[BindingState, frozenset[BindingState]]] = {
    _S.BEGINNING: frozenset({_S.WAITING, _S.STOPPING_UNBEGUN, _S.UNBEGUN}),
    _S.ENTERING: frozenset({_S.WAITING, _S.STOPPING_ENTERED}),
    _S.WAITING: frozenset({_S.WAITING, _S.READING, _S.STOPPING, _S.PARKED}),
    _S.READING: frozenset({_S.WAITING, _S.READING, _S.STOPPING, _S.PARKED}),
    _S.STOPPING: frozenset({_S.PARKED}),
    _S.STOPPING_UNBEGUN: frozenset({_S.UNBEGUN}),
    _S.STOPPING_ENTERED: frozenset({_S.PARKED}),
    _S.PARKED: frozenset({_S.WAITING, _S.PARKED}),
    _S.UNBEGUN: frozenset({_S.BEGINNING, _S.UNBEGUN}),
}
"""From each state, the states that may follow. One whose savepoint did not come in leaves no state: it is forgotten."""
BEGINS: Final = frozenset({_S.BEGINNING, _S.STOPPING_UNBEGUN})
"""The lanes get their first clocks in this batch."""
ENTERS: Final = frozenset({_S.ENTERING, _S.STOPPING_ENTERED})
"""The state comes in from a savepoint in this batch."""
MOVING: Final = frozenset({_S.READING, _S.STOPPING, _S.STOPPING_UNBEGUN, _S.STOPPING_ENTERED})
"""The batch does something that it may have to take back: where the binding stood before is noted."""
_SETTLED: Final = {
    _S.BEGINNING: _S.WAITING,
    _S.ENTERING: _S.WAITING,
    _S.READING: _S.WAITING,
    _S.STOPPING: _S.PARKED,
    _S.STOPPING_UNBEGUN: _S.UNBEGUN,
    _S.STOPPING_ENTERED: _S.PARKED,
}
_STOPPED: Final = {_S.BEGINNING: _S.STOPPING_UNBEGUN, _S.ENTERING: _S.STOPPING_ENTERED}
_RESUMED: Final = {_S.UNBEGUN: _S.BEGINNING}
_SET_ASIDE: Final = dict.fromkeys((*BEGINS, _S.UNBEGUN), _S.UNBEGUN)


class IllegalMove(AssertionError):
    """A binding was to move where the table of moves does not let it: a fault of the program."""


@dataclass(frozen=True)
class StateGeneration:
    """What one generation of a binding's state hangs on.

    `entry` is the control entry that added the binding last, `number` the one that began the state (the two differ
    after a restart that continues), `shape` a digest of what the state depends on, `routing` `Plan.routing` of the plan
    whose state it is. `together`: the lanes are fed as one, and the time of a batch counts for them. `beside`: the run
    beside which it reads, never further than that; "": none. `state`: the name of the state where a run beside another
    began it, which has taken over since.
    """

    binding: str
    entry: int
    number: int
    shape: str
    routing: str
    together: bool = False
    beside: str = ""
    state: str = ""

    @property
    def key(self) -> str:
        """The name of the state."""
        return self.state or f"{self.binding}@{self.number}"


@dataclass(frozen=True)
class BindingStanding:
    """How far a binding has come: the positions of its lanes, and the inputs that have had CTI infinity."""

    positions: LanePositions
    ended: tuple[str, ...] = ()


@dataclass(frozen=True)
class CarriedBinding:
    """One binding in a carrier, as the offset of a batch has it.

    `now` is where it stands after the batch, `before` where it stood before it (in the states `MOVING` alone).
    `savepoint`: what it enters with (in the states `ENTERS` alone). `redo`: the batch that failed and whose lane clocks
    must be forgotten. `held`: the limit of rows each second that kept the batch from reading all that waited. `beaten`:
    the tick of the last batch whose time counted for it, and `quiet` that of the last look before that batch which
    found nothing to read (0: none is known). `again`: where the run before had read to; up to there it reads what was
    read before, in this batch too. `discarded`: its state was thrown away; its positions alone are known.
    `widens`: whose state it is until the batch has brought it into the form of its version (`widened_state.py`).
    """

    generation: StateGeneration
    state: BindingState
    now: BindingStanding
    before: BindingStanding | None = None
    savepoint: str | None = None
    redo: int = 0
    held: int | None = None
    beaten: int = 0
    quiet: int = 0
    again: LanePositions | None = None
    discarded: bool = False
    widens: StateGeneration | None = None

    def __post_init__(self) -> None:
        if (self.before is not None) is not (self.state in MOVING):
            raise IllegalMove(f"{self.key} is {self.state}, and stood before it at {self.before}")
        if (self.savepoint is not None) is not (self.state in ENTERS):
            raise IllegalMove(f"{self.key} is {self.state}, and enters with {self.savepoint}")

    @property
    def key(self) -> str:
        """The name of its state."""
        return self.generation.key

    @property
    def binding(self) -> str:
        """The binding."""
        return self.generation.binding

    @property
    def entry(self) -> int:
        """The control entry that added it last."""
        return self.generation.entry

    @property
    def positions(self) -> LanePositions:
        """Those after the batch."""
        return self.now.positions

    @property
    def stood(self) -> BindingStanding:
        """Where it stood before the batch."""
        return self.now if self.before is None else self.before

    def reading(self, positions: LanePositions, *, ended: tuple[str, ...] = ()) -> "CarriedBinding":
        """It reads to `positions`, and the inputs `ended` get CTI infinity too."""
        now = BindingStanding(positions, (*self.now.ended, *ended))
        return self._to(BindingState.READING, now=now, before=self.stood)

    def timed(self, tick: int, quiet: int = 0) -> "CarriedBinding":
        """The time of the batch, `tick`, counts for it; until `quiet` it had nothing to read."""
        return self._to(BindingState.READING, before=self.stood, beaten=tick, quiet=quiet)

    def stopping(self, ended: tuple[str, ...] = ()) -> "CarriedBinding":
        """This batch is its last, in which the inputs `ended` get CTI infinity too."""
        now = BindingStanding(self.positions, (*self.now.ended, *ended))
        return self._to(_STOPPED.get(self.state, BindingState.STOPPING), now=now, before=self.stood)

    def failed_in_planning(self) -> "CarriedBinding":
        """It is parked; what the batch was to read is taken back when the next one is planned."""
        parked = BindingState.STOPPING if self.state is BindingState.READING else BindingState.PARKED
        return self._to(parked, held=None, **self._unwidened())

    def set_aside(self, batch: int) -> "CarriedBinding":
        """Parked as if `batch`, in which it failed, had not been: old positions, and the lane clocks of before."""
        redo = self.redo if self.before is None else batch
        parked = _SET_ASIDE.get(self.state, BindingState.PARKED)
        changes = {"before": None, "savepoint": None, "redo": redo, "held": None}
        return self._to(parked, now=self.stood, **changes, **self._unwidened())

    def settled(self) -> "CarriedBinding":
        """How it is when the batch is over."""
        again = None if self.again is not None and _reached(self.positions, self.again) else self.again
        if self.state not in _SETTLED and again is self.again and self.held is None and self.widens is None:
            return self
        changes = {"before": None, "savepoint": None, "held": None, "again": again, "widens": None}
        return self._to(_SETTLED.get(self.state, self.state), **changes)

    def resumed(self, entry: int, shape: str, routing: str) -> "CarriedBinding":
        """It is carried on with its state by control entry `entry`."""
        generation = replace(self.generation, entry=entry, shape=shape, routing=routing)
        return self._to(_RESUMED.get(self.state, BindingState.WAITING), generation=generation)

    def widened(self, entry: int, shape: str, routing: str) -> "CarriedBinding":
        """It is carried on by control entry `entry`, of another version, for which its state is changed first."""
        return replace(self.resumed(entry, shape, routing), widens=self.generation)

    def _unwidened(self) -> dict[str, Any]:
        """As if its state had not been changed, where the batch was to change it."""
        return {} if self.widens is None else {"generation": self.widens, "widens": None}

    def taking_over(self, generation: StateGeneration, again: LanePositions) -> "CarriedBinding":
        """It read beside another run, which stopped at `again`, and goes on in its place with its own state."""
        left = None if _reached(self.positions, again) else again
        return self._to(BindingState.WAITING, generation=generation, again=left)

    def _to(self, state: BindingState, **changes: Any) -> "CarriedBinding":
        if state not in MOVES[self.state]:
            raise IllegalMove(f"{self.key} cannot go from {self.state} to {state}")
        return replace(self, state=state, **changes)


def begun_binding(
    generation: StateGeneration,
    positions: LanePositions,
    state: BindingState = BindingState.WAITING,
    *,
    savepoint: str | None = None,
    again: LanePositions | None = None,
) -> CarriedBinding:
    """A new generation."""
    if state not in NEW:
        raise IllegalMove(f"{generation.key} cannot begin as {state}")
    return CarriedBinding(generation, state, BindingStanding(positions), savepoint=savepoint, again=again)


def _reached(positions: LanePositions, wanted: LanePositions) -> bool:
    return all(
        positions.get(name, {}).get(lane, 0) >= at for name, lanes in wanted.items() for lane, at in lanes.items()
    )
