"""A real installation, started as `make up` does, in its own folder."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from deploy.installation.processes import left_over, runners
from tests.conftest import ROOT
from tests.ports import free_port
from webapp.runs.demo import SLUG

OF_THE_USER = ("PUNCTUAL_", "REDIS_URL", "DATABASE_URL", "PORT", "DJANGO_")


@dataclass(frozen=True)
class Installation:
    """The installation's address, the demo's credentials, and the output of the start."""

    address: str
    email: str
    password: str
    var: Path
    env: dict[str, str]
    pid: int
    printed: tuple[str, ...]


def demo_files(installation: Installation) -> Path:
    """Return the existing folder of the demo's files, to which tests can add files."""
    with closing(sqlite3.connect(f"file:{installation.var / 'punctual.sqlite3'}?mode=ro", uri=True)) as database:
        [[organisation]] = database.execute("SELECT id FROM accounts_organisation WHERE slug = ?", [SLUG])
    files = installation.var / str(UUID(organisation)) / "files"
    files.mkdir(parents=True, exist_ok=True)
    return files


def put_file(path: Path, text: str) -> None:
    """Write a file that appears with all of its content, for runs that follow a folder."""
    unfinished = path.with_name(f".{path.name}.part")
    unfinished.write_text(text)
    unfinished.replace(path)


def environment(var: Path, port: int) -> dict[str, str]:
    """Return this environment without installation settings except folder and port, and without standby runners."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OF_THE_USER)}
    return {**kept, "PUNCTUAL_DATA": str(var), "PORT": str(port), "PUNCTUAL_STANDBY_RUNNERS": "0"}


def launch(env: dict[str, str], by: Sequence[str] = ()) -> "subprocess.Popen[str]":
    """Start the command of `make up`; `by`: the words of a command that executes it."""
    command = [*by, sys.executable, "-m", "deploy.up"]
    return subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def printed_until_ready(process: "subprocess.Popen[str]") -> Iterator[str]:
    """Yield the lines up to the one that explains how to stop; fewer if the start fails."""
    assert process.stdout is not None
    for line in process.stdout:
        yield line.rstrip("\n")
        if "ctrl-C" in line:
            return


def described(pattern: str, lines: tuple[str, ...]) -> str:
    """Return the only group of the first match of `pattern` in `lines`."""
    found = re.search(pattern, "\n".join(lines))
    assert found, "\n".join(lines)
    return found.group(1)


@contextmanager
def running_installation(
    var: Path, settings: Mapping[str, str] | None = None, by: Sequence[str] = ()
) -> Iterator[Installation]:
    """Start an installation in `var` on a free port; at the end stop it and check that nothing is left of it.

    `settings` are additional environment variables; `by` is passed to `launch`.
    """
    env = environment(var, free_port()) | dict(settings or {})
    process = launch(env, by)
    try:
        lines = tuple(printed_until_ready(process))
        yield Installation(
            address=described(r"open (http://\S+)", lines),
            email=described(r"(\S+@[^\s,]+)", lines),
            password=described(r"(?i)password:\s+(\S+)", lines),
            var=var,
            env=env,
            pid=process.pid,
            printed=lines,
        )
    finally:
        process.send_signal(signal.SIGTERM)
        rest = process.communicate(timeout=300)[0]
    assert process.returncode == 0, rest
    assert [*left_over(var), *runners(var)] == []
