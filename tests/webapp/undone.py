"""Many cases on one stage: what a case writes is taken back, so that the next finds the database as it was."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction


@contextmanager
def undone() -> Iterator[None]:
    """Take back what is written to the database inside; files and Redis keep what they got."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
