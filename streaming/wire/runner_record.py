"""What a runner writes down of itself in its folder: by it a successor and the web application find it."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import psutil

RECORD: Final = "runner.json"
_SAME_START_S: Final = 0.5


@dataclass(frozen=True)
class RunnerRecord:
    """A runner as it wrote itself down. `started` is its start by the system's clock, so that its id is not enough."""

    token: str
    pid: int
    started: float

    def is_of(self, process: psutil.Process) -> bool:
        """Whether `process` is that runner and none that got its id. Raises `psutil.Error`."""
        return process.pid == self.pid and abs(process.create_time() - self.started) < _SAME_START_S


def read_record(folder: Path) -> RunnerRecord | None:
    """Return the record in `folder`; None where there is none, or none that can be read."""
    try:
        return RunnerRecord(**json.loads((folder / RECORD).read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def write_record(folder: Path, record: RunnerRecord) -> None:
    """Write the record, whole or not at all."""
    staged = (folder / RECORD).with_suffix(".staged")
    staged.write_text(json.dumps(asdict(record)))
    staged.replace(folder / RECORD)


def runner_lives(folder: Path) -> bool:
    """Whether the runner that wrote itself down in `folder` lives on this machine, with a lease or without one."""
    record = read_record(folder)
    if record is None:
        return False
    try:
        process = psutil.Process(record.pid)
        return record.is_of(process) and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
