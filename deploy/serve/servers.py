"""The processes of the web application: server, worker, scheduler, migrations, management commands."""

import argparse
import logging
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

import redis
from django.core.exceptions import ImproperlyConfigured

from webapp.variables.reading import Environment

logger = logging.getLogger(__name__)
FAILED: Final = 1
INVALID: Final = 2
MOST_WAITING: Final = 2_048
WANTED_FILES: Final = 16_384
ENDS_S: Final = 25.0
"""Seconds after SIGTERM in which requests and tasks may finish; event streams end at once."""
SETTINGS: Final = ("DJANGO_SETTINGS_MODULE", "webapp.settings")


def serve(options: argparse.Namespace) -> int:
    """Become the process of `options`; return its exit code, or INVALID after printing every problem."""
    os.environ.setdefault(*SETTINGS)
    try:
        import django
        from django.conf import settings

        django.setup()
        settings.SECRET_KEY  # noqa: B018 - loads the settings, which raise every problem at once
    except ImproperlyConfigured as error:
        sys.stderr.write(f"{error}\n")
        return INVALID
    roles: dict[str, Callable[[argparse.Namespace], int]] = {
        "web": _web,
        "worker": _worker,
        "beat": _beat,
        "migrate": lambda _: manage(["migrate", "--noinput"], program="punctual-serve"),
        "check": _check,
        "backup": _backup,
    }
    return roles[options.role](options)


def web_settings(host: str, port: int) -> dict[str, Any]:
    """Return the settings of uvicorn: its address, and the protection against slow and idle connections."""
    return {
        "host": host,
        "port": port,
        "timeout_graceful_shutdown": int(ENDS_S),
        "access_log": False,
        "proxy_headers": False,
        "http": "webapp.core.http.connections:GuardedConnection",
        "ws": "none",
        "backlog": waiting_connections(),
        "log_config": None,
        "workers": 1,
    }


def waiting_connections() -> int:
    """Return how many connections the kernel keeps until the server accepts them.

    Further clients try again after 1, 2 and 4 s. The server may accept all at once and closes the excess only
    then, so they must fit into the files that `OpenConnections` leaves free.
    """
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST_WAITING if files == resource.RLIM_INFINITY else min(files // 4, MOST_WAITING)


def _allow_files() -> None:
    """Raise the limit of open files as far as the system lets this process, because each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = WANTED_FILES if hard == resource.RLIM_INFINITY else min(hard, WANTED_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _web(options: argparse.Namespace) -> int:
    import uvicorn

    _allow_files()
    port = Environment(os.environ).number("PORT") if options.port is None else options.port
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)  # uvicorn raises its signal again after a stop in good order
    server = uvicorn.Server(uvicorn.Config("webapp.asgi:application", **web_settings(options.host, port)))
    server.run()
    return 0 if server.started else FAILED


def _worker(options: argparse.Namespace) -> int:
    from celery.signals import worker_shutting_down

    if not _runners_have_users():
        return FAILED
    worker_shutting_down.connect(_end_tasks_in_time, weak=False)
    return _celery("worker", "--concurrency", str(options.processes))


def _beat(_options: argparse.Namespace) -> int:
    from celery.signals import beat_init

    beat_init.connect(_log_ready, weak=False)
    return _celery("beat", "--pidfile", "")


def _celery(*words: str) -> int:
    from celery.signals import setup_logging

    from webapp.celery import app

    setup_logging.connect(_keep_logging, weak=False)
    return int(app.start(["--quiet", *words]) or 0)


def _log_ready(**_: Any) -> None:
    logger.info("the scheduler is ready")


def _keep_logging(**_: Any) -> None:
    """Leave the logging of the settings as it is; Celery configures none if this receiver is connected."""


def _end_tasks_in_time(**_: Any) -> None:
    """Cancel the tasks that still run after ENDS_S: SIGQUIT is Celery's cold shutdown."""
    timer = threading.Timer(ENDS_S, os.kill, (os.getpid(), signal.SIGQUIT))
    timer.daemon = True
    timer.start()


def _runners_have_users() -> bool:
    """Return whether Redis creates users of runners, after printing why not; one that is away is not judged yet."""
    from django.conf import settings

    from webapp.runs.runners.redis_users import RunnerUsersRefused, require_runner_users

    try:
        with redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=5) as client:
            require_runner_users(client)
    except RunnerUsersRefused as error:
        sys.stderr.write(f"{error}\n")
        return False
    except (redis.ConnectionError, redis.TimeoutError):
        return True  # Celery reports that, and waits for it; no runner starts without a user then either
    return True


def _check(_options: argparse.Namespace) -> int:
    from deploy.serve.check import report

    return report(sys.stdout.write)


def _backup(options: argparse.Namespace) -> int:
    from deploy.backup.commands import back_up

    return back_up(options)


def manage_installed(words: Sequence[str]) -> int:
    """Run a management command of an installed wheel, which has no `manage.py`."""
    os.environ.setdefault(*SETTINGS)
    return manage(words, program="punctual-serve manage")


def manage(words: Sequence[str], *, program: str) -> int:
    """Run a management command; return 0, FAILED after a sentence, 130 after ctrl-C."""
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line([program, *words])
    except ImproperlyConfigured as error:
        sys.stderr.write(f"{error}\n")
        return INVALID
    except OperationalError as error:
        if "--traceback" in words:
            raise
        reason = str(error).strip().replace("\n", " ")
        sys.stderr.write(f"The database can't be used: {reason}. Check DATABASE_URL, and that it runs.\n")
        return FAILED
    except KeyboardInterrupt:
        return 130
    return 0
