"""Runners that stand by on this machine: so many are kept up, and each is given to one launch.

A standby has started Spark and knows nothing of any organisation (`streaming.runtime.standby`). What is known of it
here is a file; whoever takes the file away may take the runner, and nobody else. It fits a launch that would start the
very same program with the very same settings. Who is not told that it is wanted ends by itself (`ORPHANED_S`).
"""

import logging
import socket
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from pydantic import ValidationError

from streaming.definition.strict import Strict
from streaming.wire.standby import StandbyAnswer, StayUp, TakeStandby

Noted = TypeVar("Noted", bound=Strict)

logger = logging.getLogger(__name__)

MAY_BEGIN_FOR: Final = timedelta(seconds=180)
"""One that cannot be asked after so long is ended."""
QUIET: Final = timedelta(seconds=20)
"""For so long after a launch none is started: it would take the processor from a runner that somebody waits for."""
FIRST_PAUSE_S: Final = 10
LONGEST_PAUSE_S: Final = 600


class StandbyNote(Strict):
    """A runner that stands by, or begins to. `started` is its start by the system's clock, `fits` what it serves."""

    host: str
    pid: int
    started: float
    socket: str
    fits: str


class StandbysInVain(Strict):
    """So many ended, one after the other, before they could be asked; the last one was found at `at`."""

    times: int
    at: datetime


class StandbyProcesses(Protocol):
    """The processes that stand by, as the system gives them."""

    def start(self, fits: str, arguments: Sequence[str] | None = None) -> StandbyNote:
        """Start one with `arguments`, None: as the installation says, which is what `fits`; return at once."""

    def lives(self, note: StandbyNote) -> bool:
        """Whether it is there."""

    def ready(self, note: StandbyNote) -> bool:
        """Whether it can be asked."""

    def ask(self, note: StandbyNote, message: StayUp | TakeStandby) -> StandbyAnswer | None:
        """Return what it answers; None where it does not."""

    def end(self, note: StandbyNote) -> None:
        """End it."""


@dataclass(frozen=True)
class Standbys:
    """Those of this machine, by their notes in `folder`."""

    folder: Path
    processes: StandbyProcesses

    def take(self, fits: str, whose: str, told: Mapping[str, Any]) -> StandbyNote | None:
        """Make one that `fits` the runner of `whose`; None where there is none. It is taken once, by whoever is first.

        One that does not answer as it should is ended, so that it cannot become that runner later.
        """
        for path, note in self._notes():
            if note.fits != fits or not self.processes.lives(note) or not self.processes.ready(note):
                continue
            if not _claimed(path):
                continue  # somebody else was first
            answer = self.processes.ask(note, TakeStandby(whose=whose, told=dict(told)))
            if answer is not None and answer.state == "taken":
                return note
            logger.warning("a runner that stood by (process %s) did not begin; another one is launched", note.pid)
            self.processes.end(note)
        return None

    def prepare(self, fits: str, arguments: Sequence[str], now: datetime) -> bool:
        """See that one begins to stand by with `arguments`, which is what `fits`.

        Return whether a launch need not wait for it: it is ready, or does not come up.
        """
        mine = [(path, note) for path, note in self._notes() if note.fits == fits]
        for path, note in mine:
            if not self.processes.lives(note):
                self._found_dead(path, note, now)
            elif self.processes.ready(note):
                return True
            elif self._may_begin(note, now):
                return False
        if mine or not self._may_start(now):
            return True
        self._begin(fits, arguments)
        return False

    def tend(
        self, wanted: int, fits: str, now: datetime, *, quiet: bool, promised: Collection[str] = frozenset()
    ) -> None:
        """See that `wanted` stand by that fit: tell them so, end all others, start one where one is missing.

        `quiet`: nobody waits for a runner that starts just now. `promised`: what those fit that were prepared for a
        launch, and are kept beside them.
        """
        kept, promises = 0, set(promised)
        for path, note in self._notes():
            if not self.processes.lives(note):
                self._found_dead(path, note, now)
            elif note.fits in promises and self._goes_on(note, now):
                promises.remove(note.fits)
            elif note.fits != fits or kept >= wanted or not self._goes_on(note, now):
                if _claimed(path):  # else it has just become somebody's runner
                    self.processes.end(note)
            else:
                kept += 1
        if kept < wanted and quiet and self._may_start(now):
            self._begin(fits, None)

    def any(self) -> bool:
        """Whether there is one, or was when it was last looked."""
        return bool(self._notes())

    def end_all(self) -> list[int]:
        """End all, at a shutdown; return their process ids."""
        ended = []
        for path, note in self._notes():
            if _claimed(path) and self.processes.lives(note):
                self.processes.end(note)
                ended.append(note.pid)
        return ended

    def _begin(self, fits: str, arguments: Sequence[str] | None) -> None:
        note = self.processes.start(fits, arguments)
        self._write(f"{note.pid}.json", note)

    def _goes_on(self, note: StandbyNote, now: datetime) -> bool:
        """Tell it that it is wanted; whether it answers, or may still begin."""
        if self.processes.ready(note):
            self._in_vain.unlink(missing_ok=True)
            return self.processes.ask(note, StayUp()) is not None
        return self._may_begin(note, now)

    def _may_begin(self, note: StandbyNote, now: datetime) -> bool:
        return abs(now.timestamp() - note.started) < MAY_BEGIN_FOR.total_seconds()

    def _found_dead(self, path: Path, note: StandbyNote, now: datetime) -> None:
        if not _claimed(path):
            return
        before = _read(self._in_vain, StandbysInVain)
        self._write(self._in_vain.name, StandbysInVain(times=1 if before is None else before.times + 1, at=now))
        logger.warning("a runner that stood by (process %s) has ended; its log is in %s", note.pid, self.folder)

    def _may_start(self, now: datetime) -> bool:
        """Whether it is time: those that end before they can be asked are tried again later and later."""
        failed = _read(self._in_vain, StandbysInVain)
        if failed is None:
            return True
        pause = min(FIRST_PAUSE_S * 2 ** (min(failed.times, 20) - 1), LONGEST_PAUSE_S)
        return abs(now - failed.at) >= timedelta(seconds=pause)

    @property
    def _in_vain(self) -> Path:
        return self.folder / "in_vain"

    def _notes(self) -> list[tuple[Path, StandbyNote]]:
        found = [(path, _read(path, StandbyNote)) for path in sorted(self.folder.glob("*.json"))]
        return [(path, note) for path, note in found if note is not None and note.host == socket.gethostname()]

    def _write(self, name: str, content: Strict) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        staged = self.folder / f"{name}.new"
        staged.write_text(content.model_dump_json())
        staged.replace(self.folder / name)


def _claimed(path: Path) -> bool:
    """Take the note away; whether it was there, so that nobody else did."""
    with suppress(FileNotFoundError):
        path.unlink()
        return True
    return False


def _read(path: Path, kind: type[Noted]) -> Noted | None:
    try:
        return kind.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
