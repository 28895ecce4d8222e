"""The folder and the port of one installation, and its lock."""

import fcntl
import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from deploy.prepare.console import SetupError
from deploy.prepare.places import DATA
from webapp.variables.reading import Environment

HOST = "127.0.0.1"


@dataclass(frozen=True)
class InstallationPlace:
    """The folder of an installation (`var`, absolute) and the port of its pages."""

    var: Path
    port: int

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "InstallationPlace":
        """Read PORT and PUNCTUAL_DATA; raises SetupError for an invalid port."""
        given = Environment(environment)
        text = environment.get("PORT") or given.text("PORT")
        if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65_535:
            raise SetupError(f"PORT is {text!r}: set it to a number from 1 to 65535.")
        return cls(Path(given.text("PUNCTUAL_DATA") or DATA).resolve(), int(text))

    @property
    def address(self) -> str:
        """Return the address to open in a browser."""
        return f"http://{HOST}:{self.port}/"

    @property
    def logs(self) -> Path:
        """Return the folder of the logs."""
        return self.var / "logs"

    @property
    def lock_file(self) -> Path:
        """Return the file that the installation locks while it runs; it contains its process id and address."""
        return self.var / "up.lock"


def lock(place: InstallationPlace) -> IO[str]:
    """Take the installation's lock, which lasts until the file is closed or the process ends.

    Raises SetupError, with process and address, if an installation with this folder is already running.
    """
    place.var.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = os.fdopen(os.open(place.lock_file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.seek(0)
        text = file.read()
        file.close()
        raise SetupError(already_running(text)) from error
    return file


def already_running(text: str) -> str:
    """Return the sentence for a second start; `text` is the content of the lock file."""
    try:
        first = json.loads(text)
        if not first["ready"]:
            return (
                f"Punctual is already starting (process {first['pid']}): wait for it, or stop it with ctrl-C "
                "where it was started."
            )
        return (
            f"Punctual is already running at {first['address']} (process {first['pid']}): "
            "open it, or stop it with ctrl-C where it was started."
        )
    except (ValueError, KeyError, TypeError):
        return "Punctual is already starting: wait for it, or stop it with ctrl-C where it was started."


def require_startable(place: InstallationPlace) -> None:
    """Raise SetupError if an installation with this folder runs, or another program has the port.

    After a killed installation the port is not checked: the next start first ends its left-over processes.
    """
    with lock(place) as file:
        file.seek(0)
        was_killed = file.read() != ""
    if not was_killed:
        require_free_port(place.port)


def require_free_port(port: int) -> None:
    """Raise SetupError if something listens on `port`."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise SetupError(
                f"Port {port} is taken by another program: stop that program, or choose another port, "
                f"for example: PORT={port % 65_535 + 1} make up"
            ) from error
