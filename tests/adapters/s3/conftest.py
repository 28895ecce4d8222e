"""One store for the tests of this folder, a bucket for each test, and a misleading environment."""

from collections.abc import Iterator
from itertools import count

import pytest

from tests.object_store import ObjectStore, object_store

_numbers = count()


@pytest.fixture(scope="session")
def one_store() -> Iterator[ObjectStore]:
    with object_store() as found:
        yield found


@pytest.fixture
def store(one_store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    """The store; the keys and endpoints of the process would not work there."""
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "REGION", "DEFAULT_REGION"):
        monkeypatch.setenv(f"AWS_{name}", "planted-of-the-machine")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    yield one_store
    one_store.fail()


@pytest.fixture
def bucket(one_store: ObjectStore) -> str:
    name = f"bucket-{next(_numbers)}"
    one_store.client().create_bucket(Bucket=name)
    return name
