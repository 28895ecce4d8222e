"""In which carrier each binding has what it keeps: noted when a run of it has begun there, kept in one file."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from streaming.wire.binding_homes import FILE
from streaming.wire.keys import POOL
from streaming.wire.results import write_atomically

MAIN: Final = "main"
"""The shared carrier; a dedicated one is called as its binding."""
NOWHERE: Final = "nowhere"
"""The home of a binding of which nothing was kept where it was."""


@dataclass(frozen=True)
class BindingHome:
    """The carrier of a binding and the batch in which it was seen there last.

    `savepoint`: what it begins with, wherever it is carried next, until it is seen there; of NOWHERE too.
    """

    name: str = MAIN
    batch: int = 0
    savepoint: str | None = None


class BindingLocations:
    """`carriers/homes.json` of an organisation: binding to its BindingHome.

    A binding that is not in it is at home in the shared carrier, or nowhere yet. Batches of a binding rise from carrier
    to carrier, so that the highest one tells where it is, in whatever order manifests are read.
    """

    def __init__(self, carriers: Path) -> None:
        self._path = carriers / FILE
        self._known: dict[str, BindingHome] = {}
        if self._path.exists():
            content = json.loads(self._path.read_text())
            self._known = {binding: BindingHome(*said) for binding, said in content.items()}
        self._kept = self._to_keep()

    def of(self, binding: str) -> str:
        """The carrier of `binding`."""
        return self.home(binding).name

    def home(self, binding: str) -> BindingHome:
        """Where `binding` is at home."""
        return self._known.get(binding, BindingHome())

    def at(self, name: str) -> set[str]:
        """The bindings that are noted to be in carrier `name`."""
        return {binding for binding, home in self._known.items() if home.name == name}

    def enters(self, binding: str, name: str) -> bool:
        """Whether `binding` was not seen in carrier `name` since it was told to go on there with a savepoint."""
        home = self.home(binding)
        return home.name == name and home.savepoint is not None

    def note(self, binding: str, name: str, batch: int) -> None:
        """A run of `binding` began, or ended by itself, in carrier `name` in `batch`.

        What a batch tells afterwards changes nothing: of a pool, that wrote the savepoint with which a binding left; of
        a carrier from which it was brought over, with a savepoint that has not come in yet or into a pool.
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
        """`binding` is about to be carried in `name`, with `savepoint`: nobody else may carry it from now on.

        Raises `OSError`.
        """
        home = self.home(binding)
        if home.name != name:
            self._known[binding] = replace(home, name=name, savepoint=savepoint)
            self.keep()

    def leave(self, binding: str, savepoint: str | None) -> None:
        """`binding` is in no carrier any more; `savepoint` is all that it has kept. Raises `OSError`."""
        self._known[binding] = BindingHome(NOWHERE, self.home(binding).batch, savepoint)
        self.keep()

    def keep(self) -> None:
        """Write the file, if any binding has moved since it was written. Raises `OSError`."""
        kept = self._to_keep()
        if kept != self._kept:
            content = {binding: _written(home) for binding, home in self._known.items()}
            write_atomically(self._path, json.dumps(content).encode())
            self._kept = kept

    def _to_keep(self) -> dict[str, tuple[str, str | None]]:
        return {binding: (home.name, home.savepoint) for binding, home in self._known.items()}


def _written(home: BindingHome) -> list[str | int]:
    return [home.name, home.batch] if home.savepoint is None else [home.name, home.batch, home.savepoint]
