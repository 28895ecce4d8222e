"""Fixtures of all tests."""

import gc
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import redis
from hypothesis import HealthCheck, settings

from deploy.installation.embedded_redis import redis_server
from deploy.up.place import HOST
from tests.kafka_broker import KafkaBroker, running_kafka
from tests.ports import free_port
from tests.postgresql import PostgreSQL, running_postgresql

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"

settings.register_profile(
    "ci", max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.register_profile(
    "thorough", max_examples=1_000, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

STAGES = ("spark", "kafka", "browser")
"""Marks of the stages that read only the files with their marks, as the Makefile finds them."""
LONGEST = frozenset({"test_on_postgresql.py", "test_pipeline.py", "test_transcripts.py", "test_dedicated_process.py"})
"""Files that start first, so that no process waits for another's at the end."""


def pytest_configure() -> None:
    """Turn garbage collection off while thousands of tests are collected: all of them stay to the end."""
    gc.disable()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Refuse a mark of a stage outside of its test's file, because the stage would not find the test."""
    for mark in STAGES:
        if item.get_closest_marker(mark) and f"mark.{mark}" not in text_of(item.path):
            raise pytest.UsageError(f"{item.nodeid} is marked {mark}: write pytest.mark.{mark} into its file.")


@cache
def text_of(path: Path) -> str:
    """Return the content of a file."""
    return path.read_text(encoding="utf-8")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the longest files; all others keep their order."""
    items.sort(key=lambda each: each.path.name not in LONGEST)


def pytest_collection_finish() -> None:
    """Turn garbage collection on, but skip the collected tests: a scan of them takes a second."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real events; fails with a sentence if it is missing."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.fail(f"The shared events are absent: they belong in {folder}, next to the project's own folder.")
    return folder


@pytest.fixture(scope="session")
def shared_transcripts() -> Path:
    """Return the folder of worked examples; fails with a sentence if it is missing."""
    folder = SHARED / "transcripts"
    if not folder.is_dir():
        pytest.fail(f"The shared transcripts are absent: they belong in {folder}, next to the project's own folder.")
    return folder


@dataclass(frozen=True)
class RedisServer:
    """A real Redis server on the loopback address, for this test session only."""

    url: str


@pytest.fixture(scope="session")
def redis_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """Start the embedded Redis server once for the session."""
    folder = tmp_path_factory.mktemp("redis")
    port = free_port()
    command = [str(redis_server()), "--port", str(port), "--bind", HOST, "--dir", str(folder), "--save", ""]
    with (folder / "redis.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    url = f"redis://{HOST}:{port}/0"
    try:
        with redis.Redis.from_url(url, retry=patient()) as client:
            client.ping()
        yield RedisServer(url)
    finally:
        process.terminate()
        process.wait()


def patient() -> redis.retry.Retry:
    """Return a policy that retries for a minute, for a server that is just starting."""
    return redis.retry.Retry(redis.backoff.ConstantBackoff(0.05), 1_200, (redis.ConnectionError,))


@pytest.fixture
def redis_server_url(redis_session: RedisServer) -> str:
    """Return the address of an empty Redis server."""
    with redis.Redis.from_url(redis_session.url) as client:
        client.flushall()
    return redis_session.url


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """Run a real PostgreSQL server on the loopback address, for this test session only."""
    with running_postgresql() as server:
        yield server


@pytest.fixture(scope="session")
def kafka() -> Iterator[KafkaBroker]:
    """Run a Kafka broker; each test creates its own topics, and restarts the broker if it has killed it."""
    with running_kafka() as broker:
        yield broker
