"""The memory limit of workers, and the binding to blame when a worker dies of it (no pyspark here).

A worker computes one binding after another, so the binding at hand is the one that needs more than the limit. Python
raises a MemoryError, and that binding fails. Polars aborts instead, and the system may kill any process. To identify
the culprit of such a death, each process keeps a *mark* in the carrier's folder: a page of shared memory with the
bindings at hand, which outlives the process. A mark whose process is gone counts a death against its bindings. A
binding that is alone in the marks of two deaths in one batch fails in the next attempt at it, and all others continue.
If another carrier takes bindings that delay all others (`CarrierSettings.sends_away`), each binding at hand at the
first death moves there, and is judged there: the batch of all bindings is repeated only once.
"""

import json
import mmap
import os
import threading
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from streaming.spark.errors import TooMuchMemory, WorkerDied
from streaming.wire.fast_json import encoded

LIMIT_VARIABLE: Final = "ENGINE_WORKER_MEMORY"
"""Workers' environment variable for the bytes that a worker may use on top of its initial memory; unset: no limit."""
SESSION_VARIABLE: Final = "ENGINE_SESSION"
"""Names the session of the workers: the end of a session also ends its workers, which is not their fault."""
MARKS: Final = "working"
DEATHS: Final = "deaths.json"
ENOUGH: Final = 2
"""The number of deaths in one batch that cannot be chance. One can: somebody may have killed the process."""
_BYTES: Final = 4_096
_KEPT: Final = 100


def limit_memory() -> None:
    """Apply the limit to this process from now on, and let the system kill it first; a second call changes nothing."""
    global _LIMITED
    limit = os.environ.get(LIMIT_VARIABLE)
    if not limit or os.getpid() == _LIMITED:
        return
    _LIMITED = os.getpid()
    choose_first(1_000)
    try:
        import resource

        # not RLIMIT_AS, which also counts memory that is reserved and never used: half a gigabyte in a fresh worker
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (_private_bytes() + int(limit), hard))
    except (ImportError, OSError, ValueError):
        return  # this system has no such limit


_LIMITED = 0


def choose_first(score: int) -> None:
    """Make the system, when it runs out of memory, end this process and its children rather than others."""
    try:
        Path("/proc/self/oom_score_adj").write_text(str(score))
    except OSError:
        return  # another system, or no permission


def _private_bytes() -> int:
    """Return the memory that counts against the limit now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) << 10
    raise OSError("the system does not report how much memory this process has")


class WorkMark:
    """The bindings that this process has at hand for one carrier; any thread may add and remove."""

    def __init__(self, folder: Path) -> None:
        place = folder / MARKS / str(os.getpid())
        place.parent.mkdir(exist_ok=True)
        with place.open("w+b") as file:
            file.truncate(_BYTES)
            self._page = mmap.mmap(file.fileno(), _BYTES)
        self._at_hand: dict[str, int] = {}
        self._lock = threading.Lock()

    def add(self, key: str, batch: int) -> None:
        """Record that `key` is at hand from now on."""
        with self._lock:
            self._at_hand[key] = batch
            self._write()

    def remove(self, key: str) -> None:
        """Record that `key` is no longer at hand."""
        with self._lock:
            self._at_hand.pop(key, None)
            self._write()

    def _write(self) -> None:
        if not self._at_hand:
            self._page[0] = 0
            return
        text = encoded({"session": os.environ.get(SESSION_VARIABLE, ""), "keys": self._at_hand})
        self._page[: len(text) + 1] = text + b"\0" if len(text) < _BYTES else b"{}\0".ljust(len(text) + 1)


_MARKS: dict[tuple[Path, int], WorkMark] = {}
_MAKING = threading.Lock()
_UNMARKED: Final = nullcontext()


class MarkedWork(AbstractContextManager[None]):
    """Work on `key` in `batch`, recorded in `mark`. Not a generator, for speed: each binding and batch needs four."""

    __slots__ = ("_batch", "_key", "_mark")

    def __init__(self, mark: WorkMark, key: str, batch: int) -> None:
        self._mark, self._key, self._batch = mark, key, batch

    def __enter__(self) -> None:
        self._mark.add(self._key, self._batch)

    def __exit__(self, *raised: object) -> None:
        self._mark.remove(self._key)


def at_hand(folder: Path | None, key: str, batch: int) -> AbstractContextManager[None]:
    """Record in the carrier's local `folder` (None: it has none) that this process computes `key` inside `with`."""
    if folder is None or SESSION_VARIABLE not in os.environ:
        return _UNMARKED
    return MarkedWork(_mark_in(folder), key, batch)


def _mark_in(folder: Path) -> WorkMark:
    name = (folder, os.getpid())
    mark = _MARKS.get(name)
    if mark is None:
        with _MAKING:
            mark = _MARKS.get(name) or _MARKS.setdefault(name, WorkMark(folder))
    return mark


WorkerDeath = Literal["alone", "among", "again"]
"""The role of a binding at the death of a worker: alone, among others, or alone and repeatedly in the same batch."""


def count_deaths(folder: Path) -> dict[str, WorkerDeath]:
    """Count the deaths at work in this session since the last call, and delete the marks. No query may run.

    Return the role of each binding that was at hand, by its key.
    """
    deaths = _read(folder)
    found: dict[str, WorkerDeath] = {}
    for place in (folder / MARKS).glob("*"):
        if not place.name.isdigit() or _lives(int(place.name)):
            continue
        mark = _read_mark(place)
        place.unlink(missing_ok=True)
        if mark.get("session") != os.environ.get(SESSION_VARIABLE, ""):
            continue
        for key, batch in mark["keys"].items():
            known = deaths.pop(key, {"batch": batch, "alone": 0})
            known = known if known["batch"] == batch else {"batch": batch, "alone": 0}
            alone = len(mark["keys"]) == 1
            deaths[key] = {"batch": batch, "alone": known["alone"] + alone}
            enough = deaths[key]["alone"] >= ENOUGH
            found[key] = "again" if alone and enough else "alone" if alone else found.get(key, "among")
    if deaths:
        written = folder / f"{DEATHS}.new"
        written.write_text(json.dumps(dict(list(deaths.items())[-_KEPT:])))
        written.replace(folder / DEATHS)
    return found


@dataclass(frozen=True)
class CrashSuspect:
    """A binding at whose work processes have died, the last time in `batch`; `guilty`: that was often enough."""

    batch: int
    guilty: bool

    def refuse(self, batch: int, *, computes: bool, sends_away: bool) -> None:
        """Raise `TooMuchMemory` if the binding is to blame.

        If such bindings are sent away, raise `WorkerDied` as soon as it would compute again. Writing its state for the
        move is not computing; a binding at whose move a process dies is to blame.
        """
        if sends_away and computes:
            raise WorkerDied
        if self.batch == batch if sends_away else self.guilty:
            raise TooMuchMemory


def suspects(folder: Path | None) -> dict[str, CrashSuspect]:
    """Return the bindings at whose work processes have died."""
    if folder is None:
        return {}
    return {key: CrashSuspect(each["batch"], each["alone"] >= ENOUGH) for key, each in _read(folder).items()}


def _read(folder: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((folder / DEATHS).read_text())
    except FileNotFoundError:
        return {}
    return found


def _read_mark(place: Path) -> dict[str, Any]:
    text = place.read_bytes().partition(b"\0")[0]
    try:
        found: dict[str, Any] = json.loads(text or b"{}")
    except ValueError:  # the process died while it wrote
        return {}
    return found


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return _state(pid) != "Z"


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""
