"""So much memory for an installation and all that it starts, and no more, as on a small machine."""

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
        raise ValueError(f"{text} is no amount of memory: write 10G or 512M.")
    return int(found[1]) << UNITS[found[2]]


@dataclass(frozen=True)
class MemoryGroup:
    """A control group of memory below our own, of version 1 or 2; `version` decides what its files are called."""

    folder: Path
    version: int

    @property
    def command(self) -> Sequence[str]:
        """Words before a command that make it, and all that it starts, a member."""
        return ["/bin/sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', str(self.folder)]

    def used_mib(self) -> float:
        """What its processes have, without files that the system keeps at hand."""
        name = "total_rss" if self.version == 1 else "anon"
        said = dict(line.split() for line in (self.folder / "memory.stat").read_text().splitlines())
        return int(said[name]) / 2**20

    def kills(self) -> int:
        """How many of its processes the system has ended because the memory was used up."""
        file, name = ("memory.oom_control", "oom_kill") if self.version == 1 else ("memory.events", "oom_kill")
        said = dict(line.split() for line in (self.folder / file).read_text().splitlines())
        return int(said.get(name, 0))


@contextmanager
def memory_group(limit: int) -> Iterator[MemoryGroup | None]:
    """Make a group with `limit` bytes, and remove it at the end; None, and a sentence, where none can be made."""
    try:
        group = _made(limit)
    except OSError as error:
        print(f"Not confined: no control group of memory can be made here ({error}).", flush=True)
        yield None
        return
    try:
        yield group
    finally:
        for each in sorted(group.folder.glob("**/"), reverse=True):  # runners may have made some of their own
            each.rmdir()


def _made(limit: int) -> MemoryGroup:
    own = dict(line.split(":", 2)[1:] for line in Path("/proc/self/cgroup").read_text().splitlines())
    version = 1 if "memory" in own else 2
    above = GROUPS / "memory" / own["memory"][1:] if version == 1 else GROUPS / own[""][1:]
    folder = above / f"attacked-{os.getpid()}"
    folder.mkdir()
    try:
        name = "memory.limit_in_bytes" if version == 1 else "memory.max"
        (folder / name).write_text(str(limit))  # absent in version 2 where our group does not hand memory on
    except OSError:
        folder.rmdir()
        raise
    return MemoryGroup(folder, version)
