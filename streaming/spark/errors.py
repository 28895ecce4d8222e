"""What can go wrong while a carrier runs, in sentences for its user.

PunctualError         something outside the queries keeps a carrier from running; the message says what to do
"""

import errno
import re
from dataclasses import dataclass
from typing import Literal

from streaming.adapters.contract import AdapterError
from streaming.wire.storage import StoreUnreachable

Domain = Literal["user", "external", "internal"]


class PunctualError(Exception):
    """A carrier cannot run; the message is a sentence for the user, `domain` says who must act."""

    def __init__(self, message: str, *, domain: Domain = "external") -> None:
        super().__init__(message)
        self.domain: Domain = domain


@dataclass(frozen=True)
class RunFailure:
    """Why a run failed: `message` for its user, `detail` for the log alone. `final`: it was tried again, in vain.

    `slow`: it came to a deadline, or a worker died at its work, and it would do no harm where it holds nobody up.
    """

    domain: Domain
    message: str
    detail: str
    final: bool = False
    slow: bool = False


DISK_FULL = (
    "The disk that holds the results and the checkpoint is full. "
    "Free space, then start the run again; the checkpoint is kept."
)
TOO_MUCH_MEMORY = (
    "The query needed more memory than a worker may have, so the run was stopped where it was before that batch; no "
    "other run was touched. Let the query keep and make less (shorter windows, smaller texts and lists, narrower "
    "joins), then start the run again."
)
NO_PLACE = (
    "Other streaming queries of this runner's pool keep all places for those that have a query of their own. The run "
    "is tried again; whoever runs this installation can give the organisation a runner of its own."
)
WORKER_DIED = (
    "A worker of the engine ended at the work of this run, most likely because that needed more memory than a worker "
    "may have, so the run was stopped where it was before that batch; it is started again."
)
WORKER_AWAY = "A worker of the engine did not answer in time. The run is started again from its checkpoint."
_MOST_CAUSES = 20
_OF_ADAPTER = re.compile(r"(?:AdapterError|NoAnswer|ComputedTooLong): (.+)")
"""How Spark quotes the sentence of an adapter, where a carrier is not isolated and its query stops with it."""
_BY_TEXT: tuple[tuple[tuple[str, ...], Domain, str], ...] = (
    (("No space left on device", "Errno 28", "Errno 122", "Disk quota exceeded"), "external", DISK_FULL),
    (
        ("Read-only file system", "Errno 30"),
        "external",
        "The disk that holds the results and the checkpoint can only be read. "
        "Mount it for writing, then start the run again; the checkpoint is kept.",
    ),
    (
        ("Permission denied", "Errno 13"),
        "external",
        "The runner may not write to its folder. "
        "Give it the permission, then start the run again; the checkpoint is kept.",
    ),
    (
        (
            "failed to connect back",
            "Timed out while waiting for",
            "Python worker exited unexpectedly",
            "java.io.EOFException",  # all that Spark says of a planner that was killed, or one of the next two
            "java.net.SocketException",
            "java.io.IOException: Broken pipe",
        ),
        "external",
        WORKER_AWAY,
    ),
    ((NO_PLACE,), "external", NO_PLACE),
    (
        ("StoreUnreachable",),
        "external",
        "The object store that holds the results and the state did not answer, or refused. "
        "See that it can be reached and that it takes this installation's credentials; then start the run again.",
    ),
    (
        ("OutOfMemoryError", "Cannot allocate memory", "MemoryError"),
        "external",
        "The engine ran out of memory. Give the machine more, or run fewer queries; the checkpoint is kept.",
    ),
)


def shared_fault(error: BaseException) -> bool:
    """Whether `error` concerns the machine and not one binding: a full or unwritable disk, no store.

    No memory does not: who asks for more than a worker may have is the binding at hand.
    """
    if isinstance(error, StoreUnreachable):
        return True
    return isinstance(error, OSError) and not isinstance(error, AdapterError) and error.errno in {28, 30, 122}


class NoAnswer(AdapterError):
    """A call of an adapter has not returned within its deadline."""


def no_answer(whom: str, seconds: float) -> NoAnswer:
    """That a call of an adapter has not returned: somebody else's system has to be looked at."""
    return NoAnswer(
        f"{whom} did not answer within {seconds:g} s. See whether its source can be reached, then start the run again; "
        "it goes on where it was.",
        domain="external",
    )


class NoPlaceForTasks(Exception):
    """A query found no place for its tasks (task_places.py)."""

    def __init__(self) -> None:
        super().__init__(NO_PLACE)


class ComputedTooLong(Exception):
    """The results of a binding took longer than they may."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"Computing the results of one batch took longer than {seconds:g} s, so the run was stopped where it was "
            "before that batch. Let the query keep less (shorter windows, narrower joins) or give it an engine of its "
            "own, then start the run again."
        )


class TooMuchMemory(Exception):
    """A binding has asked for more memory than a worker may have, or workers died at its work."""

    def __init__(self) -> None:
        super().__init__(TOO_MUCH_MEMORY)


class WorkerDied(Exception):
    """A worker died at the work of a binding, which goes on where that repeats no batch of others."""

    def __init__(self) -> None:
        super().__init__(WORKER_DIED)


def blame_query(error: Exception) -> None:
    """Raise an `error` that is to end the whole query as what `explain_query` knows again, if it is of memory."""
    if isinstance(error, MemoryError):
        raise TooMuchMemory from error


def passes(failure: RunFailure) -> bool:
    """Whether a query that ended so while it started is likely to start when it is tried again."""
    return failure.message == WORKER_AWAY and not failure.final


def explain_query(error: BaseException) -> RunFailure:
    """Why the whole streaming query stopped, from the exception that Spark raised."""
    detail = _with_causes(error)
    if TOO_MUCH_MEMORY in detail:
        return RunFailure("user", TOO_MUCH_MEMORY, detail)
    for marks, domain, message in _BY_TEXT:
        if any(mark in detail for mark in marks):
            return RunFailure(domain, message, detail)
    said = _OF_ADAPTER.search(detail)
    if said is not None:
        return RunFailure("external", said[1].strip(), detail)
    message = (
        "The engine stopped because of a fault of its own. Start the run again; the checkpoint is kept. "
        "If it fails again, give the runner's log to whoever runs this installation."
    )
    return RunFailure("internal", message, detail)


def _with_causes(error: BaseException) -> str:
    """The messages of `error` and of what caused it: Spark's own may say nothing, such as "Writing job failed."."""
    found: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(found) < _MOST_CAUSES:
        found.append(str(cause))
        cause = getattr(cause, "_cause", None) or cause.__cause__  # `_cause`: where PySpark keeps that of the JVM
    return "\nCaused by: ".join(found)


def explain_binding(error: BaseException, where: str, detail: str) -> RunFailure:
    """Why one binding failed at `where` (such as "input orders"); every other binding goes on."""
    if isinstance(error, AdapterError):
        return RunFailure(_domain(error.domain), str(error), detail, slow=isinstance(error, NoAnswer))
    if isinstance(error, WorkerDied):
        return RunFailure("external", str(error), detail, slow=True)
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return RunFailure("user", TOO_MUCH_MEMORY, detail)
    if isinstance(error, ComputedTooLong | TooMuchMemory) or type(error).__name__ == "NotRunnable":
        return RunFailure("user", str(error), detail, slow=isinstance(error, ComputedTooLong))
    message = (
        f"Punctual failed at {where} because of a fault of its own ({type(error).__name__}). "
        "The run is stopped and its state kept; the runner's log has the details for whoever runs this installation."
    )
    return RunFailure("internal", message, detail)


def _domain(text: str) -> Domain:
    return "external" if text == "external" else "internal" if text == "internal" else "user"
