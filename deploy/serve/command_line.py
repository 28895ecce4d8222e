"""The command line of `punctual-serve`."""

import argparse
from pathlib import Path
from typing import Final

DESCRIPTION: Final = """Start one process of a Punctual installation. Settings come from environment variables
(deploy/CONFIGURATION.md); `punctual-serve check` reports what is wrong with them."""


def _port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 65_535:
        raise ValueError
    return number


def _count(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 1_024:
        raise ValueError
    return number


def command_line() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="punctual-serve", description=DESCRIPTION, allow_abbrev=False)
    roles = parser.add_subparsers(dest="role", required=True, metavar="ROLE")

    def role(name: str, about: str) -> argparse.ArgumentParser:
        return roles.add_parser(name, help=about, description=about, allow_abbrev=False)

    web = role("web", "the server of pages and API")
    web.add_argument("--host", default="127.0.0.1", help="the address that it listens on; default: 127.0.0.1")
    web.add_argument("--port", type=_port, help="default: PORT, or 8000")
    worker = role("worker", "the worker: drives runs and starts runners")
    worker.add_argument("--processes", type=_count, default=2, metavar="N", help="tasks at the same time; default: 2")
    role("beat", "the scheduler of regular tasks: one in each installation")
    runner = role("runner", "a runner; further options are those of `python -m streaming.runtime`")
    runner.add_argument(
        "--configuration",
        type=Path,
        metavar="FILE",
        help="the file with its configuration; default: PUNCTUAL_RUNNER_CONFIGURATION_FILE, or standard input",
    )
    role("migrate", "update the database, as the owner of its tables")
    backup = role("backup", "save the live installation to a file: database, data folder, keys and pools at one cut")
    backup.add_argument("file", type=Path, metavar="FILE", help="the new file; it appears when it is complete")
    backup.add_argument("--without-keys", dest="keys", action="store_false", help="leave the keys out")
    backup.add_argument(
        "--wait", type=float, default=60.0, metavar="S", help="the longest time to wait for batches; default: 60 s"
    )
    restore = role("restore", "restore a backup into an empty folder and database, with another Redis")
    restore.add_argument("file", type=Path, metavar="FILE", help="the file of a backup")
    restore.add_argument("--resume", action="store_true", help="resume deliveries: the original has ended for good")
    restore.add_argument(
        "--results-restored", action="store_true", help="results on an object store are as at the time of the backup"
    )
    role("check", "check the configuration and report every problem")
    health = role("health", "report with exit code 0 that a process lives and works")
    health.add_argument("process", choices=["web", "worker", "runner"])
    health.add_argument("--port", type=_port, help="of the web server; default: PORT, or 8000")
    health.add_argument("--organisation", metavar="ID", help="of the runner")
    health.add_argument("--pool", type=int, metavar="N", help="number of the pooled runner")
    role("manage", "run a management command of the web application")
    role("demo", "start everything on this machine, with a running demo")
    return parser
