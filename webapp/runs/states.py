"""What is wanted of a run, what is seen of it, and the one table of legal moves."""

from enum import StrEnum
from typing import Final


class Desired(StrEnum):
    """What the user wants. It moves once, from running to stopped; another start is another run."""

    RUNNING = "running"
    STOPPED = "stopped"


class Observed(StrEnum):
    """What is known of the run. `requested`: no runner has taken it yet; `lost`: its runner is gone.

    `recovering`: it ran, and its runner or query was started again and has planned no batch since. `completed`: it has
    read its inputs to their end, and every result is written; `stopped`: somebody stopped it.
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
    """How far a change to another version is that makes no pause.

    `catching_up`: the new version reads beside the run; `taking_over`: the run was told to stop, and the new version to
    go on in its place; `done`: it has. `cancelled` by somebody, `failed` by what its message says: the run went on.
    """

    CATCHING_UP = "catching_up"
    TAKING_OVER = "taking_over"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


ENDED: Final = frozenset({Observed.STOPPED, Observed.COMPLETED})
"""States that end a run whatever is wanted of it; a failure ends it unless it is tried again."""

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
"""From each state, the states that may follow. `failed` is left only to try again, or by the user's stop."""

CARRIED: Final = frozenset({Observed.STARTING, Observed.RUNNING, Observed.RECOVERING, Observed.STOPPING})
"""States that a runner upholds: without a live runner they are lost."""


def may_move(old: Observed, new: Observed) -> bool:
    """Whether `new` may follow `old`."""
    return new in MOVES[old]
