"""The life of a binding in its carrier: its states from batch to batch, and the one table of legal moves.

A batch is planned from the result of the previous one. The settled states (waiting, parked, unbegun) do not change
between batches. Every other state is the batch's work on the binding, and settles when the batch is over.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from streaming.adapters.contract import Position

LanePositions = dict[str, dict[str, Position]]
"""Input id to lane to position, in the order in which the lanes were discovered."""


class BindingState(StrEnum):
    """The batch's work on a binding, which also decides if the next batch may read for it.

    Carried: `beginning`: its lanes get the clocks of the previous run, and nothing is read; `entering`: its state is
    restored from a savepoint, and nothing is read; `waiting`: nothing happens; `reading`: lanes advance, inputs end, or
    the time of the batch counts.
    Parked, so that a later start resumes there: `stopping`: the batch is its last; `stopping_unbegun` and
    `stopping_entered`: it was stopped before the batch that begins or enters it ran; `parked`: nothing
    happens; `unbegun`: parked, and its first batch is still to come.
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
"""The states in which a generation starts."""
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
"""From each state, the states that may follow. A binding whose savepoint is not restored leaves no state, so it is
forgotten."""
CARRIED: Final = frozenset({*NEW, _S.READING})
"""The states of a binding that batches read."""
BEGINS: Final = frozenset({_S.BEGINNING, _S.STOPPING_UNBEGUN})
"""The lanes get their first clocks in this batch."""
ENTERS: Final = frozenset({_S.ENTERING, _S.STOPPING_ENTERED})
"""The state comes in from a savepoint in this batch."""
MOVING: Final = frozenset({_S.READING, _S.STOPPING, _S.STOPPING_UNBEGUN, _S.STOPPING_ENTERED})
"""The batch does something that may have to be undone, so the previous standing of the binding is recorded."""
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
    """A transition of a binding that the table does not allow: an error in the program."""


@dataclass(frozen=True)
class StateGeneration:
    """The properties of one generation of a binding's state.

    `entry` is the control entry that added the binding last, `number` the one that started the state (the two differ
    after a restart that continues). `shape` is a digest of everything that the state depends on, `routing` the
    `Plan.routing` of its plan. `together`: the lanes are merged, and the time of a batch counts for them. `beside`: the
    run that a shadow run follows and never passes; "": not a shadow run. `state`: the name of the state, where a shadow
    run started it and has taken over since.
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
    """The progress of a binding: the positions of its lanes, and the inputs that have had CTI infinity."""

    positions: LanePositions
    ended: tuple[str, ...] = ()


@dataclass(frozen=True)
class CarriedBinding:
    """One binding in a carrier, as the offset of a batch records it.

    `now` is its standing after the batch, `before` its standing before the batch (only in the states `MOVING`).
    `savepoint`: the savepoint to restore (only in the states `ENTERS`). `redo`: the failed batch whose lane clocks must
    be forgotten. `held`: the limit in rows per second that kept the batch from reading all waiting rows. `beaten`: the
    tick of the last batch whose time counted for it. `quiet`: the tick of the last poll before that batch that found
    nothing to read (0: no such poll). `again`: where the previous run had read to; up to there, and in this batch too,
    the binding replays rows. `discarded`: its state was discarded, and only its positions are left. `widens`: the
    generation of its state, until the batch converts that state to its version (`widened_state.py`).
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
            raise IllegalMove(f"{self.key} is {self.state}, and its standing before the batch is {self.before}")
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
        """The positions after the batch."""
        return self.now.positions

    @property
    def stood(self) -> BindingStanding:
        """The standing before the batch."""
        return self.now if self.before is None else self.before

    def reading(self, positions: LanePositions, *, ended: tuple[str, ...] = ()) -> "CarriedBinding":
        """Read up to `positions`, and end the inputs `ended` with CTI infinity."""
        now = BindingStanding(positions, (*self.now.ended, *ended))
        return self._to(BindingState.READING, now=now, before=self.stood)

    def timed(self, tick: int, quiet: int = 0) -> "CarriedBinding":
        """Let the time of the batch, `tick`, count; until `quiet` there was nothing to read."""
        return self._to(BindingState.READING, before=self.stood, beaten=tick, quiet=quiet)

    def stopping(self, ended: tuple[str, ...] = ()) -> "CarriedBinding":
        """Make this batch its last, in which the inputs `ended` get CTI infinity."""
        now = BindingStanding(self.positions, (*self.now.ended, *ended))
        return self._to(_STOPPED.get(self.state, BindingState.STOPPING), now=now, before=self.stood)

    def failed_in_planning(self) -> "CarriedBinding":
        """Park it; the next planning undoes what the batch was to read."""
        parked = BindingState.STOPPING if self.state is BindingState.READING else BindingState.PARKED
        return self._to(parked, held=None, **self._unwidened())

    def set_aside(self, batch: int) -> "CarriedBinding":
        """Park it as if `batch`, in which it failed, had not happened: previous positions and lane clocks."""
        redo = self.redo if self.before is None else batch
        parked = _SET_ASIDE.get(self.state, BindingState.PARKED)
        changes = {"before": None, "savepoint": None, "redo": redo, "held": None}
        return self._to(parked, now=self.stood, **changes, **self._unwidened())

    def settled(self) -> "CarriedBinding":
        """Return the binding as it is when the batch is over."""
        again = None if self.again is not None and _reached(self.positions, self.again) else self.again
        if self.state not in _SETTLED and again is self.again and self.held is None and self.widens is None:
            return self
        changes = {"before": None, "savepoint": None, "held": None, "again": again, "widens": None}
        return self._to(_SETTLED.get(self.state, self.state), **changes)

    def resumed(self, entry: int, shape: str, routing: str) -> "CarriedBinding":
        """Resume with its state, by control entry `entry`."""
        generation = replace(self.generation, entry=entry, shape=shape, routing=routing)
        return self._to(_RESUMED.get(self.state, BindingState.WAITING), generation=generation)

    def widened(self, entry: int, shape: str, routing: str) -> "CarriedBinding":
        """Resume by control entry `entry`, of another version; the state is converted first."""
        return replace(self.resumed(entry, shape, routing), widens=self.generation)

    def _unwidened(self) -> dict[str, Any]:
        """Return the changes that undo the conversion of its state, where the batch was to convert it."""
        return {} if self.widens is None else {"generation": self.widens, "widens": None}

    def taking_over(self, generation: StateGeneration, again: LanePositions) -> "CarriedBinding":
        """Take over, with its own state, from the followed run, which stopped at `again`."""
        left = None if _reached(self.positions, again) else again
        return self._to(BindingState.WAITING, generation=generation, again=left)

    def _to(self, state: BindingState, **changes: Any) -> "CarriedBinding":
        if state not in MOVES[self.state]:
            raise IllegalMove(f"{self.key} cannot go from {self.state} to {state}")
        return replace(self, state=state, **changes)


def new_binding(
    generation: StateGeneration,
    positions: LanePositions,
    state: BindingState = BindingState.WAITING,
    *,
    savepoint: str | None = None,
    again: LanePositions | None = None,
) -> CarriedBinding:
    """Return a new generation in `state`."""
    if state not in NEW:
        raise IllegalMove(f"{generation.key} cannot begin as {state}")
    return CarriedBinding(generation, state, BindingStanding(positions), savepoint=savepoint, again=again)


def _reached(positions: LanePositions, wanted: LanePositions) -> bool:
    return all(
        positions.get(name, {}).get(lane, 0) >= at for name, lanes in wanted.items() for lane, at in lanes.items()
    )
