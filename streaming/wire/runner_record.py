"""The record that a runner writes into its folder, so that its successor and the web application find it."""

import json
import platform
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import psutil

from streaming.wire.message import make_dataclass

RECORD: Final = "runner.json"
_SAME_START_S: Final = 0.5
_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_UNNAMED: Final = ("", "")


@dataclass(frozen=True)
class RunnerRecord:
    """The process of a runner. `started` is its start by the system's clock: process ids are reused.

    `host` and `folder` name the machine and the folder where it runs (`host_name`, `folder_name`), so that nobody
    takes the record in a copy of the folder for one of its own. Records of release 0.1.0 have neither.
    """

    token: str
    pid: int
    started: float
    host: str = ""
    folder: str = ""

    @property
    def names_folder(self) -> bool:
        """True if it names its host and folder, so that it can't be of another installation."""
        return (self.host, self.folder) != _UNNAMED

    def is_of(self, process: psutil.Process) -> bool:
        """Return whether `process` is that runner, not a later process with its id. Raises `psutil.Error`."""
        return process.pid == self.pid and abs(process.create_time() - self.started) < _SAME_START_S


def host_name() -> str:
    """Return the name of this machine and of its boot: process ids mean nothing after the next one."""
    boot = ""
    with suppress(OSError):
        boot = _BOOT.read_text().strip()
    return f"{platform.node()} {boot}".strip()


def folder_name(folder: Path) -> str:
    """Return the identity of `folder` on this machine: a copy has another one, a renamed folder the same."""
    found = folder.stat()
    return f"{found.st_dev}:{found.st_ino}"


def record_of(folder: Path, token: str) -> RunnerRecord:
    """Return the record of this process as the runner of `folder`."""
    me = psutil.Process()
    return RunnerRecord(token, me.pid, me.create_time(), host_name(), folder_name(folder))


def read_record(folder: Path) -> RunnerRecord | None:
    """Return the record in `folder`; None where it is missing, unreadable, or copied from another folder or host."""
    try:
        record = make_dataclass(RunnerRecord, json.loads((folder / RECORD).read_text()))
    except (FileNotFoundError, ValueError, TypeError, AttributeError):
        return None
    here = (host_name(), folder_name(folder))
    return record if (record.host, record.folder) in (here, _UNNAMED) else None


def write_record(folder: Path, record: RunnerRecord) -> None:
    """Write the record, whole or not at all."""
    staged = (folder / RECORD).with_suffix(".staged")
    staged.write_text(json.dumps(asdict(record)))
    staged.replace(folder / RECORD)


def runner_lives(folder: Path) -> bool:
    """Return whether the runner recorded in `folder` lives on this machine, with or without a lease."""
    record = read_record(folder)
    if record is None:
        return False
    try:
        process = psutil.Process(record.pid)
        return record.is_of(process) and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
