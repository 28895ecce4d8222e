"""`make up` starts one installation and reports it."""

import socket
import stat

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
    entries = [installation.var, *installation.var.rglob("*")]
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in entries if path.exists() and not path.is_symlink()}
    assert {str(path): oct(mode) for path, mode in modes.items() if mode & 0o077} == {}
    (server,) = [each for each in left_over(installation.var) if each.name() == "redis-server"]
    assert server.net_connections("inet") == []


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
