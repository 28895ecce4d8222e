"""Standby runners of this machine: a number of them is kept up, and each is used by one launch.

A standby has started Spark and belongs to no organisation yet (`streaming.runtime.standby`). Its note here is a file;
the process that removes the file may take the runner, and no other. A standby fits a launch that would start the very
same program with the very same settings. A standby that gets no StayUp message ends automatically (`ORPHANED_S`).
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

from streaming.wire.message import Message
from streaming.wire.standby import StandbyAnswer, StayUp, TakeStandby

Noted = TypeVar("Noted", bound=Message)

logger = logging.getLogger(__name__)

MAY_BEGIN_FOR: Final = timedelta(seconds=180)
"""A standby that accepts no messages after so long is ended."""
QUIET: Final = timedelta(seconds=20)
"""After a launch no standby is started for so long: it would slow down a runner that somebody waits for."""
FIRST_PAUSE_S: Final = 10
LONGEST_PAUSE_S: Final = 600


class StandbyNote(Message):
    """A standby, ready or starting. `started`: its start time by the system; `fits`: the digest of launches it fits."""

    host: str
    pid: int
    started: float
    socket: str
    fits: str


class StandbysInVain(Message):
    """The number of standbys in a row that ended before they were ready; `at`: when the last one was noticed."""

    times: int
    at: datetime


class StandbyProcesses(Protocol):
    """The standby processes of the system."""

    def start(self, fits: str, arguments: Sequence[str] | None = None) -> StandbyNote:
        """Start one with `arguments`, None: those of a usual runner; `fits` is their digest. Return at once."""

    def lives(self, note: StandbyNote) -> bool:
        """Return whether it lives."""

    def ready(self, note: StandbyNote) -> bool:
        """Return whether it accepts messages."""

    def ask(self, note: StandbyNote, message: StayUp | TakeStandby) -> StandbyAnswer | None:
        """Return its answer, or None."""

    def end(self, note: StandbyNote) -> None:
        """End it."""


@dataclass(frozen=True)
class Standbys:
    """The standbys of this machine, by their notes in `folder`."""

    folder: Path
    processes: StandbyProcesses

    def take(self, fits: str, whose: str, configuration: Mapping[str, Any]) -> StandbyNote | None:
        """Turn a standby that `fits` into the runner of `whose`; None without one. Only the first caller gets it.

        A standby that does not answer as it should is ended, so that it cannot become that runner later.
        """
        for path, note in self._notes():
            if note.fits != fits or not self.processes.lives(note) or not self.processes.ready(note):
                continue
            if not _claimed(path):
                continue  # another process was first
            answer = self.processes.ask(note, TakeStandby(whose=whose, configuration=dict(configuration)))
            if answer is not None and answer.state == "taken":
                return note
            logger.warning("the standby runner (process %s) did not start; another one is launched", note.pid)
            self.processes.end(note)
        return None

    def prepare(self, fits: str, arguments: Sequence[str], now: datetime) -> bool:
        """Start a standby with `arguments`, which have the digest `fits`, if needed.

        Return whether a launch need not wait for it: it is ready, or does not come up.
        """
        mine = [(path, note) for path, note in self._notes() if note.fits == fits]
        for path, note in mine:
            if not self.processes.lives(note):
                self._note_dead(path, note, now)
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
        """Keep `wanted` standbys that fit: renew them, end all others, and start one if one is missing.

        `quiet`: no run waits for a starting runner. `promised`: the digests of standbys that were prepared for a
        launch,
        and are kept in addition.
        """
        kept, promises = 0, set(promised)
        for path, note in self._notes():
            if not self.processes.lives(note):
                self._note_dead(path, note, now)
            elif note.fits in promises and self._stays_up(note, now):
                promises.remove(note.fits)
            elif note.fits != fits or kept >= wanted or not self._stays_up(note, now):
                if _claimed(path):  # else it has just become a runner
                    self.processes.end(note)
            else:
                kept += 1
        if kept < wanted and quiet and self._may_start(now):
            self._begin(fits, None)

    def any(self) -> bool:
        """Return whether there is one, or was at the last check."""
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

    def _stays_up(self, note: StandbyNote, now: datetime) -> bool:
        """Send it StayUp; return whether it answers, or may still be starting."""
        if self.processes.ready(note):
            self._in_vain.unlink(missing_ok=True)
            return self.processes.ask(note, StayUp()) is not None
        return self._may_begin(note, now)

    def _may_begin(self, note: StandbyNote, now: datetime) -> bool:
        return abs(now.timestamp() - note.started) < MAY_BEGIN_FOR.total_seconds()

    def _note_dead(self, path: Path, note: StandbyNote, now: datetime) -> None:
        if not _claimed(path):
            return
        before = _read(self._in_vain, StandbysInVain)
        self._write(self._in_vain.name, StandbysInVain(times=1 if before is None else before.times + 1, at=now))
        logger.warning("a standby runner (process %s) has ended; its log is in %s", note.pid, self.folder)

    def _may_start(self, now: datetime) -> bool:
        """Return whether to start one: after each standby that ends before it is ready, the pause grows."""
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

    def _write(self, name: str, content: Message) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        staged = self.folder / f"{name}.new"
        staged.write_text(content.model_dump_json())
        staged.replace(self.folder / name)


def _claimed(path: Path) -> bool:
    """Remove the note; return whether it existed, so that no other process has taken it."""
    with suppress(FileNotFoundError):
        path.unlink()
        return True
    return False


def _read(path: Path, kind: type[Noted]) -> Noted | None:
    try:
        return kind.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
