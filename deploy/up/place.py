"""The folder and the port of one installation, and whether it runs already."""

import fcntl
import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from deploy.prepare.console import CannotGoOn
from deploy.prepare.places import ROOT

HOST = "127.0.0.1"
DEFAULT_PORT = 8000


@dataclass(frozen=True)
class InstallationPlace:
    """Where an installation keeps everything (`var`, absolute) and the port on which its pages are."""

    var: Path
    port: int

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "InstallationPlace":
        """Read PORT and PUNCTUAL_DATA; raises CannotGoOn for a port that is none."""
        text = environment.get("PORT") or str(DEFAULT_PORT)
        if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65_535:
            raise CannotGoOn(f"PORT is {text!r}: set it to a number from 1 to 65535.")
        return cls(Path(environment.get("PUNCTUAL_DATA") or ROOT / "var").resolve(), int(text))

    @property
    def address(self) -> str:
        """The address to open in a browser."""
        return f"http://{HOST}:{self.port}/"

    @property
    def logs(self) -> Path:
        """The folder of the logs."""
        return self.var / "logs"

    @property
    def lock_file(self) -> Path:
        """Locked by the installation while it runs; holds its process id and address."""
        return self.var / "up.lock"


def lock(place: InstallationPlace) -> IO[str]:
    """Take the installation's lock, which lasts until the file is closed or the process ends.

    Raises CannotGoOn, naming process and address, when an installation with this folder runs already.
    """
    place.var.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = os.fdopen(os.open(place.lock_file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.seek(0)
        text = file.read()
        file.close()
        raise CannotGoOn(already_running(text)) from error
    return file


def already_running(text: str) -> str:
    """Return the sentence for a second start; `text` is what the first wrote into the lock file."""
    try:
        first = json.loads(text)
        if not first["ready"]:
            return (
                f"Punctual is being started already (process {first['pid']}): wait for it, or stop it with ctrl-C "
                "where it was started."
            )
        return (
            f"Punctual is running already at {first['address']} (process {first['pid']}): "
            "open it, or stop it with ctrl-C where it was started."
        )
    except (ValueError, KeyError, TypeError):
        return "Punctual is being started already: wait for it, or stop it with ctrl-C where it was started."


def require_startable(place: InstallationPlace) -> None:
    """Raise CannotGoOn when an installation with this folder runs, or another program has the port.

    The port is not looked at after an installation was killed: what it left is ended first, by the next one.
    """
    with lock(place) as file:
        file.seek(0)
        was_killed = file.read() != ""
    if not was_killed:
        require_free_port(place.port)


def require_free_port(port: int) -> None:
    """Raise CannotGoOn when something listens on `port`."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise CannotGoOn(
                f"Port {port} is taken by another program: stop that program, or choose another port, "
                f"for example: PORT={port % 65_535 + 1} make up"
            ) from error
