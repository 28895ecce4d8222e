"""The carrier with each binding's state: recorded when a run of it has started there, stored in one file."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from streaming.storage.results import write_atomically
from streaming.wire.binding_homes import FILE
from streaming.wire.keys import POOL

MAIN: Final = "main"
"""The shared carrier; a dedicated one has the name of its binding."""
NOWHERE: Final = "nowhere"
"""The home of a binding that is in no carrier."""


@dataclass(frozen=True)
class BindingHome:
    """The carrier of a binding, and the last batch that reported it there.

    `savepoint` is its start state in its next carrier, until a batch there reports it; also for NOWHERE.
    """

    name: str = MAIN
    batch: int = 0
    savepoint: str | None = None


class BindingLocations:
    """`carriers/homes.json` of an organisation: binding to its BindingHome.

    A binding that isn't in it is in the shared carrier, or has no state yet. Batch numbers of a binding rise from
    carrier to carrier, so the highest one identifies its carrier, in whatever order manifests are read.
    """

    def __init__(self, carriers: Path) -> None:
        self._path = carriers / FILE
        self._known: dict[str, BindingHome] = {}
        if self._path.exists():
            content = json.loads(self._path.read_text())
            self._known = {binding: BindingHome(*home) for binding, home in content.items()}
        self._kept = self._to_keep()

    def of(self, binding: str) -> str:
        """Return the carrier of `binding`."""
        return self.home(binding).name

    def home(self, binding: str) -> BindingHome:
        """Return the home of `binding`."""
        return self._known.get(binding, BindingHome())

    def at(self, name: str) -> set[str]:
        """Return the bindings recorded in carrier `name`."""
        return {binding for binding, home in self._known.items() if home.name == name}

    def enters(self, binding: str, name: str) -> bool:
        """Return whether no batch of carrier `name` has reported `binding` since it was sent there with a savepoint."""
        home = self.home(binding)
        return home.name == name and home.savepoint is not None

    def note(self, binding: str, name: str, batch: int) -> None:
        """Record that a run of `binding` started, or ended on its own, in carrier `name` in `batch`.

        Late reports change nothing: from a pool that wrote the savepoint with which the binding left, and from a
        carrier that the binding left for a pool, or with a savepoint that its new carrier hasn't reported yet.
        """
        known = self._known.get(binding)
        if known is not None and known.savepoint is not None and known.name not in (NOWHERE, name):
            return
        if known is not None and name.startswith(POOL) and known.name == NOWHERE:
            return
        if known is not None and name == MAIN and known.name.startswith(POOL):
            return
        if (known is None and name == MAIN) or (known is not None and batch <= known.batch):
            return
        self._known[binding] = BindingHome(name, batch)

    def enter(self, binding: str, name: str, savepoint: str | None) -> None:
        """Record that `name` is about to carry `binding` with `savepoint`: no other carrier may from now on.

        Raises `OSError`.
        """
        home = self.home(binding)
        if home.name != name:
            self._known[binding] = replace(home, name=name, savepoint=savepoint)
            self.keep()

    def leave(self, binding: str, savepoint: str | None) -> None:
        """Record that `binding` is in no carrier; `savepoint` is its only state. Raises `OSError`."""
        self._known[binding] = BindingHome(NOWHERE, self.home(binding).batch, savepoint)
        self.keep()

    def keep(self) -> None:
        """Write the file, if any binding has moved since the last write. Raises `OSError`."""
        kept = self._to_keep()
        if kept != self._kept:
            content = {binding: _written(home) for binding, home in self._known.items()}
            write_atomically(self._path, json.dumps(content).encode())
            self._kept = kept

    def _to_keep(self) -> dict[str, tuple[str, str | None]]:
        return {binding: (home.name, home.savepoint) for binding, home in self._known.items()}


def _written(home: BindingHome) -> list[str | int]:
    return [home.name, home.batch] if home.savepoint is None else [home.name, home.batch, home.savepoint]
