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
from deploy.prepare.console import CannotGoOn, ProgressClock, say, tail
from deploy.up.place import InstallationPlace, lock, require_free_port
from streaming.temporal.ticks import Tick

DEMO_S = 300.0
WEB_S = 60.0


class StopSignal(Exception):
    """Ctrl-C or SIGTERM was received."""


def stop_requested(_number: int, _frame: FrameType | None) -> None:
    """Leave whatever is being done; a second signal does not disturb the stopping."""
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.SIG_IGN)
    raise StopSignal


def start(place: InstallationPlace, processes: ChildProcesses, url: str) -> list[str]:
    """Start the services in their order and lay out the demo; return what the demo says about signing in."""
    env = processes.env
    if os.environ.get("REDIS_URL"):
        services.use_redis(processes, url)
    else:
        say("Starting Redis")
        start_redis(processes, place)
    services.gather_data(place)
    services.manage("Bringing the database up to date", ["migrate", "--noinput"], place, env)
    demo_lines = services.manage("Laying out the demo", ["demo"], place, env)
    say("Starting the web server, the worker and the clock of its tasks")
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
        except CannotGoOn:
            return True
        return False

    if not wait_until(listens, timeout_s=WEB_S):
        raise CannotGoOn(f"The web server does not answer: see {place.logs / 'web.log'}.")


def wait_for_demo(place: InstallationPlace, processes: ChildProcesses, url: str) -> None:
    """Return when the numbers of the demo run move."""
    say("Waiting for the demo run: Spark needs about half a minute to start")
    watch = DemoWatch(say, since=Tick(time.time_ns() // 1_000))
    with redis.Redis.from_url(url) as client:

        def moves() -> bool:
            processes.tend()
            try:
                return watch.moved(look(client))
            except redis.ConnectionError:  # it is being started again
                return False

        if not wait_until(moves, timeout_s=DEMO_S):
            raise CannotGoOn(f"The demo run's numbers do not move: see {place.logs}.{runner_logs(place)}")


def runner_logs(place: InstallationPlace) -> str:
    """Return the end of each runner's log, with its name."""
    return "".join(f" The end of {log}:\n{tail(log)}" for log in sorted(place.var.glob("*/logs/runner.log")))


def note(file: IO[str], place: InstallationPlace, *, ready: bool) -> None:
    """Write into the lock file what a second start tells its user; it stays there when we are killed."""
    file.truncate(0)
    file.write(json.dumps({"pid": os.getpid(), "address": place.address, "ready": ready}))
    file.flush()


def serve(place: InstallationPlace) -> None:
    """Run the installation until it is stopped; always stops what it started."""
    place.logs.mkdir(parents=True, exist_ok=True)
    services.close_to_others(place)
    url = os.environ.get("REDIS_URL") or redis_url(place.var)
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
            say(f"From a shell: .venv/bin/punctual sign-in --address {place.address} (menu, Access tokens: make one)")
            say(services.carried_by(processes.env))
            say(services.standing_by(processes.env))
            say("Stop it with ctrl-C.")
            processes.watch()
        finally:
            say("Stopping ...")
            processes.stop(lambda: runners(place.var))
            file.truncate(0)


def main(started_s: float) -> int:
    """Serve; 0 after a stop that was asked for, 1 after a sentence about what went wrong."""
    ProgressClock.started_s = started_s
    os.umask(0o077)  # sessions, reset links, results: nothing of it is another user's of this machine
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, stop_requested)
    try:
        serve(InstallationPlace.from_environment(os.environ))
    except StopSignal:
        say("Punctual is stopped.")
        return 0
    except CannotGoOn as fault:
        say(str(fault))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else ProgressClock.started_s))
