"""The place of an installation, and the message of a second start."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.prepare.console import SetupError
from deploy.up.place import (
    HOST,
    InstallationPlace,
    already_running,
    lock,
    require_free_port,
    require_startable,
)
from tests.conftest import ROOT
from tests.ports import PORTS, free_port


def test_the_port_is_8000_unless_one_is_given(tmp_path: Path) -> None:
    assert InstallationPlace.from_environment({"PUNCTUAL_DATA": str(tmp_path)}) == InstallationPlace(tmp_path, 8000)
    assert InstallationPlace.from_environment({"PORT": "8123"}).address == "http://127.0.0.1:8123/"


@pytest.mark.parametrize("port", ["0", "65536", "http", "-1", "²"])
def test_a_port_that_is_none_is_refused_with_what_to_do(port: str) -> None:
    with pytest.raises(SetupError, match="set it to a number from 1 to 65535"):
        InstallationPlace.from_environment({"PORT": port})


def test_a_busy_port_is_reported_with_another_one() -> None:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SetupError, match=rf"Port {port} is taken .* PORT=\d+ make up"):
            require_free_port(port)
    require_free_port(port)


def test_a_second_start_in_the_same_folder_is_refused_until_the_first_ends(tmp_path: Path) -> None:
    place = InstallationPlace(tmp_path, free_port())
    with lock(place), pytest.raises(SetupError, match="already starting"):
        require_startable(place)
    require_startable(place)


def test_a_second_start_gets_address_and_process() -> None:
    message = already_running('{"pid": 42, "address": "http://127.0.0.1:8000/", "ready": true}')
    assert "http://127.0.0.1:8000/ (process 42)" in message


def test_a_second_start_during_the_first_must_wait() -> None:
    assert "already starting (process 42): wait" in already_running(
        '{"pid": 42, "address": "http://127.0.0.1:8000/", "ready": false}'
    )


def test_the_port_of_an_installation_that_was_killed_does_not_stop_the_next(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        place = InstallationPlace(tmp_path, taken.getsockname()[1])
        with pytest.raises(SetupError, match="is taken"):
            require_startable(place)
        place.lock_file.write_text('{"pid": 42}')
        require_startable(place)


def test_servers_of_tests_get_ports_that_no_outgoing_connection_takes_before_them() -> None:
    ports = [free_port() for _ in range(20)]
    assert len(set(ports)) == 20
    assert set(ports) <= set(PORTS)
    assert PORTS.stop <= 32_768


def test_the_port_of_a_test_is_not_given_to_another_process() -> None:
    program = f"from tests import ports; print(ports.reserve({free_port()}))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"
