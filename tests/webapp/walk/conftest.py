"""Zeta with an object of every kind, for tests that search for leaks."""

from pathlib import Path

import pytest
import redis

from tests.webapp.conftest import Person
from tests.webapp.walk.planted import Planted, plant


@pytest.fixture
def zeta(charlie: Person, tmp_path: Path, redis_connection: "redis.Redis") -> Planted:
    return plant(charlie, tmp_path, redis_connection)
