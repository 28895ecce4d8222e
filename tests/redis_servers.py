"""Redis servers of several versions for tests, on the loopback address."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import redis

from deploy.installation.embedded_redis import redis_server
from deploy.up.place import HOST
from tests.conftest import patient
from tests.ports import free_port

OF_DEBIAN: Final = Path("/usr/bin/redis-check-rdb")
"""Debian's redis-tools: the same program as redis-server, which it becomes under that name; it starts no service."""


def programs() -> dict[str, Path]:
    """Return the servers of this machine: the embedded one (6.2), and Debian's (7.0)."""
    if not OF_DEBIAN.exists():
        raise FileNotFoundError("Debian's Redis is missing: run make prepare-tests, or install redis-tools.")
    return {"embedded": redis_server(), "Debian": OF_DEBIAN}


@contextmanager
def running_redis(program: Path, folder: Path) -> Iterator[str]:
    """Run the server with its data in `folder`; yield its address."""
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", HOST, "--dir", str(folder), "--save", ""]
    with (folder / "redis.log").open("wb") as log:
        process = subprocess.Popen(command, executable=program, stdout=log, stderr=subprocess.STDOUT)
    url = f"redis://{HOST}:{port}/0"
    try:
        with redis.Redis.from_url(url, retry=patient()) as client:
            client.ping()
        yield url
    finally:
        process.terminate()
        process.wait()
