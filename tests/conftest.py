"""What every room's tests may use."""

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
"""Marks of the stages that read only the files in which their marks stand, as the Makefile finds them."""
LONGEST = frozenset({"test_on_postgresql.py", "test_pipeline.py", "test_transcripts.py", "test_dedicated_process.py"})
"""Files that are begun first, so that no process waits for another's in the end."""


def pytest_configure() -> None:
    """Look for no garbage while thousands of tests are collected: all of it stays to the end."""
    gc.disable()


def pytest_itemcollected(item: pytest.Item) -> None:
    """A mark of a stage stands in the file of its test, else the stage would not find the test."""
    for mark in STAGES:
        if item.get_closest_marker(mark) and f"mark.{mark}" not in text_of(item.path):
            raise pytest.UsageError(f"{item.nodeid} is marked {mark}: write pytest.mark.{mark} into its file.")


@cache
def text_of(path: Path) -> str:
    """Return what a file holds."""
    return path.read_text(encoding="utf-8")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files; all others keep their order."""
    items.sort(key=lambda each: each.path.name not in LONGEST)


def pytest_collection_finish() -> None:
    """From here on garbage is looked for, but not among what was collected: a walk through that takes a second."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real events; fails with a sentence when it is not beside the project."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.fail(f"The shared events are absent: they belong in {folder}, beside the project's own folder.")
    return folder


@pytest.fixture(scope="session")
def shared_transcripts() -> Path:
    """The folder of worked examples; fails with a sentence when it is not beside the project."""
    folder = SHARED / "transcripts"
    if not folder.is_dir():
        pytest.fail(f"The shared transcripts are absent: they belong in {folder}, beside the project's own folder.")
    return folder


@dataclass(frozen=True)
class RedisServer:
    """A real Redis server on the loopback address, of this test session alone."""

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
    """Return a policy that tries for some seconds, for a server that is just starting."""
    return redis.retry.Retry(redis.backoff.ConstantBackoff(0.05), 200, (redis.ConnectionError,))


@pytest.fixture
def redis_server_url(redis_session: RedisServer) -> str:
    """The address of an empty Redis server."""
    with redis.Redis.from_url(redis_session.url) as client:
        client.flushall()
    return redis_session.url


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A real PostgreSQL server on the loopback address, of this test session alone."""
    with running_postgresql() as server:
        yield server


@pytest.fixture(scope="session")
def kafka() -> Iterator[KafkaBroker]:
    """A Kafka broker; each test makes topics of its own, and starts the broker again where it has killed it."""
    with running_kafka() as broker:
        yield broker
