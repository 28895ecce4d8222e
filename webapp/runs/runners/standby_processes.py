"""Runners that stand by, as processes of this machine."""

import hashlib
import json
import os
import shutil
import signal
import socket
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import psutil
from django.conf import settings

from streaming.wire.standby import StandbyAnswer, StayUp, TakeStandby, ask_standby
from webapp.runs.runners.detached import make_room_in, start_detached
from webapp.runs.runners.standbys import StandbyNote, Standbys

FOLDER: Final = "standby"
"""In the data folder: a file for each that stands by on this machine, and their log."""
_ANSWERS_S: Final = 2.0
_TAKEN_S: Final = 10.0
"""It may need some seconds to end what a dead runner left."""
_SAME_START_S: Final = 0.5
_PREFIX: Final = "punctual-standby-"


def installed_standbys() -> Standbys:
    """Return those of this installation on this machine."""
    return Standbys(settings.PUNCTUAL_DATA / FOLDER, SystemStandbys())


def runner_arguments(heap_mb: int | None, worker_mb: int | None, cores: int | None) -> list[str]:
    """Return what a runner's command line says beside whose it is; None: as the installation says."""
    arguments = ["--root", str(settings.PUNCTUAL_DATA)]
    arguments += ["--worker-memory-mb", str(settings.WORKER_MEMORY_MB if worker_mb is None else worker_mb)]
    arguments += ["--jvm-memory-mb", str(settings.JVM_MEMORY_MB if heap_mb is None else heap_mb)]
    if cores is not None:
        arguments += ["--master", f"local[{cores}]"]
    if settings.KEEP_RESULTS_DAYS:
        arguments += ["--keep-results-s", str(settings.KEEP_RESULTS_DAYS * 24 * 3600)]
    return arguments


def usual_arguments() -> list[str]:
    """Return those of a runner as the installation says: a pooled one where there are pools."""
    return [*runner_arguments(None, None, None), *of_kind(pooled=settings.POOLS > 0)]


def of_kind(*, pooled: bool) -> list[str]:
    """Return what a standby is told beside, for a pool has another session than a runner of an organisation's own."""
    return ["--pooled"] if pooled else []


def fitting(arguments: Sequence[str]) -> str:
    """Return what a standby with `arguments` must be so that it stands for a runner that would be started now.

    It has the same arguments, environment, Python, packages, and the same files of `streaming`.
    """
    streaming = settings.BASE_DIR / "streaming"
    files = [(str(each), each.stat()) for each in sorted(streaming.rglob("*.py"))]
    packages = Path(sysconfig.get_path("purelib")).stat().st_mtime_ns
    whole = [
        [sys.executable, sys.version, packages, *arguments],
        sorted(settings.RUNNER_ENVIRONMENT.items()),
        [[name, found.st_size, found.st_mtime_ns] for name, found in files],
    ]
    return hashlib.sha256(json.dumps(whole).encode()).hexdigest()


class SystemStandbys:
    """The processes of this machine that stand by."""

    def start(self, fits: str, arguments: Sequence[str] | None = None) -> StandbyNote:
        """Start `python -m streaming.runtime --standby SOCKET` with `arguments`, None: as the installation says."""
        door = Path(tempfile.mkdtemp(prefix=_PREFIX)) / "socket"  # in a folder that none but this user may enter
        log = settings.PUNCTUAL_DATA / FOLDER / "runner.log"
        make_room_in(log)
        command = [sys.executable, "-m", "streaming.runtime", "--standby", str(door)]
        command += usual_arguments() if arguments is None else arguments
        pid = start_detached(command, log, "")
        started = 0.0  # of one that has ended already: no process began then
        with suppress(psutil.Error):
            started = psutil.Process(pid).create_time()
        return StandbyNote(host=socket.gethostname(), pid=pid, started=started, socket=str(door), fits=fits)

    def lives(self, note: StandbyNote) -> bool:
        """Whether it is there; the id alone may belong to another process by now."""
        found = _process(note)
        if found is None:
            _forget(note)
        return found is not None

    def ready(self, note: StandbyNote) -> bool:
        """Whether it can be asked."""
        return Path(note.socket).exists()

    def ask(self, note: StandbyNote, message: StayUp | TakeStandby) -> StandbyAnswer | None:
        """Return what it answers."""
        patience = _TAKEN_S if isinstance(message, TakeStandby) else _ANSWERS_S
        return ask_standby(Path(note.socket), message, patience)

    def end(self, note: StandbyNote) -> None:
        """Ask it to end; one that does not listen is killed with all that it started."""
        found = _process(note)
        if found is None:
            return
        if self.ready(note):
            os.kill(found.pid, signal.SIGTERM)
            return
        with suppress(psutil.Error):
            for each in [*found.children(recursive=True), found]:
                with suppress(psutil.NoSuchProcess):
                    each.kill()
        _forget(note)


def _process(note: StandbyNote) -> psutil.Process | None:
    try:
        found = psutil.Process(note.pid)
        same = abs(found.create_time() - note.started) < _SAME_START_S
        return found if same and found.status() != psutil.STATUS_ZOMBIE else None
    except psutil.Error:
        return None


def _forget(note: StandbyNote) -> None:
    """Remove the folder of its socket, which it removes itself where it is not killed."""
    folder = Path(note.socket).parent
    if folder.name.startswith(_PREFIX):
        shutil.rmtree(folder, ignore_errors=True)
