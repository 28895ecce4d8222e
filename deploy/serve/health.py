"""`punctual-serve health PROCESS`: exit code 0 for a process that lives and works; for probes without HTTP."""

import argparse
import http.client
import socket
import sys
from pathlib import Path
from typing import Final

from streaming.wire.keys import pool_name
from streaming.wire.runner_record import runner_lives
from webapp.variables.reading import Environment

ANSWERS_S: Final = 5.0


def report(options: argparse.Namespace, environment: Environment) -> int:
    """Return 0 for a process of this machine that works, else 1 after printing what is wrong."""
    if options.process == "web":
        problem = _web(environment.number("PORT") if options.port is None else options.port)
    elif options.process == "worker":
        problem = _worker()
    else:
        problem = _runner(options, Path(environment.text("PUNCTUAL_DATA")))
    if problem is not None:
        sys.stderr.write(f"{problem}\n")
    return 0 if problem is None else 1


def _web(port: int) -> str | None:
    """Ask the web server whether it can do its work: its database and Redis answer, and no migration is pending."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWERS_S)
    try:
        line.request("GET", "/readyz")
        status = line.getresponse().status
    except OSError as error:
        return f"No web server answers at port {port} ({error}). Start it: punctual-serve web."
    finally:
        line.close()
    return None if status == 200 else "The web server isn't ready: its log has the reason."


def _worker() -> str | None:
    from webapp.celery import app  # absent where only a runner is installed

    name = f"celery@{socket.gethostname()}"
    answers = app.control.ping(destination=[name], timeout=ANSWERS_S)
    return None if answers else f"The worker {name} does not answer: see its log, or start it: punctual-serve worker."


def _runner(options: argparse.Namespace, data: Path) -> str | None:
    whose = options.organisation or (None if options.pool is None else pool_name(options.pool))
    if whose is None:
        return "Name the runner: --organisation ID or --pool N."
    if runner_lives(data / whose):
        return None
    return f"No runner of {whose} lives on this machine: see {data / whose / 'logs' / 'runner.log'}."
