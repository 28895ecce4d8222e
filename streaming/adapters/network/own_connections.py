"""Checks if a connection to a port of this process comes from this process itself."""

import socket
import struct
from contextlib import suppress
from pathlib import Path
from typing import Final

_TABLE: Final = Path("/proc/self/net/tcp")
_HANDLES: Final = Path("/proc/self/fd")
_INODE: Final = 9


def is_own(peer: tuple[str, int], here: tuple[str, int]) -> bool:
    """Return True if this process holds the other end of the connection from `peer` to `here`, both IPv4.

    True if the system doesn't report the owner of a connection (no `/proc`).
    """
    try:
        lines = _TABLE.read_text().splitlines()[1:]
    except OSError:
        return True
    wanted = (_written(peer), _written(here))
    for line in lines:
        columns = line.split()
        if (columns[1], columns[2]) == wanted:
            return _holds(columns[_INODE])
    return False


def _written(place: tuple[str, int]) -> str:
    """An address in the table's notation: a number in the machine's byte order, and the port."""
    [number] = struct.unpack("=I", socket.inet_aton(place[0]))
    return f"{number:08X}:{place[1]:04X}"


def _holds(inode: str) -> bool:
    target = f"socket:[{inode}]"
    for handle in _HANDLES.iterdir():
        with suppress(OSError):
            if str(handle.readlink()) == target:
                return True
    return False
