"""One Spark session for all tests of the process."""

from collections.abc import Iterator

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from streaming.spark.session.session import start_session


@pytest.fixture(scope="session")
def last_session() -> Iterator[None]:
    """Stop the session that is left when all tests have ended."""
    yield
    if SparkContext._active_spark_context is not None:
        SparkContext._active_spark_context.stop()


@pytest.fixture
def session(last_session: None) -> SparkSession:
    """Return a local session with the engine's settings: that of the previous test, or a new one if that was
    stopped."""
    del last_session
    return start_session()
