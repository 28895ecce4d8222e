"""Many cases on one stage: the writes of a case are rolled back, so that the next one finds the same database."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction


@contextmanager
def undone() -> Iterator[None]:
    """Roll back the writes to the database inside; files and Redis keep theirs."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
