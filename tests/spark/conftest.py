"""One Spark session for all tests of the process."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from streaming.spark.session import start_session


@pytest.fixture(scope="session")
def session() -> Iterator[SparkSession]:
    """A local session with the engine's settings."""
    found = start_session()
    yield found
    found.stop()
