"""The runner's side of a backup's hold: it answers when its batches have ended, and waits until the hold ends."""

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from streaming.storage.backup_hold import EARLIER_S, answer_hold, read_hold, withdraw_answer

log = logging.getLogger(__name__)

POLL_S: Final = 0.02


def keep_still(
    folder: Path,
    quiet: Callable[[], bool],
    turned: Callable[[], None],
    wait: Callable[[float], None] = time.sleep,
) -> bool:
    """Return whether a hold lasts; once the runner of `folder` is `quiet`, only when that hold has ended.

    `turned` is called all the time, so that the lease is renewed. A runner that isn't quiet makes its turns: its batch
    ends, and its planners plan no other.
    """
    hold = read_hold(folder.parent, ahead_s=EARLIER_S)
    if hold is None:
        return False
    if not quiet():
        wait(POLL_S)
        return True
    answer_hold(folder, hold.id)
    started = time.monotonic()
    try:
        while (now := read_hold(folder.parent, ahead_s=EARLIER_S)) is not None and now.id == hold.id:
            turned()
            wait(POLL_S)
    finally:
        withdraw_answer(folder)
    log.info("a backup has held this runner for %.1f s", time.monotonic() - started)
    return True
