"""The services of an installation, their start, and the checks that they are ready."""

import os
import stat
import subprocess  # nosec B404 # programs of this machine, named by lists
import sys
from collections.abc import Mapping
from pathlib import Path

import redis

from deploy.installation.embedded_redis import wait_for_redis
from deploy.installation.processes import ChildProcess, ChildProcesses
from deploy.prepare.console import SetupError, say, tail
from deploy.prepare.places import ROOT
from deploy.up.place import HOST, InstallationPlace
from webapp.runs.runners.redis_users import RunnerUsersRefused, require_runner_users
from webapp.variables.reading import Environment
from webapp.variables.table import FILE


def environment(place: InstallationPlace, inherited: Mapping[str, str], redis_url: str) -> dict[str, str]:
    """Return the environment of every process of the installation; the user's own variables are kept."""
    kept = {name: value for name, value in inherited.items() if value and name != "REDIS_URL" + FILE}
    return {
        "PUNCTUAL_EMBEDDED": "1",
        "PUNCTUAL_STANDBY_RUNNERS": "1",
        **kept,
        "PUNCTUAL_DATA": str(place.var),
        "REDIS_URL": redis_url,
        "PYTHONUNBUFFERED": "1",
    }


def standing_by(env: Mapping[str, str]) -> str:
    """Return a sentence about the cost and use of standby runners, and how to turn them off."""
    number = Environment(env).number("PUNCTUAL_STANDBY_RUNNERS")
    if not number:
        return "No standby runners: the first start of an organisation takes about 20 s."
    return (
        f"Standby runners: {number}, with 0.9 GB of memory each, so that the first start of an organisation "
        "takes about 3 s. PUNCTUAL_STANDBY_RUNNERS=0 make up: none, and about 20 s."
    )


def carried_by(env: Mapping[str, str]) -> str:
    """Return a sentence about the runners of organisations here, and the alternative."""
    number = Environment(env).number("PUNCTUAL_POOLS")
    if not number:
        return (
            "Each organisation has a runner of its own (1 GB of memory or more each; at most PUNCTUAL_MOST_RUNNERS at "
            "a time). PUNCTUAL_POOLS=1 make up: one runner for all, which needs less memory from two on."
        )
    return (
        f"Runners shared by all organisations: {number}; the installation's page can give an organisation its own. "
        "PUNCTUAL_POOLS=0 make up: each has its own."
    )


def use_redis(processes: ChildProcesses, url: str) -> None:
    """Wait for the server of REDIS_URL; raises SetupError if it does not answer, or creates no users for runners."""
    say("Using the Redis server of REDIS_URL")
    wait_for_redis(processes, url, most_s=5.0)
    with redis.Redis.from_url(url) as client:
        try:
            require_runner_users(client)
        except RunnerUsersRefused as error:
            raise SetupError(f"{error} Or leave REDIS_URL out: then Punctual starts its own server.") from None


def close_to_others(place: InstallationPlace) -> None:
    """Remove all other users' access to an installation's folder and everything in it; once.

    The folder itself comes last, so that an interrupted run is repeated. Raises SetupError for a shared folder.
    """
    found = place.var.stat()
    if found.st_uid != os.geteuid() or found.st_mode & stat.S_ISVTX:
        raise SetupError(
            f"{place.var} is shared with other users, and stores passwords and data: set PUNCTUAL_DATA to a folder "
            "of your own."
        )
    if not found.st_mode & 0o077:
        return
    for folder, folders, files in os.walk(place.var):
        for name in (*folders, *files):
            path = Path(folder, name)
            if not path.is_symlink():
                path.chmod(stat.S_IMODE(path.lstat().st_mode) & 0o700)
    place.var.chmod(0o700)


def manage(title: str, arguments: list[str], place: InstallationPlace, env: Mapping[str, str]) -> list[str]:
    """Run a management command of the web application and return the lines that it printed.

    Raises SetupError with the end of its log if it fails.
    """
    say(title)
    log = place.logs / "manage.log"
    with log.open("ab") as output:
        done = subprocess.run(  # nosec B603 # a list of arguments, no shell, no user input
            [sys.executable, "-m", "deploy.serve", "manage", *arguments],
            cwd=ROOT,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
            check=False,
        )
        output.write(done.stdout.encode())
    if done.returncode != 0:
        raise SetupError(f"{title}: failed. The end of {log}:\n{tail(log)}")
    return done.stdout.splitlines()


def start_web(processes: ChildProcesses, place: InstallationPlace) -> ChildProcess:
    """Start the server of pages and API."""
    return _start(processes, "web", "--host", HOST, "--port", str(place.port))


def start_worker(processes: ChildProcesses) -> ChildProcess:
    """Start the Celery worker."""
    return _start(processes, "worker")


def start_beat(processes: ChildProcesses) -> ChildProcess:
    """Start the scheduler of the regular tasks as its own process: inside a worker its end would go unnoticed."""
    return _start(processes, "beat")


def _start(processes: ChildProcesses, role: str, *options: str) -> ChildProcess:
    return processes.start(role, [sys.executable, "-m", "deploy.serve", role, *options])
