"""A PostgreSQL server for tests, on the loopback address, in a folder of its own."""

import os
import pwd
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy.up.place import HOST
from tests.ports import free_port


@dataclass(frozen=True)
class PostgreSQL:
    """A running server with its data in `data`; `url` is what DATABASE_URL takes."""

    url: str
    data: Path

    def restart(self) -> None:
        """End all its processes by SIGQUIT, as a power cut would, and start it: it recovers from its log."""
        control = [str(binaries() / "pg_ctl"), "-D", str(self.data), "-w", "-l", str(self.data.parent / "server.log")]
        as_its_user([*control, "-m", "immediate", "restart"], self.data.parent)


def binaries() -> Path:
    """Return the folder of the newest server's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not found:
        raise FileNotFoundError("The PostgreSQL server is missing: run make prepare-tests, or install postgresql.")
    return found[-1].parent


def as_its_user(command: Sequence[str], folder: Path) -> None:
    """Run `command`; as user postgres when we are root, for the server refuses to run as root."""
    user = "postgres" if os.geteuid() == 0 else None
    subprocess.run(command, cwd=folder, user=user, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def running_postgresql() -> Iterator[PostgreSQL]:
    """Start a server with its data in a folder of its own; stop it and remove the folder at the end.

    Not below pytest's folder: every pytest that starts closes that to other users, the server's among them.
    """
    with tempfile.TemporaryDirectory(prefix="punctual-postgresql-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        with serving(folder) as server:
            yield server


@contextmanager
def serving(folder: Path) -> Iterator[PostgreSQL]:
    """Make a database in `folder`, which its user owns, and serve it."""
    programs, data, port = binaries(), folder / "data", free_port()
    as_its_user([str(programs / "initdb"), "-D", str(data), "-U", "punctual", "-A", "trust", "-E", "UTF8"], folder)
    options = f"-p {port} -c listen_addresses={HOST} -c unix_socket_directories= -c fsync=off -c wal_level=logical"
    control = [str(programs / "pg_ctl"), "-D", str(data), "-w"]
    as_its_user([*control, "-l", str(folder / "server.log"), "-o", options, "start"], folder)
    try:
        yield PostgreSQL(f"postgresql://punctual@{HOST}:{port}/postgres", data)
    finally:
        as_its_user([*control, "-m", "immediate", "stop"], folder)
