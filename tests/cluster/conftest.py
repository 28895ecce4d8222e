"""A store that speaks S3 and a Spark of several processes, both on the loopback address."""

import logging
import threading
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from moto.server import DomainDispatcherApplication, create_backend_app
from pyarrow import fs
from werkzeug.serving import make_server

from deploy.up.place import HOST
from streaming.storage.blobs import BlobFolder
from streaming.storage.folders import folder_at
from streaming.storage.object_store import object_folder

BUCKET = "punctual"


class OneByOne:
    """Moto with one request at a time: each request of S3 is atomic, and moto's threads interfere with one another."""

    def __init__(self) -> None:
        self._inner = DomainDispatcherApplication(create_backend_app)
        self._lock = threading.Lock()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        with self._lock:
            return list(self._inner(environ, start_response))


@pytest.fixture(scope="session")
def store() -> Iterator[str]:
    """Yield the options of a store with one bucket, as they follow the `?` of a location."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server(HOST, 0, OneByOne(), threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    options = f"endpoint_override={HOST}:{server.server_port}&scheme=http&region=us-east-1"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "tests")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "tests-are-not-checked")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        system, _ = fs.FileSystem.from_uri(f"s3://{BUCKET}?{options}&allow_bucket_creation=true")
        system.create_dir(BUCKET)
        yield options
        object_folder.cache_clear()
    server.shutdown()
    server.server_close()


@pytest.fixture(params=["local", "s3"])
def location(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a location of each kind, for this test alone."""
    path = tmp_path_factory.mktemp("shared")
    if request.param == "local":
        return str(path)
    return f"s3://{BUCKET}/{path.name}?{request.getfixturevalue('store')}"


@pytest.fixture
def folder(location: str) -> BlobFolder:
    """Return the folder at `location`."""
    return folder_at(location)
