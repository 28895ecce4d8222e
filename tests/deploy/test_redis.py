"""The embedded Redis server: a socket that only its owner can use, with a password, and data kept over a restart."""

import os
import stat
import subprocess
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import psutil
import pytest
import redis

from deploy.installation import services
from deploy.installation.embedded_redis import LONGEST_SOCKET, redis_url, socket_path, start_redis, wait_for_redis
from deploy.installation.processes import ChildProcesses
from deploy.up.place import InstallationPlace


@pytest.fixture
def place(tmp_path: Path) -> InstallationPlace:
    place = InstallationPlace(tmp_path / "var", 8000)
    place.logs.mkdir(parents=True)
    return place


@pytest.fixture
def processes(place: InstallationPlace) -> Iterator[ChildProcesses]:
    started = ChildProcesses(os.environ, place.logs)
    yield started
    started.stop(list)


def test_it_listens_on_a_socket_of_its_owner_and_on_no_port(
    place: InstallationPlace, processes: ChildProcesses
) -> None:
    start_redis(processes, place)
    socket = socket_path(place.var)
    assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(socket.stat().st_mode) == 0o600
    server = psutil.Process(processes.children[0].process.pid)
    assert server.net_connections("inet") == []
    with redis.Redis(unix_socket_path=str(socket)) as stranger, pytest.raises(redis.AuthenticationError):
        stranger.ping()


def test_the_password_is_on_no_command_line_and_in_a_file_of_its_owner(
    place: InstallationPlace, processes: ChildProcesses
) -> None:
    start_redis(processes, place)
    password = redis_url(place.var).split("@")[0].removeprefix("unix://:")
    assert len(password) >= 32
    assert password not in " ".join(psutil.Process(processes.children[0].process.pid).cmdline())
    loose = [path for path in place.var.rglob("*") if stat.S_IMODE(path.lstat().st_mode) & 0o077 and path.is_file()]
    assert [path for path in loose if password.encode() in path.read_bytes()] == []


def test_it_saves_what_it_holds_and_has_it_after_a_restart(place: InstallationPlace, processes: ChildProcesses) -> None:
    start_redis(processes, place)
    with redis.Redis.from_url(redis_url(place.var)) as client:
        assert client.config_get("save") == {"save": "30 1"}
        client.set("desired", "run")
    processes.stop(list)
    start_redis(processes, place)
    with redis.Redis.from_url(redis_url(place.var)) as client:
        assert client.get("desired") == b"run"


def test_a_killed_server_is_started_again_at_the_same_socket_with_what_it_had_saved(
    place: InstallationPlace, processes: ChildProcesses
) -> None:
    start_redis(processes, place)
    with redis.Redis.from_url(redis_url(place.var)) as client:
        client.set("desired", "run")
        client.save()
        processes.children[0].process.kill()
        processes.children[0].process.wait()
        processes.tend()
        wait_for_redis(processes, redis_url(place.var))
        assert client.get("desired") == b"run"


def test_a_folder_whose_path_is_too_long_for_a_socket_has_it_elsewhere(tmp_path: Path) -> None:
    var = tmp_path / ("long" * 30)
    var.mkdir(parents=True)
    socket = socket_path(var)
    assert len(str(socket)) <= LONGEST_SOCKET
    assert socket_path(var) == socket
    assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
    socket.parent.chmod(0o755)
    with pytest.raises(services.SetupError, match="remove it"):
        socket_path(var)
    socket.parent.rmdir()


def test_a_server_that_does_not_answer_is_named_without_its_password(
    place: InstallationPlace, processes: ChildProcesses
) -> None:
    with pytest.raises(services.SetupError) as refused:
        services.wait_for_redis(processes, "redis://:planted@127.0.0.1:1/0", most_s=0)
    assert "redis://127.0.0.1:1/0" in str(refused.value)
    assert "planted" not in str(refused.value)


@pytest.mark.parametrize("refused", [False, True])
def test_an_own_server_that_refuses_new_users_stops_the_start(
    redis_server_url: str, place: InstallationPlace, *, refused: bool
) -> None:
    rights = ["+@all", "-acl"] if refused else ["+@all"]
    with redis.Redis.from_url(redis_server_url) as client:
        client.execute_command("ACL", "SETUSER", "installation", "reset", "on", ">pw", "~*", "&*", *rights)
        url = redis_server_url.replace("//", "//installation:pw@")
        with pytest.raises(services.SetupError, match="ACL SETUSER") if refused else nullcontext():
            services.use_redis(ChildProcesses(os.environ, place.logs), url)
        client.acl_deluser("installation")
        assert [name for name in client.acl_users() if "probe" in name] == []


def test_what_others_could_read_is_closed_to_them_once(place: InstallationPlace) -> None:
    kept = place.var / "logs" / "web.log"
    kept.write_text("reset link")
    kept.chmod(0o644)
    (place.var / "link").symlink_to("/etc/hosts")
    before = Path("/etc/hosts").stat().st_mode
    place.var.chmod(0o755)
    place.logs.chmod(0o755)
    services.close_to_others(place)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (place.var, place.logs, kept)] == [0o700, 0o700, 0o600]
    assert Path("/etc/hosts").stat().st_mode == before
    kept.chmod(0o644)
    services.close_to_others(place)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o644, "a folder that is closed is not walked again"


def test_a_folder_that_others_share_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    with pytest.raises(services.SetupError, match="PUNCTUAL_DATA"):
        services.close_to_others(InstallationPlace(tmp_path, 8000))
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o1777
    tmp_path.chmod(0o700)


def test_what_an_installation_makes_is_its_owners_alone(tmp_path: Path) -> None:
    program = (
        "import deploy.installation.__main__ as m, pathlib, sys;"
        "m.serve = lambda place: (place.var / 'made').write_text(''); sys.exit(m.main(0.0))"
    )
    (tmp_path / "var").mkdir()
    done = subprocess.run(
        [services.sys.executable, "-c", program],
        env={**os.environ, "PUNCTUAL_DATA": str(tmp_path / "var")},
        cwd=services.ROOT,
        check=False,
    )
    assert done.returncode == 0
    assert stat.S_IMODE((tmp_path / "var" / "made").stat().st_mode) == 0o600
