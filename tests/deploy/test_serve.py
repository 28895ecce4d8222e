"""`punctual-serve`: each process with its flags, one report of all problems, and an end within 30 s."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis

from deploy.installation.waiting import wait_until
from tests.conftest import ROOT
from tests.e2e.installation import OF_THE_USER
from tests.ports import free_port
from webapp.runs.demo import EMAIL, SLUG

ENDS_S = 30


def environment(data: Path, **settings: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OF_THE_USER)}
    return {**kept, "PUNCTUAL_DATA": str(data), "PUNCTUAL_EMBEDDED": "1", "PYTHONUNBUFFERED": "1", **settings}


def run(env: Mapping[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "deploy.serve", *words]
    return subprocess.run(command, cwd=ROOT, env=env, check=False, capture_output=True, text=True)


@contextmanager
def started(env: Mapping[str, str], *words: str) -> Iterator["subprocess.Popen[str]"]:
    """Start a process; its output, both kinds, is in `stdout`."""
    process = subprocess.Popen(
        [sys.executable, "-m", "deploy.serve", *words],
        cwd=ROOT,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def read_until(process: "subprocess.Popen[str]", words: str) -> str:
    """Read the output up to the line with `words`, and return it."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if words in line:
            return "".join(lines)
    raise AssertionError("".join(lines))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    return folder


def test_check_reports_every_wrong_variable_at_once(data: Path) -> None:
    wrong = {
        "PUNCTUAL_POOLS": "x",
        "PUNCTUAL_SECRET_KEY": "short",
        "PUNCTUAL_OIDC_ISSUER": "ftp://x",
        "PUNCTUAL_NO": "1",
    }
    done = run(environment(data, REDIS_URL="http://x", **wrong), "check")
    assert done.returncode == 2
    for name in (*wrong, "REDIS_URL"):
        assert len(re.findall(rf"^{name}\b", done.stderr, re.MULTILINE)) == 1, done.stderr
    assert "Traceback" not in done.stderr


def test_check_reports_every_missing_service_at_once_with_what_to_do(data: Path) -> None:
    data.chmod(0o755)
    database = f"postgresql://nobody:planted@127.0.0.1:{free_port()}/absent"
    keys = {"PUNCTUAL_SECRET_KEY": "k" * 50, "PUNCTUAL_SECRETS_KEYS": "k" * 32}
    done = run(
        environment(data, DATABASE_URL=database, REDIS_URL=f"redis://127.0.0.1:{free_port()}/0", **keys), "check"
    )
    problems = "\n".join(line for line in done.stdout.splitlines() if line.startswith("PROBLEM"))
    assert done.returncode == 1
    for words in ("chmod o=", "Check DATABASE_URL", "Check REDIS_URL"):
        assert words in problems
    assert "planted" not in done.stdout + done.stderr


def test_check_of_a_prepared_installation_finds_no_problem_but_unbuilt_pages(data: Path, redis_server_url: str) -> None:
    env = environment(data, REDIS_URL=redis_server_url)
    before = run(env, "check")
    assert "PROBLEM migrations: migrations are pending. Run punctual-serve migrate" in before.stdout
    assert run(env, "migrate").returncode == 0
    assert stat.S_IMODE((data / "punctual.sqlite3").stat().st_mode) == 0o600, "umask 077"
    done = run(env, "check")
    problems = [line for line in done.stdout.splitlines() if line.startswith("PROBLEM") and "built pages" not in line]
    assert problems == []
    assert "ok      Redis 6.2" in done.stdout


@pytest.mark.parametrize("role", ["worker", "check"])
def test_a_redis_that_creates_no_users_stops_the_start_with_the_cause(
    role: str, data: Path, redis_server_url: str
) -> None:
    with redis.Redis.from_url(redis_server_url) as client:
        client.execute_command("ACL", "SETUSER", "weak", "on", ">pw", "~*", "&*", "+@all", "-acl")
        env = environment(data, REDIS_URL=redis_server_url.replace("//", "//weak:pw@"))
        assert run(env, "migrate").returncode == 0
        done = run(env, role)
        client.acl_deluser("weak")
    assert done.returncode == 1
    assert "Redis can't create the users of runners" in done.stdout + done.stderr
    assert re.search(r"(?i)no permissions", done.stdout + done.stderr)


def test_the_secrets_of_a_server_can_be_in_files(data: Path, tmp_path: Path, redis_server_url: str) -> None:
    file = tmp_path / "redis"
    file.write_text(redis_server_url + "\n")
    done = run(environment(data, REDIS_URL_FILE=str(file)), "check")
    assert "ok      Redis 6.2" in done.stdout


@pytest.fixture
def demo(data: Path, redis_server_url: str) -> tuple[dict[str, str], str]:
    """An installation with the demo, and a token of its owner; no worker."""
    env = environment(data, REDIS_URL=redis_server_url)
    for words in (["migrate"], ["manage", "demo"]):
        done = run(env, *words)
        assert done.returncode == 0, done.stderr
    made = run(
        env, "manage", "createtoken", "--email", EMAIL, "--organisation", SLUG, "--role", "viewer", "--days", "1"
    )
    return env, made.stdout.split()[-1]


def test_the_web_server_ends_on_request_with_an_open_event_stream(demo: tuple[dict[str, str], str]) -> None:
    env, token = demo
    port = free_port()
    with started(env, "web", "--port", str(port)) as server:
        read_until(server, "Uvicorn running on")
        api = f"http://127.0.0.1:{port}/api/t/{SLUG}"
        with httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=ENDS_S) as client:
            run_id = client.get(f"{api}/runs/").json()[0]["id"]
            events = client.stream("GET", f"{api}/runs/{run_id}/events/", headers={"Accept": "text/event-stream"})
            with events as stream:
                lines = stream.iter_lines()
                assert any(line == "event: state" for line in lines)
                server.send_signal(signal.SIGTERM)
                with pytest.raises(httpx.RemoteProtocolError):
                    list(lines)
        output = server.communicate(timeout=ENDS_S)[0]
    assert server.returncode == 0, output
    assert "timeout graceful shutdown exceeded" not in output


@pytest.mark.parametrize(("role", "ready"), [("worker", "ready."), ("beat", "the scheduler is ready")])
def test_a_celery_process_starts_logs_json_and_ends_on_request(
    role: str, ready: str, data: Path, redis_server_url: str
) -> None:
    env = environment(data, REDIS_URL=redis_server_url, PUNCTUAL_LOG_FORMAT="json")
    assert run(env, "migrate").returncode == 0
    with started(env, role) as process:
        output = read_until(process, ready)
        process.send_signal(signal.SIGTERM)
        output += process.communicate(timeout=ENDS_S)[0]
    assert process.returncode == 0, output
    records: list[Any] = [json.loads(line) for line in output.splitlines()]
    assert all({"at", "level", "where", "message"} <= record.keys() for record in records)


def test_health_is_an_exit_code_with_a_reason(data: Path, demo: tuple[dict[str, str], str]) -> None:
    env, _ = demo
    port = str(free_port())
    away = run(env, "health", "web", "--port", port)
    assert (away.returncode, "Start it: punctual-serve web" in away.stderr) == (1, True)
    with started(env, "web", "--port", port):
        assert wait_until(lambda: run(env, "health", "web", "--port", port).returncode == 0, timeout_s=3 * ENDS_S)
    none = run(env, "health", "runner", "--organisation", "nobody")
    assert (none.returncode, "No runner of nobody lives" in none.stderr) == (1, True)


def test_a_runner_reads_its_configuration_from_a_file(data: Path, tmp_path: Path) -> None:
    env = environment(data)
    absent = run(env, "runner", "--organisation", "x", "--configuration", str(tmp_path / "absent"))
    assert (absent.returncode, "can't be read (No such file" in absent.stderr) == (2, True)
    file = tmp_path / "configuration"
    file.write_text("{}")
    unreadable = run({**env, "PUNCTUAL_RUNNER_CONFIGURATION_FILE": str(file)}, "runner", "--organisation", "x")
    assert unreadable.returncode == 2
    assert "Write the configuration as JSON" in unreadable.stderr


def test_an_unknown_word_is_refused(data: Path) -> None:
    done = run(environment(data), "web", "--prot", "1")
    assert (done.returncode, "--prot" in done.stderr) == (2, True)
