"""Tests of several connections share rows that are committed, and empty the tables once."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection


@pytest.fixture(scope="module")
def committed(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Rows that the tests of a module write are visible to all of them, and on every connection."""
    with django_db_blocker.unblock():
        yield
        call_command("flush", interactive=False, verbosity=0)
        connection.close()
