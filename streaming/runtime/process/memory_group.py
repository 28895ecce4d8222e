"""One memory limit for a runner and all its child processes: a control group of its own (cgroup).

The heap of the JVM, its memory outside the heap, and each worker have limits of their own everywhere
(`streaming/spark/session`). The group enforces their sum, so that no runner takes another's memory, whatever it starts.
In a full group the system kills the process with the highest priority, which is a worker.
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
    """The control group of this process; `version` 1 or 2 of the system's interface."""

    folder: Path
    version: int

    def _parents(self) -> Sequence[Path]:
        """Return possible parents of a new group; version 2 divides memory only between groups without processes."""
        above = self.folder.parent
        return [self.folder, above] if self.version == 2 and _delegated(above) else [self.folder]

    def enter(self, name: str, limit_bytes: int) -> "MemoryGroup":
        """Move this process, and the processes that it starts later, into a new group `name`. Raises `OSError`."""
        refused = OSError("no control group can be created")
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
                if must or (made / file).exists():  # without swap its limit doesn't exist
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
"""The files of the limit, and whether they must exist. In version 1 the second file limits memory plus swap."""


@dataclass(frozen=True)
class MemoryGroup:
    """The group of this process, and its previous group."""

    folder: Path
    before: Path

    def leave(self) -> None:
        """Move this process back and remove the group; with other processes it stays until a next group is created."""
        try:
            (self.before / _PROCESSES).write_text(str(os.getpid()))
            self.folder.rmdir()
        except OSError:
            return


def own_hierarchy(process: Path = Path("/proc/self")) -> Hierarchy | None:
    """Return the group of `process`; None if the system doesn't limit memory by groups."""
    try:
        groups = [line.split(":", 2) for line in (process / "cgroup").read_text().splitlines()]
        mounts = [line.split(" ") for line in (process / "mountinfo").read_text().splitlines()]
    except OSError:
        return None
    for _, controllers, path in groups:
        if "memory" in controllers.split(","):
            return _find_hierarchy(mounts, "cgroup", path, 1)
    for number, _, path in groups:
        unified = _find_hierarchy(mounts, "cgroup2", path, 2) if number == "0" else None
        if unified is not None and "memory" in _words(unified.folder / "cgroup.controllers"):
            return unified
    return None


def _find_hierarchy(mounts: Sequence[Sequence[str]], kind: str, path: str, version: int) -> Hierarchy | None:
    """Find the mount of `path`.

    Fields of a mount: the 4th is its root in the hierarchy, the 5th its place; after "-" follow kind, source, options.
    """
    for mount in mounts:
        source = mount[mount.index("-") + 1 :]  # kind, source, options
        if source[0] != kind or (version == 1 and "memory" not in source[2].split(",")):
            continue
        if PurePosixPath(path).is_relative_to(mount[3]):
            return Hierarchy(Path(mount[4]) / PurePosixPath(path).relative_to(mount[3]), version)
    return None


def enter_memory_group(name: str, limit_bytes: int) -> MemoryGroup:
    """Move this process, before it has threads or children, into a group with `limit_bytes` of memory.

    `name` identifies its owner. Raises `OSError` if this process may not create a group.
    """
    own = own_hierarchy()
    if own is None:
        raise OSError("this system does not limit memory by groups")
    return own.enter(f"punctual-{name}-{os.getpid()}", limit_bytes)


def _forget_ended(parent: Path) -> None:
    """Remove groups of dead processes: a killed runner leaves its group behind."""
    for folder in parent.glob("punctual-*"):
        named = _NAME.fullmatch(folder.name)
        if named is not None and not Path("/proc", named[1]).exists():
            try:
                folder.rmdir()
            except OSError:
                continue  # a child process still lives


def _delegated(folder: Path) -> bool:
    """Return whether systemd has delegated the group `folder` to us: it may change other groups at any time."""
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
