"""A MariaDB server with a binary log for tests, on the loopback address, in a folder of its own."""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deploy.up.place import HOST
from tests.ports import free_port

USER, PASSWORD = "capture", "planted-mariadb-password"
_STARTS_S: Final = 120
_READER: Final = f"CREATE USER '{USER}'@'%' IDENTIFIED BY '{PASSWORD}'; GRANT ALL ON *.* TO '{USER}'@'%';"


@dataclass(frozen=True)
class MariaDB:
    """A running server with its data in `folder`."""

    folder: Path
    port: int

    def run(self, statements: str) -> None:
        """Run `statements`, which end with semicolons, on one connection. Fails at the first error."""
        client = ["mariadb", f"--socket={self.folder / 'socket'}", "--user=root"]
        subprocess.run(client, input=statements.encode(), check=True, capture_output=True, timeout=_STARTS_S)


@contextmanager
def running_mariadb() -> Iterator[MariaDB]:
    """Start a server; kill it and remove its folder at the end."""
    with tempfile.TemporaryDirectory(prefix="punctual-mariadb-", ignore_cleanup_errors=True) as made:
        server = MariaDB(Path(made), free_port())
        data = [f"--datadir={server.folder / 'data'}", *(["--user=root"] if os.geteuid() == 0 else [])]
        make = ["mariadb-install-db", "--no-defaults", "--auth-root-authentication-method=normal", *data]
        subprocess.run(make, check=True, capture_output=True)
        listen = [f"--port={server.port}", f"--bind-address={HOST}", f"--socket={server.folder / 'socket'}"]
        log = ["--log-bin=binlog", "--binlog-format=ROW", "--server-id=1", "--skip-name-resolve"]
        process = subprocess.Popen(
            ["mariadbd", "--no-defaults", *data, *listen, *log], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            _await(server, process)
            server.run(_READER)
            yield server
        finally:
            process.kill()
            process.wait()


def _await(server: MariaDB, process: "subprocess.Popen[bytes]") -> None:
    """Return when the server answers."""
    ping = ["mariadb-admin", f"--socket={server.folder / 'socket'}", "--user=root", "--wait=30", "ping"]
    until = time.monotonic() + _STARTS_S
    while subprocess.run(ping, capture_output=True, check=False).returncode:
        assert process.poll() is None, "the MariaDB server has ended"
        assert time.monotonic() < until, "the MariaDB server does not answer"
