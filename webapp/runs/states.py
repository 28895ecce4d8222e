"""Desired and observed states of a run, and the one table of legal moves."""

from enum import StrEnum
from typing import Final

IN_NO_RESULT: Final = ("dropped_late", "dropped_early", "dropped_window_closed", "malformed")
"""Outcomes of rows that no result contains."""


class Desired(StrEnum):
    """The state that the user wants. It moves once, from running to stopped; another start is another run."""

    RUNNING = "running"
    STOPPED = "stopped"


class Observed(StrEnum):
    """The observed state of a run. `requested`: no runner has taken it yet; `lost`: its runner is gone.

    `recovering`: it ran, and its runner or streaming query was restarted and has planned no batch since. `completed`:
    it has read its inputs to their end, and every result is stored; `stopped`: somebody stopped it.
    """

    REQUESTED = "requested"
    STARTING = "starting"
    RUNNING = "running"
    RECOVERING = "recovering"
    STOPPING = "stopping"
    STOPPED = "stopped"
    COMPLETED = "completed"
    FAILED = "failed"
    LOST = "lost"


class ChangeState(StrEnum):
    """The state of a change to another version without a pause.

    `catching_up`: the new version reads next to the run. `taking_over`: the run was asked to stop, and the new version
    to continue in its place. `done`: it has. `cancelled` by somebody, `failed` for the reason in its message: the run
    continued.
    """

    CATCHING_UP = "catching_up"
    TAKING_OVER = "taking_over"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


ENDED: Final = frozenset({Observed.STOPPED, Observed.COMPLETED})
"""States that end a run whatever state is desired; a failure ends it unless it is retried."""

MOVES: Final[dict[Observed, frozenset[Observed]]] = {
    Observed.REQUESTED: frozenset({Observed.STARTING, Observed.RUNNING, Observed.STOPPING, *ENDED, Observed.FAILED}),
    Observed.STARTING: frozenset({Observed.RUNNING, Observed.STOPPING, *ENDED, Observed.FAILED, Observed.LOST}),
    Observed.RUNNING: frozenset(
        {Observed.STARTING, Observed.RECOVERING, Observed.STOPPING, *ENDED, Observed.FAILED, Observed.LOST}
    ),
    Observed.RECOVERING: frozenset({Observed.RUNNING, Observed.STOPPING, *ENDED, Observed.FAILED, Observed.LOST}),
    Observed.STOPPING: frozenset({*ENDED, Observed.FAILED, Observed.LOST}),
    Observed.LOST: frozenset(
        {Observed.STARTING, Observed.RUNNING, Observed.RECOVERING, Observed.STOPPING, *ENDED, Observed.FAILED}
    ),
    Observed.FAILED: frozenset({Observed.REQUESTED, Observed.STOPPED}),
    Observed.STOPPED: frozenset(),
    Observed.COMPLETED: frozenset(),
}
"""From each state, the states that may follow. `failed` is left only by a retry, or by the user's stop."""

CARRIED: Final = frozenset({Observed.STARTING, Observed.RUNNING, Observed.RECOVERING, Observed.STOPPING})
"""States that need a live runner: without one the run is lost."""


def may_move(old: Observed, new: Observed) -> bool:
    """Return whether `new` may follow `old`."""
    return new in MOVES[old]
