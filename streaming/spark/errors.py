"""Errors of a running carrier, in sentences for its user.

PunctualError         something outside the queries keeps a carrier from running; the message says what to do
  DamagedCheckpoint   a file of the carrier can't be read, or is missing; the message names it, and the ways back
    GapInResults      the results of a binding have more or fewer batches than the checkpoint
EngineGone            the JVM of the runner has ended, so the runner ends; its runs resume in the next runner
"""

import errno
import re
from dataclasses import dataclass, replace
from typing import Literal

from streaming.adapters.contract import AdapterError
from streaming.storage.blobs import StoreUnreachable
from streaming.storage.disk import DISK_FULL
from streaming.wasm.function import TooMuchFuel

Domain = Literal["user", "external", "internal"]


class PunctualError(Exception):
    """A carrier cannot run; the message is a sentence for the user, `domain` names who must act."""

    def __init__(self, message: str, *, domain: Domain = "external") -> None:
        super().__init__(message)
        self.domain: Domain = domain


DAMAGED = (
    "The checkpoint of this run is damaged: {file} of carrier {carrier} {what}. Runs of other carriers continue. Your "
    "administrator can restore the last backup (manage.py checkpoints restore), or set this carrier aside (manage.py "
    "checkpoints set-aside). Then start the run again: after set-aside it resumes from its last restart point, or at "
    "the positions that you choose."
)


class DamagedCheckpoint(PunctualError):
    """The file `file` of a carrier is damaged: `what` is wrong with it, as the end of a sentence."""

    def __init__(self, carrier: str, file: str, what: str) -> None:
        super().__init__(DAMAGED.format(file=file, carrier=carrier, what=what), domain="internal")
        self.file = file


GAP = (
    "The results of binding {binding} and the checkpoint of carrier {carrier} don't fit together: {what}. The folder "
    "is a copy that was made while runs were writing, or has parts of two backups. Your administrator can restore a "
    "backup (punctual-serve restore, or manage.py checkpoints restore), or set this carrier aside (manage.py "
    "checkpoints set-aside). Then start the run again: after set-aside it resumes from its last restart point, and the "
    "gap in its results stays."
)


class GapInResults(DamagedCheckpoint):
    """The results of a binding don't fit the carrier's checkpoint: `what` is wrong, as a clause."""

    def __init__(self, carrier: str, binding: str, what: str) -> None:
        PunctualError.__init__(self, GAP.format(binding=binding, carrier=carrier, what=what), domain="internal")
        self.file = "results"


class EngineGone(Exception):
    """The JVM of the runner has ended. No run is to blame: all resume from their checkpoints in the next runner."""


@dataclass(frozen=True)
class RunFailure:
    """The reason why a run failed: `message` for its user, `detail` only for the log. `final`: a retry failed too.

    `slow`: the binding reached a deadline, or a worker died at its work; it does no harm where it delays no other
    binding. `again`: the query must start again, to repeat its batch in another way (attempts.py).
    """

    domain: Domain
    message: str
    detail: str
    final: bool = False
    slow: bool = False
    again: bool = False


TOO_MUCH_MEMORY = (
    "The query needed more memory than a worker may use, so the run was stopped at its position before that batch; no "
    "other run was affected. Reduce the state and the results of the query (shorter windows, smaller texts and lists, "
    "narrower joins), then start the run again."
)
NO_PLACE = (
    "Other streaming queries of this runner's pool hold all places for tasks. The run is retried automatically; your "
    "administrator can give the organisation a runner of its own."
)
WORKER_DIED = (
    "A worker of the engine died while it processed this run, most likely because it needed more memory than a worker "
    "may use. The run was stopped at its position before that batch, and is restarted."
)
ENGINE_FAILED = (
    "The engine stopped because of an internal error. Start the run again; the checkpoint is kept. "
    "If it fails again, give the runner's log to your administrator."
)
"""Nothing is known about the error except its trace."""
BATCH_REPEATED = "The batch is repeated without the bindings that failed in it."
PROBE_PASSED = "The tested part of the batch has no error."
CULPRIT = (
    "Every batch with this run failed in a part of Punctual that all runs share, so the run was stopped at its "
    "position before that batch. Its state is kept. Check its rows since then; if it fails again after a start, give "
    "the runner's log to your administrator."
)
WORKER_AWAY = "A worker of the engine did not answer in time. The run is started again from its checkpoint."
OWN_ERROR = (
    "Punctual failed at {where} because of an internal error ({kind}). The run was stopped at its position before that "
    "batch, and its state is kept. Start it again; if it fails again, give the runner's log to your administrator."
)
REFUSED = (
    "Punctual failed at {where}: the operating system reported an error ({why}). The run was stopped at its position "
    "before that batch, and its state is kept. Check the disk and the permissions of its folders, then start the run "
    "again."
)
_MOST_CAUSES = 20
_OF_ADAPTER = re.compile(r"(?:AdapterError|NoAnswer|ComputedTooLong): (.+)")
"""The form in which Spark quotes the message of an adapter."""
_DAMAGED = re.compile(r"DamagedCheckpoint: (.+)")
_UNLOADED = "CANNOT_LOAD_STATE_STORE"
_UNREADABLE: tuple[str, ...] = ("Stream is corrupted", "Stream ended prematurely")
"""Spark's messages, without a file name, about state that it can't load because a changelog's checksum or end is
wrong."""
STATE_FILE = "a changelog in spark/state"
_BY_TEXT: tuple[tuple[tuple[str, ...], Domain, str], ...] = (
    ((BATCH_REPEATED,), "internal", BATCH_REPEATED),
    ((PROBE_PASSED,), "internal", PROBE_PASSED),
    (("No space left on device", "Errno 28", "Errno 122", "Disk quota exceeded"), "external", DISK_FULL),
    (
        ("Read-only file system", "Errno 30"),
        "external",
        "The disk that holds the results and the checkpoint is read-only. "
        "Mount it for writing, then start the run again; the checkpoint is kept.",
    ),
    (
        ("Permission denied", "Errno 13"),
        "external",
        "The runner does not have permission to write to its folder. "
        "Grant the permission, then start the run again; the checkpoint is kept.",
    ),
    (
        (
            "failed to connect back",
            "Timed out while waiting for",
            "Python worker exited unexpectedly",
            "java.io.EOFException",  # all that Spark reports when its planner was killed; the next two as well
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
        "The object store that holds the results and the state did not answer, or refused access. "
        "Check that it can be reached and accepts this installation's credentials, then start the run again.",
    ),
    (
        ("OutOfMemoryError", "Cannot allocate memory", "MemoryError"),
        "external",
        "The engine ran out of memory. Give the machine more, or run fewer queries; the checkpoint is kept.",
    ),
)


def shared_fault(error: BaseException) -> bool:
    """Return True if `error` concerns the machine and not a single binding.

    Such errors are a full or unwritable disk, an unreachable store, or a damaged file of the carrier. A lack of memory
    is not one: the binding that needs more than a worker may use is to blame.
    """
    if isinstance(error, StoreUnreachable | DamagedCheckpoint):
        return True
    return isinstance(error, OSError) and not isinstance(error, AdapterError) and error.errno in {28, 30, 122}


class NoAnswer(AdapterError):
    """A call of an adapter has not returned within its deadline."""


def no_answer(whom: str, seconds: float) -> NoAnswer:
    """Return the error for an adapter call that has not returned; somebody must check the source's system."""
    return NoAnswer(
        f"{whom} did not answer within {seconds:g} s. Check that its source can be reached, then start the run again; "
        "it resumes where it stopped.",
        domain="external",
    )


class NoPlaceForTasks(Exception):
    """A query found no place for its tasks (task_places.py)."""

    def __init__(self) -> None:
        super().__init__(NO_PLACE)


class ComputedTooLong(Exception):
    """The results of a binding took longer than allowed."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"Computing the results of one batch took longer than {seconds:g} s, so the run was stopped at its "
            "position before that batch. Reduce the state of the query (shorter windows, narrower joins) or give it "
            "an engine of its own, then start the run again."
        )


class TooMuchMemory(Exception):
    """A binding has requested more memory than a worker may use, or workers died at its work."""

    def __init__(self) -> None:
        super().__init__(TOO_MUCH_MEMORY)


class WorkerDied(Exception):
    """A worker died at the work of a binding, which resumes in a place where that repeats no batch of others."""

    def __init__(self) -> None:
        super().__init__(WORKER_DIED)


class BatchRepeated(Exception):
    """Some bindings failed after something of the batch was written, so it is repeated without them."""

    def __init__(self) -> None:
        super().__init__(BATCH_REPEATED)


class ProbePassed(Exception):
    """A probe of some bindings of a batch (culprit_search.py) finished without an error."""

    def __init__(self) -> None:
        super().__init__(PROBE_PASSED)


def passes(failure: RunFailure) -> bool:
    """Return True if a query that failed in this way during its start is likely to start at the next attempt."""
    return failure.message == WORKER_AWAY and not failure.final


def explain_query(error: BaseException, carrier: str = "main") -> RunFailure:
    """Return why the whole streaming query of `carrier` stopped, from the exception that Spark raised."""
    detail = _with_causes(error)
    if isinstance(error, PunctualError):
        return RunFailure(error.domain, str(error), detail)
    damage = _damage_in(detail, carrier)
    if damage is not None:
        return RunFailure("internal", damage, detail)
    if TOO_MUCH_MEMORY in detail:
        return RunFailure("user", TOO_MUCH_MEMORY, detail)
    for marks, domain, message in _BY_TEXT:
        if any(mark in detail for mark in marks):
            return RunFailure(domain, message, detail)
    quoted = _OF_ADAPTER.search(detail)
    if quoted is not None:
        return RunFailure("external", quoted[1].strip(), detail)
    return RunFailure("internal", ENGINE_FAILED, detail)


def _damage_in(detail: str, carrier: str) -> str | None:
    """Return the message about a damaged file that Spark quotes, or about state that Spark itself can't read."""
    ours = _DAMAGED.search(detail)
    if ours is not None:
        return ours[1].strip()
    if _UNLOADED in detail and any(mark in detail for mark in _UNREADABLE):
        return DAMAGED.format(file=STATE_FILE, carrier=carrier, what="can't be read")
    return None


def explain_culprit(detail: str) -> RunFailure:
    """Return the failure of a binding without which the batch succeeds (culprit_search.py)."""
    return RunFailure("internal", CULPRIT, detail)


def _with_causes(error: BaseException) -> str:
    """Return the messages of `error` and its causes: Spark's own message may be as empty as "Writing job failed."."""
    found: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(found) < _MOST_CAUSES:
        found.append(str(cause))
        cause = getattr(cause, "_cause", None) or cause.__cause__  # `_cause`: where PySpark stores the cause of the JVM
    return "\nCaused by: ".join(found)


def explain_binding(error: BaseException, where: str, detail: str) -> RunFailure:
    """Return why one binding failed at `where` (for example "reading orders"); every other binding continues."""
    failure = _explain(error, where, detail)
    return replace(failure, message=_unicode(failure.message), detail=_unicode(failure.detail))


def _explain(error: BaseException, where: str, detail: str) -> RunFailure:
    if isinstance(error, AdapterError):
        return RunFailure(_domain(error.domain), str(error), detail, slow=isinstance(error, NoAnswer))
    if isinstance(error, WorkerDied):
        return RunFailure("external", str(error), detail, slow=True)
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return RunFailure("user", TOO_MUCH_MEMORY, detail)
    if isinstance(error, ComputedTooLong | TooMuchMemory | TooMuchFuel) or type(error).__name__ == "NotRunnable":
        first, *_ = str(error).splitlines()  # Polars adds lines to errors inside of expressions
        return RunFailure("user", first, detail, slow=isinstance(error, ComputedTooLong | TooMuchFuel))
    if isinstance(error, OSError) and error.strerror:
        return RunFailure("external", REFUSED.format(where=where, why=error.strerror), detail)
    return RunFailure("internal", OWN_ERROR.format(where=where, kind=type(error).__name__), detail)


def _unicode(text: str) -> str:
    """Return `text` with escapes for invalid Unicode, for example of file names: it goes into messages and reports."""
    return text.encode(errors="backslashreplace").decode()


def _domain(text: str) -> Domain:
    return "external" if text == "external" else "internal" if text == "internal" else "user"
