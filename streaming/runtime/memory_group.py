"""One limit of memory for a runner and all that it starts, kept by the system: a control group of its own (cgroup).

The heap of the JVM, what it has beside the heap, and each worker have limits of their own everywhere
(`streaming.spark.session`, `streaming.spark.memory`); the group keeps their sum, so that no runner takes another's
memory whatever it starts. In a full group the system ends the process that was chosen first, and that is a worker.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

_NAME: Final = re.compile(r"punctual-.+-(\d+)")
_PROCESSES: Final = "cgroup.procs"
_SHARED: Final = "cgroup.subtree_control"


@dataclass(frozen=True)
class Hierarchy:
    """The group in which this process is; `version` 1 or 2 of the system's interface."""

    folder: Path
    version: int

    def _parents(self) -> Sequence[Path]:
        """Where a group may be made. Version 2 divides memory only between groups that hold no process themselves."""
        above = self.folder.parent
        return [self.folder, above] if self.version == 2 and _delegated(above) else [self.folder]

    def enter(self, name: str, limit_bytes: int) -> "MemoryGroup":
        """Move this process into a new group `name`; what it starts from now on is in it. Raises `OSError`."""
        refused = OSError("no group can be made")
        for parent in self._parents():
            try:
                return self._entered(parent, parent / name, limit_bytes)
            except OSError as error:
                refused = error
        raise refused

    def _entered(self, parent: Path, made: Path, limit_bytes: int) -> "MemoryGroup":
        _forget_ended(parent)
        if self.version == 2 and "memory" not in (parent / _SHARED).read_text().split():
            (parent / _SHARED).write_text("+memory")
        made.mkdir()
        try:
            for file, must in _LIMITS[self.version].items():
                if must or (made / file).exists():  # without swap there is no limit of it
                    (made / file).write_text(str(limit_bytes if file != "memory.swap.max" else 0))
            (made / _PROCESSES).write_text(str(os.getpid()))
        except OSError:
            made.rmdir()
            raise
        return MemoryGroup(made, self.folder)


_LIMITS: Final = {
    1: {"memory.limit_in_bytes": True, "memory.memsw.limit_in_bytes": False},
    2: {"memory.max": True, "memory.swap.max": False},
}
"""The files that hold the limit, and whether they must be there. In version 1 the second counts memory and swap."""


@dataclass(frozen=True)
class MemoryGroup:
    """The group of this process, and the one from which it came."""

    folder: Path
    before: Path

    def leave(self) -> None:
        """Move this process back, and remove the group; one that still has processes stays until the next is made."""
        try:
            (self.before / _PROCESSES).write_text(str(os.getpid()))
            self.folder.rmdir()
        except OSError:
            return


def own_hierarchy(process: Path = Path("/proc/self")) -> Hierarchy | None:
    """The group in which `process` is, where the system limits memory by groups; None where it does not."""
    try:
        groups = [line.split(":", 2) for line in (process / "cgroup").read_text().splitlines()]
        mounts = [line.split(" ") for line in (process / "mountinfo").read_text().splitlines()]
    except OSError:
        return None
    for _, controllers, path in groups:
        if "memory" in controllers.split(","):
            return _found(mounts, "cgroup", path, 1)
    for number, _, path in groups:
        found = _found(mounts, "cgroup2", path, 2) if number == "0" else None
        if found is not None and "memory" in _words(found.folder / "cgroup.controllers"):
            return found
    return None


def _found(mounts: Sequence[Sequence[str]], kind: str, path: str, version: int) -> Hierarchy | None:
    """Of a mount: 4th what of the hierarchy is mounted, 5th where; after the dash kind, source and options."""
    for mount in mounts:
        told = mount[mount.index("-") + 1 :]
        if told[0] != kind or (version == 1 and "memory" not in told[2].split(",")):
            continue
        if PurePosixPath(path).is_relative_to(mount[3]):
            return Hierarchy(Path(mount[4]) / PurePosixPath(path).relative_to(mount[3]), version)
    return None


def enter_memory_group(name: str, limit_bytes: int) -> MemoryGroup:
    """Move this process, before it has threads or children, into a group that has `limit_bytes` of memory.

    `name` says whose it is. Raises `OSError` where this process may not make one.
    """
    own = own_hierarchy()
    if own is None:
        raise OSError("this system does not limit memory by groups")
    return own.enter(f"punctual-{name}-{os.getpid()}", limit_bytes)


def _forget_ended(parent: Path) -> None:
    """Remove groups of processes that are no more: a runner that was killed leaves its own."""
    for folder in parent.glob("punctual-*"):
        named = _NAME.fullmatch(folder.name)
        if named is not None and not Path("/proc", named[1]).exists():
            try:
                folder.rmdir()
            except OSError:
                continue  # something that it started still lives


def _delegated(folder: Path) -> bool:
    """Whether whoever keeps the groups (systemd) has left `folder` to us: others it may change at any time."""
    for attribute in ("trusted.delegate", "user.delegate"):
        try:
            if os.getxattr(folder, attribute) == b"1":
                return True
        except OSError:
            continue
    return False


def _words(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except OSError:
        return []
