"""A lock that makes turns for the same organisation or pool one after the other, whichever worker makes them."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from uuid import UUID

import redis

logger = logging.getLogger(__name__)

LOCK_S: Final = 30


@contextmanager
def alone(connection: "redis.Redis", whose: UUID | str) -> Iterator[bool]:
    """Yield whether this block is the only turn for an organisation, or a pool; if not, make no turn."""
    lock = connection.lock(f"punctual:{whose}:reconcile", timeout=LOCK_S, blocking=False)
    mine = lock.acquire()
    try:
        yield mine
    finally:
        if mine:
            try:
                lock.release()
            except redis.exceptions.LockError:
                logger.error("a turn for %s took longer than %s s", whose, LOCK_S)
