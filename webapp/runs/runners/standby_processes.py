"""Standby runners as processes of this machine."""

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
"""In the data folder: a file for each standby on this machine, and their log."""
_ANSWERS_S: Final = 2.0
_TAKEN_S: Final = 10.0
"""A taken standby may need some seconds to end what a dead runner left running."""
_SAME_START_S: Final = 0.5
_PREFIX: Final = "punctual-standby-"


def installed_standbys() -> Standbys:
    """Return the standbys of this installation on this machine."""
    return Standbys(settings.PUNCTUAL_DATA / FOLDER, SystemStandbys())


def runner_arguments(heap_mb: int | None, worker_mb: int | None, cores: int | None) -> list[str]:
    """Return a runner's command-line arguments except its organisation or pool; None: the installation's setting."""
    arguments = ["--root", str(settings.PUNCTUAL_DATA)]
    arguments += ["--worker-memory-mb", str(settings.WORKER_MEMORY_MB if worker_mb is None else worker_mb)]
    arguments += ["--jvm-memory-mb", str(settings.JVM_MEMORY_MB if heap_mb is None else heap_mb)]
    if cores is not None:
        arguments += ["--master", f"local[{cores}]"]
    if settings.KEEP_RESULTS_DAYS:
        arguments += ["--keep-results-s", str(settings.KEEP_RESULTS_DAYS * 24 * 3600)]
    return arguments


def usual_arguments() -> list[str]:
    """Return the arguments of a usual runner of the installation: a pooled one if there are pools."""
    return [*runner_arguments(None, None, None), *of_kind(pooled=settings.POOLS > 0)]


def of_kind(*, pooled: bool) -> list[str]:
    """Return the further argument of a standby for a pool, whose session differs from that of an own runner."""
    return ["--pooled"] if pooled else []


def fitting(arguments: Sequence[str]) -> str:
    """Return a digest that a standby with `arguments` must have to replace a runner that would be started now.

    Equal digests mean the same arguments, environment, Python, packages, and files of `streaming`.
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
    """The standby processes of this machine."""

    def start(self, fits: str, arguments: Sequence[str] | None = None) -> StandbyNote:
        """Start `python -m streaming.runtime --standby SOCKET` with `arguments`, None: those of a usual runner."""
        door = Path(tempfile.mkdtemp(prefix=_PREFIX)) / "socket"  # in a folder that only this user may enter
        log = settings.PUNCTUAL_DATA / FOLDER / "runner.log"
        make_room_in(log)
        command = [sys.executable, "-m", "streaming.runtime", "--standby", str(door)]
        command += usual_arguments() if arguments is None else arguments
        pid = start_detached(command, log, "")
        started = 0.0  # for a process that has ended already: none has this start time
        with suppress(psutil.Error):
            started = psutil.Process(pid).create_time()
        return StandbyNote(host=socket.gethostname(), pid=pid, started=started, socket=str(door), fits=fits)

    def lives(self, note: StandbyNote) -> bool:
        """Return whether it lives; the id alone may belong to another process by now."""
        found = _process(note)
        if found is None:
            _forget(note)
        return found is not None

    def ready(self, note: StandbyNote) -> bool:
        """Return whether it accepts messages."""
        return Path(note.socket).exists()

    def ask(self, note: StandbyNote, message: StayUp | TakeStandby) -> StandbyAnswer | None:
        """Return its answer."""
        patience = _TAKEN_S if isinstance(message, TakeStandby) else _ANSWERS_S
        return ask_standby(Path(note.socket), message, patience)

    def end(self, note: StandbyNote) -> None:
        """Ask it to end; kill it with all its children if it does not listen yet."""
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
    """Remove the folder of its socket, which a killed standby leaves behind."""
    folder = Path(note.socket).parent
    if folder.name.startswith(_PREFIX):
        shutil.rmtree(folder, ignore_errors=True)
