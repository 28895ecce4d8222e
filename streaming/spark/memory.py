"""What a worker may use of memory, and which binding is to blame when one dies of it (no pyspark here).

A worker computes one binding after another, so what asks for more than the limit is the binding at hand. Python hears
of it as a MemoryError, and that binding fails; Polars aborts, and the system kills whom it likes. So that such a death
has a culprit, each process keeps a *mark* in the carrier's folder: a page of shared memory with the bindings at hand,
which outlives the process. A mark whose process is gone counts a death against its bindings; who stands alone in the
marks of two deaths in one batch is failed in the next attempt at it, and everybody else goes on. Where there is another
carrier for who holds all others up (`CarrierSettings.sends_away`), whoever was at hand at the first death goes there,
and is judged there: the batch of everybody is repeated once.
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
"""In the environment of workers: so many bytes a worker may use beyond what it has when it begins; none: no limit."""
SESSION_VARIABLE: Final = "ENGINE_SESSION"
"""Names the session to which workers belong: who ended with their session has died of that."""
MARKS: Final = "working"
DEATHS: Final = "deaths.json"
ENOUGH: Final = 2
"""So many deaths in one batch are no chance. One is: somebody may have killed the process."""
_BYTES: Final = 4_096
_KEPT: Final = 100


def limit_memory() -> None:
    """Hold this process to its limit from now on, and let the system kill it before any other; twice is once."""
    global _LIMITED
    told = os.environ.get(LIMIT_VARIABLE)
    if not told or os.getpid() == _LIMITED:
        return
    _LIMITED = os.getpid()
    choose_first(1_000)
    try:
        import resource

        # not RLIMIT_AS, which counts what is reserved and never used: half a gigabyte of a fresh worker
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (_private_bytes() + int(told), hard))
    except (ImportError, OSError, ValueError):
        return  # no such limit on this system


_LIMITED = 0


def choose_first(score: int) -> None:
    """Let the system, when it runs out of memory, end this process and what it starts rather than others."""
    try:
        Path("/proc/self/oom_score_adj").write_text(str(score))
    except OSError:
        return  # another system, or one that does not let us


def _private_bytes() -> int:
    """What counts for the limit, now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) << 10
    raise OSError("the system does not say how much memory this process has")


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
        """`key` is at hand from now on."""
        with self._lock:
            self._at_hand[key] = batch
            self._write()

    def remove(self, key: str) -> None:
        """`key` is at hand no more."""
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
    """Work at `key` in `batch`, noted in `mark`. No generator: it is entered four times for each binding and batch."""

    __slots__ = ("_batch", "_key", "_mark")

    def __init__(self, mark: WorkMark, key: str, batch: int) -> None:
        self._mark, self._key, self._batch = mark, key, batch

    def __enter__(self) -> None:
        self._mark.add(self._key, self._batch)

    def __exit__(self, *raised: object) -> None:
        self._mark.remove(self._key)


def at_hand(folder: Path | None, key: str, batch: int) -> AbstractContextManager[None]:
    """Say in the carrier's local `folder` (None: it has none) that this process computes `key` inside."""
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
"""How a binding was at hand when a worker died: alone, among others, or alone and not for the first time in a batch."""


def count_deaths(folder: Path) -> dict[str, WorkerDeath]:
    """Count what died at work in this session since the last time, and forget the marks; no query runs meanwhile.

    Return how each binding was at hand that was, by its key.
    """
    deaths = _read(folder)
    found: dict[str, WorkerDeath] = {}
    for place in (folder / MARKS).glob("*"):
        if _lives(int(place.name)):
            continue
        told = _told(place)
        place.unlink(missing_ok=True)
        if told.get("session") != os.environ.get(SESSION_VARIABLE, ""):
            continue
        for key, batch in told["keys"].items():
            known = deaths.pop(key, {"batch": batch, "alone": 0})
            known = known if known["batch"] == batch else {"batch": batch, "alone": 0}
            alone = len(told["keys"]) == 1
            deaths[key] = {"batch": batch, "alone": known["alone"] + alone}
            enough = deaths[key]["alone"] >= ENOUGH
            found[key] = "again" if alone and enough else "alone" if alone else found.get(key, "among")
    if deaths:
        written = folder / f"{DEATHS}.new"
        written.write_text(json.dumps(dict(list(deaths.items())[-_KEPT:])))
        written.replace(folder / DEATHS)
    return found


@dataclass(frozen=True)
class Suspicion:
    """Processes have died at the work of a binding, the last time in `batch`; `guilty`: that was often enough."""

    batch: int
    guilty: bool

    def refuse(self, batch: int, *, computes: bool, sends_away: bool) -> None:
        """Raise `TooMuchMemory` if the binding is to blame.

        Where who holds others up is sent away, raise `WorkerDied` as soon as it would compute again. That its state is
        written, so that it can go, is no computing; where a process dies of that, it is to blame.
        """
        if sends_away and computes:
            raise WorkerDied
        if self.batch == batch if sends_away else self.guilty:
            raise TooMuchMemory


def suspects(folder: Path | None) -> dict[str, Suspicion]:
    """The bindings at whose work processes have died."""
    if folder is None:
        return {}
    return {key: Suspicion(each["batch"], each["alone"] >= ENOUGH) for key, each in _read(folder).items()}


def _read(folder: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((folder / DEATHS).read_text())
    except FileNotFoundError:
        return {}
    return found


def _told(place: Path) -> dict[str, Any]:
    text = place.read_bytes().partition(b"\0")[0]
    try:
        found: dict[str, Any] = json.loads(text or b"{}")
    except ValueError:  # it died while it wrote
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
