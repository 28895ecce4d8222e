"""Waiting for other processes."""

import time
from collections.abc import Callable

LOOK_EVERY_S = 0.25


def wait_until(happened: Callable[[], bool], *, timeout_s: float) -> bool:
    """Poll every LOOK_EVERY_S seconds; return whether `happened` became true within `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while not happened():
        if time.monotonic() >= deadline:
            return False
        time.sleep(LOOK_EVERY_S)
    return True
