"""The hold of an installation: no batch is in flight and none starts while its files are cloned."""

import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from streaming.runtime.process.single import AnotherRunner, SingleRunner
from streaming.spark.query.damage import in_flight
from streaming.storage.archive import BackupRefused
from streaming.storage.backup_hold import has_answered, read_hold, release_hold, write_hold
from streaming.wire.binding_homes import CARRIERS

POLL_S: Final = 0.02
RENEWED_EVERY_S: Final = 2.0
HOSTS_EVERY_S: Final = 1.0
DELAYED: Final = (
    "{whose} didn't end the batch in flight within {seconds:g} s{where}. Nothing was saved, and all runs continue. "
    "Try again, with a longer --wait; a runner of an older release never answers, so restart it first."
)
EXPIRED: Final = (
    "A runner resumed before the files were cloned, so they would not fit together. Nothing was saved. Try again when "
    "the disk is less busy."
)

RunnerHosts = Callable[[Sequence[str]], Mapping[str, str]]
"""Returns the hosts of the live runners of these organisations and pools, by their leases."""


class Holding:
    """A hold that is in force: `require` fails once it isn't any more."""

    def __init__(self, root: Path, name: str) -> None:
        self._root, self._name = root, name
        self._answered: list[Path] = []
        self._locked: dict[Path, SingleRunner] = {}

    def settle(self, folders: Sequence[Path], hosts: RunnerHosts, limit_s: float) -> None:
        """Wait until nothing in `folders` changes: their runners have answered, or no runner lives and none can start.

        Raises `BackupRefused` after `limit_s`.
        """
        until, looked, where = time.monotonic() + limit_s, 0.0, dict[str, str]()
        pending = list(folders)
        while True:
            if time.monotonic() - looked >= HOSTS_EVERY_S:
                where, looked = dict(hosts([folder.name for folder in pending])), time.monotonic()
            pending = [folder for folder in pending if not self._is_still(folder, where.get(folder.name))]
            if not pending:
                return
            if time.monotonic() >= until:
                raise BackupRefused(_delayed(pending, limit_s))
            time.sleep(POLL_S)

    def require(self) -> None:
        """Raise `BackupRefused` unless the hold has lasted until now."""
        hold = read_hold(self._root)
        still = all(has_answered(folder, self._name) for folder in self._answered)
        if hold is None or hold.id != self._name or not still:
            raise BackupRefused(EXPIRED)

    def release(self) -> None:
        """Let all runners resume, and others start."""
        release_hold(self._root)
        for single in self._locked.values():
            single.release()

    def _is_still(self, folder: Path, host: str | None) -> bool:
        if has_answered(folder, self._name):
            self._answered.append(folder)
            return True
        if host not in (None, socket.gethostname()):
            return False
        try:
            single = SingleRunner(folder)
        except AnotherRunner:
            return False
        single.end_predecessor()
        self._locked[folder] = single
        return True


@contextmanager
def held(root: Path, folders: Sequence[Path], hosts: RunnerHosts, limit_s: float) -> Iterator[Holding]:
    """Hold the installation in `root`, whose organisations and pools have `folders`. Raises `BackupRefused`."""
    name = uuid.uuid4().hex
    holding, ended = Holding(root, name), threading.Event()
    write_hold(root, name)
    with ExitStack() as stack:
        stack.callback(holding.release)
        renewing = threading.Thread(target=_renew, args=(root, name, ended), daemon=True)
        renewing.start()
        stack.callback(renewing.join)
        stack.callback(ended.set)
        holding.settle(folders, hosts, limit_s)
        yield holding


def _renew(root: Path, name: str, ended: threading.Event) -> None:
    while not ended.wait(RENEWED_EVERY_S):
        try:
            write_hold(root, name)
        except OSError:
            return  # the hold expires, and `require` reports that


def _delayed(pending: Sequence[Path], limit_s: float) -> str:
    carriers = [place for folder in pending for place in (folder / CARRIERS).glob("*/") if in_flight(place / "spark")]
    where = f" (carrier {', '.join(str(place) for place in carriers)})" if carriers else ""
    whose = ", ".join(f"The runner of {folder.name}" for folder in pending)
    return DELAYED.format(whose=whose, seconds=limit_s, where=where)
