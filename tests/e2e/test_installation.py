"""`make up` starts one installation and reports it."""

import os
import socket
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from deploy.installation.processes import left_over
from deploy.up.place import HOST
from tests.e2e.installation import Installation, launch
from tests.ports import free_port

pytestmark = pytest.mark.browser


def test_it_prints_address_sign_in_and_how_to_stop(installation: Installation) -> None:
    printed = "\n".join(installation.printed)
    assert installation.address in printed
    assert installation.email in printed
    assert "ctrl-C" in installation.printed[-1]


def test_every_line_of_progress_has_the_time_since_the_start(installation: Installation) -> None:
    assert [line for line in installation.printed if not line.startswith("[")] == []


def test_a_second_start_says_where_the_first_is(installation: Installation) -> None:
    second = launch(installation.env)
    output = second.communicate(timeout=90)[0]
    assert second.returncode == 1
    assert f"already running at {installation.address} (process {installation.pid})" in output


def test_other_users_of_the_machine_have_no_access(installation: Installation) -> None:
    modes = dict(modes_below(installation.var))
    assert len(modes) > 10
    assert {path: oct(mode) for path, mode in modes.items() if mode & 0o077} == {}
    servers = [connections for each in left_over(installation.var) for connections in redis_connections(each)]
    assert servers
    assert not any(servers)


def modes_below(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield the permissions of a folder and everything in it, except files that are deleted during the walk."""
    for parent, folders, files in os.walk(folder):
        for name in (".", *folders, *files):
            with suppress(FileNotFoundError):
                mode = (Path(parent) / name).lstat().st_mode
                if not stat.S_ISLNK(mode):
                    yield str(Path(parent) / name), stat.S_IMODE(mode)


def redis_connections(process: psutil.Process) -> Iterator[list[Any]]:
    """Yield the internet connections of a Redis server, or of its copy that writes a snapshot; none if it has ended."""
    with suppress(psutil.NoSuchProcess):
        if process.name() == "redis-server":
            yield process.net_connections("inet")


def test_a_busy_port_is_reported_in_a_sentence(installation: Installation) -> None:
    elsewhere = {**installation.env, "PUNCTUAL_DATA": str(installation.var / "elsewhere")}
    with socket.socket() as taken:
        taken.bind((HOST, free_port()))
        taken.listen()
        port = taken.getsockname()[1]
        second = launch({**elsewhere, "PORT": str(port)})
        output = second.communicate(timeout=90)[0]
    assert second.returncode == 1
    assert f"Port {port} is taken by another program: stop that program, or choose another port" in output
