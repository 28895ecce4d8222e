"""A memory limit for an installation and all its child processes, as on a small machine."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

GROUPS: Final = Path("/sys/fs/cgroup")
UNITS: Final = {"": 0, "K": 10, "M": 20, "G": 30}


def bytes_of(text: str) -> int:
    """Read `10G`, `512M` or a number of bytes. Raises ValueError."""
    found = re.fullmatch(r"(\d+)([KMG]?)", text)
    if found is None:
        raise ValueError(f"{text} isn't an amount of memory. Write 10G or 512M.")
    return int(found[1]) << UNITS[found[2]]


@dataclass(frozen=True)
class MemoryGroup:
    """A memory control group below our own, of version 1 or 2; `version` determines the names of its files."""

    folder: Path
    version: int

    @property
    def command(self) -> Sequence[str]:
        """Return a command prefix that makes the command, and its children, members of the group."""
        return ["/bin/sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', str(self.folder)]

    def used_mib(self) -> float:
        """Return the memory of its processes, without cached files."""
        name = "total_rss" if self.version == 1 else "anon"
        values = dict(line.split() for line in (self.folder / "memory.stat").read_text().splitlines())
        return int(values[name]) / 2**20

    def kills(self) -> int:
        """Return how many of its processes the system has killed because memory ran out."""
        file, name = ("memory.oom_control", "oom_kill") if self.version == 1 else ("memory.events", "oom_kill")
        values = dict(line.split() for line in (self.folder / file).read_text().splitlines())
        return int(values.get(name, 0))


@contextmanager
def memory_group(limit: int) -> Iterator[MemoryGroup | None]:
    """Create a group with `limit` bytes, and remove it at the end; if that isn't possible, print why and yield None."""
    try:
        group = _made(limit)
    except OSError as error:
        print(f"Not confined: no memory control group can be created here ({error}).", flush=True)
        yield None
        return
    try:
        yield group
    finally:
        for each in sorted(group.folder.glob("**/"), reverse=True):  # runners may have created groups of their own
            each.rmdir()


def _made(limit: int) -> MemoryGroup:
    own = dict(line.split(":", 2)[1:] for line in Path("/proc/self/cgroup").read_text().splitlines())
    version = 1 if "memory" in own else 2
    above = GROUPS / "memory" / own["memory"][1:] if version == 1 else GROUPS / own[""][1:]
    folder = above / f"attacked-{os.getpid()}"
    folder.mkdir()
    try:
        name = "memory.limit_in_bytes" if version == 1 else "memory.max"
        (folder / name).write_text(str(limit))  # absent in version 2 if our group doesn't delegate memory
    except OSError:
        folder.rmdir()
        raise
    return MemoryGroup(folder, version)
