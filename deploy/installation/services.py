"""The services of an installation and how each is started and found ready."""

import os
import re
import stat
import subprocess  # nosec B404 # programs of this machine, named by lists
import sys
from collections.abc import Mapping
from pathlib import Path

import redis

from deploy.installation.embedded_redis import wait_for_redis
from deploy.installation.processes import ChildProcess, ChildProcesses
from deploy.prepare.console import CannotGoOn, say, tail
from deploy.prepare.places import ROOT
from deploy.up.place import HOST, InstallationPlace
from streaming.adapters.gathering import gather

_PROBE = "punctual-may-it-make-users"
_ORGANISATION = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def environment(place: InstallationPlace, inherited: Mapping[str, str], redis_url: str) -> dict[str, str]:
    """Return the environment of every process of the installation; what the user set is kept."""
    return {
        **inherited,
        "PUNCTUAL_EMBEDDED": inherited.get("PUNCTUAL_EMBEDDED", "1"),
        "PUNCTUAL_STANDBY_RUNNERS": inherited.get("PUNCTUAL_STANDBY_RUNNERS") or "1",
        "PUNCTUAL_DATA": str(place.var),
        "REDIS_URL": redis_url,
        "PYTHONUNBUFFERED": "1",
    }


def standing_by(env: Mapping[str, str]) -> str:
    """Return what standing by costs and brings, and how to have none."""
    number = env["PUNCTUAL_STANDBY_RUNNERS"]
    if number == "0":
        return "No runner stands by: the first start of an organisation takes about 20 s."
    return (
        f"Runners that stand by: {number}, with 0.9 GB of memory each, so that the first start of an organisation "
        "takes about 3 s. PUNCTUAL_STANDBY_RUNNERS=0 make up: none, and about 20 s."
    )


def carried_by(env: Mapping[str, str]) -> str:
    """Return whose runner carries the runs of an organisation here, and how it is otherwise."""
    number = env.get("PUNCTUAL_POOLS") or "0"
    if number == "0":
        return (
            "Each organisation has a runner of its own (1 GB of memory or more each; at most PUNCTUAL_MOST_RUNNERS at "
            "a time). PUNCTUAL_POOLS=1 make up: one runner carries the runs of all, which costs less from two on."
        )
    return (
        f"Runners that all organisations share: {number}; the installation's page gives one a runner of its own. "
        "PUNCTUAL_POOLS=0 make up: each has its own."
    )


def use_redis(processes: ChildProcesses, url: str) -> None:
    """Wait for the server of REDIS_URL, and say so where it lets this installation make no users on it."""
    say("Using the Redis server of REDIS_URL")
    wait_for_redis(processes, url, most_s=5.0)
    with redis.Redis.from_url(url) as client:
        try:
            client.execute_command("ACL", "SETUSER", _PROBE, "off", "-@all")
            client.acl_deluser(_PROBE)
        except redis.ResponseError as error:
            say(
                f"Its user may not make others (ACL SETUSER: {error}), so every runner gets REDIS_URL itself and could "
                "read what is of other organisations. Give that user the right, or leave REDIS_URL out."
            )


def close_to_others(place: InstallationPlace) -> None:
    """Take from all others what they could do with an installation's folder, and with all that is in it; once.

    The folder itself comes last, so that what was interrupted is done again. Raises CannotGoOn for a shared folder.
    """
    found = place.var.stat()
    if found.st_uid != os.geteuid() or found.st_mode & stat.S_ISVTX:
        raise CannotGoOn(
            f"{place.var} is shared with other users, and will hold passwords and data: set PUNCTUAL_DATA to a folder "
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


def gather_data(place: InstallationPlace) -> None:
    """Move what earlier installations kept beside `files/` in the folder of each organisation, and say so."""
    for folder in sorted(place.var.iterdir()):
        if _ORGANISATION.fullmatch(folder.name):
            for sentence in gather(folder).sentences(folder.name):
                say(sentence)


def manage(title: str, arguments: list[str], place: InstallationPlace, env: Mapping[str, str]) -> list[str]:
    """Run a management command of the web application and return the lines that it printed.

    Raises CannotGoOn with the end of its log when it fails.
    """
    say(title)
    log = place.logs / "manage.log"
    with log.open("ab") as output:
        done = subprocess.run(  # nosec B603 # a list of arguments, no shell, no word of a user in it
            [sys.executable, str(ROOT / "manage.py"), *arguments],
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
        raise CannotGoOn(f"{title}: failed. The end of {log}:\n{tail(log)}")
    return done.stdout.splitlines()


def start_web(processes: ChildProcesses, place: InstallationPlace) -> ChildProcess:
    """Start the server of pages and API."""
    options = ["--host", HOST, "--port", str(place.port), "--timeout-graceful-shutdown", "3"]
    options += ["--no-access-log", "--no-proxy-headers"]
    return processes.start("web", [sys.executable, "-m", "uvicorn", "webapp.asgi:application", *options])


def start_worker(processes: ChildProcesses) -> ChildProcess:
    """Start the Celery worker."""
    return _start_celery(processes, "worker", "--concurrency", "2")


def start_beat(processes: ChildProcesses) -> ChildProcess:
    """Start the clock of the regular tasks: a process of its own, for in a worker nobody would see it die."""
    return _start_celery(processes, "beat", "--pidfile", "")


def _start_celery(processes: ChildProcesses, name: str, *options: str) -> ChildProcess:
    level = os.environ.get("PUNCTUAL_LOG_LEVEL", "INFO")
    return processes.start(
        name, [sys.executable, "-m", "celery", "--app", "webapp", name, *options, "--loglevel", level]
    )
