"""`python -m deploy.installation`: start everything, show the demo, and stop everything on ctrl-C or SIGTERM."""

import json
import os
import signal
import sys
import time
from types import FrameType
from typing import IO

import redis

from deploy.installation import services
from deploy.installation.demo import DemoWatch, look
from deploy.installation.embedded_redis import redis_url, start_redis
from deploy.installation.processes import ChildProcesses, end_trees, left_over, runners
from deploy.installation.waiting import wait_until
from deploy.prepare.console import ProgressClock, SetupError, say, tail
from deploy.prepare.places import PUNCTUAL
from deploy.up.place import InstallationPlace, lock, require_free_port
from streaming.temporal.ticks import Tick
from webapp.variables.reading import Environment

DEMO_S = 300.0
WEB_S = 60.0


class StopSignal(Exception):
    """Ctrl-C or SIGTERM was received."""


def stop_requested(_number: int, _frame: FrameType | None) -> None:
    """Interrupt the current work; a second signal does not disturb the shutdown."""
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.SIG_IGN)
    raise StopSignal


def start(place: InstallationPlace, processes: ChildProcesses, url: str) -> list[str]:
    """Start the services in their order and create the demo; return the demo's lines about signing in."""
    env = processes.env
    if Environment(os.environ).is_set("REDIS_URL"):
        services.use_redis(processes, url)
    else:
        say("Starting Redis")
        start_redis(processes, place)
    services.manage("Updating the database", ["migrate", "--noinput"], place, env)
    demo_lines = services.manage("Creating the demo", ["demo"], place, env)
    say("Starting the web server, the worker and its scheduler")
    services.start_web(processes, place)
    services.start_worker(processes)
    services.start_beat(processes)
    return demo_lines


def wait_for_web(place: InstallationPlace, processes: ChildProcesses) -> None:
    """Return when the web server listens."""

    def listens() -> bool:
        processes.require_alive()
        try:
            require_free_port(place.port)
        except SetupError:
            return True
        return False

    if not wait_until(listens, timeout_s=WEB_S):
        raise SetupError(f"The web server does not answer: see {place.logs / 'web.log'}.")


def wait_for_demo(place: InstallationPlace, processes: ChildProcesses, url: str) -> None:
    """Return when the numbers of the demo run change."""
    say("Waiting for the demo run: Spark needs about half a minute to start")
    watch = DemoWatch(say, since=Tick(time.time_ns() // 1_000))
    with redis.Redis.from_url(url) as client:

        def moves() -> bool:
            processes.tend()
            try:
                return watch.moved(look(client))
            except redis.ConnectionError:  # it is being restarted
                return False

        if not wait_until(moves, timeout_s=DEMO_S):
            raise SetupError(f"The demo run's numbers do not change: see {place.logs}.{runner_logs(place)}")


def runner_logs(place: InstallationPlace) -> str:
    """Return the end of each runner's log, with its name."""
    return "".join(f" The end of {log}:\n{tail(log)}" for log in sorted(place.var.glob("*/logs/runner.log")))


def note(file: IO[str], place: InstallationPlace, *, ready: bool) -> None:
    """Write what a second start prints into the lock file; it stays there if this process is killed."""
    file.truncate(0)
    file.write(json.dumps({"pid": os.getpid(), "address": place.address, "ready": ready}))
    file.flush()


def serve(place: InstallationPlace) -> None:
    """Run the installation until it is stopped; always stops everything that it started."""
    place.logs.mkdir(parents=True, exist_ok=True)
    services.close_to_others(place)
    given = Environment(os.environ)
    url = given.text("REDIS_URL") if given.is_set("REDIS_URL") else redis_url(place.var)
    processes = ChildProcesses(services.environment(place, os.environ, url), place.logs)
    with lock(place) as file:
        try:
            note(file, place, ready=False)
            end_trees([*left_over(place.var), *runners(place.var)])
            require_free_port(place.port)
            demo_lines = start(place, processes, url)
            wait_for_web(place, processes)
            wait_for_demo(place, processes, url)
            note(file, place, ready=True)
            say(f"Punctual is running: open {place.address}")
            for line in demo_lines:
                say(line)
            say(f"From a shell: {PUNCTUAL} sign-in --address {place.address} (menu, Access tokens: make one)")
            say(services.carried_by(processes.env))
            say(services.standing_by(processes.env))
            say("Stop it with ctrl-C.")
            processes.watch()
        finally:
            say("Stopping ...")
            processes.stop(lambda: runners(place.var))
            file.truncate(0)


def main(started_s: float) -> int:
    """Serve; return 0 after a requested stop, 1 after printing a sentence about an error."""
    ProgressClock.started_s = started_s
    os.umask(0o077)  # sessions, reset links, results: no other user of this machine may read them
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, stop_requested)
    try:
        serve(InstallationPlace.from_environment(os.environ))
    except StopSignal:
        say("Punctual is stopped.")
        return 0
    except SetupError as fault:
        say(str(fault))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else ProgressClock.started_s))
