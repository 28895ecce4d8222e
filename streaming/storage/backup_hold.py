"""The hold of a backup: while it lasts, nothing changes the state of runs, so that a backup can clone the files.

The backup writes `backup_hold.json` into the folder of all organisations. Planners then plan no batch. A runner whose
batches have ended writes `held.json` into its folder, does nothing more, and removes that file before it resumes. A
hold expires: that of a backup which was killed ends within seconds. Runners of release 0.1.0 never answer.
"""

import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from streaming.wire.message import make_dataclass

HOLD_FILE: Final = "backup_hold.json"
ANSWER_FILE: Final = "held.json"
LASTS_S: Final = 10.0
"""A hold that isn't renewed lasts for this time."""
EARLIER_S: Final = 1.0
"""A runner withdraws its answer this long before the hold expires, and before any planner plans again."""


@dataclass(frozen=True)
class BackupHold:
    """The hold `id`, until the time `until` of the system's clock, in seconds."""

    id: str
    until: float


def hold_file(root: Path) -> Path:
    """Return the file of the hold in the folder of all organisations."""
    return root / HOLD_FILE


def read_hold(root: Path, *, ahead_s: float = 0.0) -> BackupHold | None:
    """Return the hold that lasts for `ahead_s` more seconds; None without one."""
    try:
        hold = make_dataclass(BackupHold, json.loads(hold_file(root).read_bytes()))
        left_s = hold.until - time.time()
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return hold if ahead_s < left_s <= 2 * LASTS_S else None


def write_hold(root: Path, name: str) -> None:
    """Write the hold `name`, or renew it. Raises `OSError`."""
    _write(hold_file(root), json.dumps(asdict(BackupHold(name, time.time() + LASTS_S))))


def release_hold(root: Path) -> None:
    """End the hold."""
    hold_file(root).unlink(missing_ok=True)


def answer_hold(folder: Path, name: str) -> None:
    """Note that the runner of `folder` changes nothing while the hold `name` lasts. Raises `OSError`."""
    _write(folder / ANSWER_FILE, json.dumps({"id": name}))


def withdraw_answer(folder: Path) -> None:
    """Note that the runner of `folder` resumes. Raises `OSError`."""
    (folder / ANSWER_FILE).unlink(missing_ok=True)


def has_answered(folder: Path, name: str) -> bool:
    """Return whether the runner of `folder` has answered the hold `name`."""
    with suppress(OSError, ValueError, AttributeError):
        return bool(json.loads((folder / ANSWER_FILE).read_bytes()).get("id") == name)
    return False


def _write(file: Path, content: str) -> None:
    staged = file.with_suffix(".staged")
    staged.write_text(content)
    staged.replace(file)
