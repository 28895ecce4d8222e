"""In which carrier each binding has what it keeps: noted when a run of it has begun there, kept in one file."""

import json
from pathlib import Path

from streaming.wire.results import write_atomically

MAIN = "main"
"""The shared carrier; a dedicated one is called as its binding."""
_FILE = "homes.json"


class BindingLocations:
    """`carriers/homes.json` of an organisation: binding to its carrier and the batch in which it was seen there last.

    A binding that is not in it is at home in the shared carrier, or nowhere yet. Batches of a binding rise from carrier
    to carrier, so that the highest one tells where it is, in whatever order manifests are read.
    """

    def __init__(self, carriers: Path) -> None:
        self._path = carriers / _FILE
        self._known: dict[str, tuple[str, int]] = {}
        if self._path.exists():
            content = json.loads(self._path.read_text())
            self._known = {binding: (name, batch) for binding, (name, batch) in content.items()}
        self._kept = self._names()

    def of(self, binding: str) -> str:
        """The carrier of `binding`."""
        return self._known.get(binding, (MAIN, 0))[0]

    def note(self, binding: str, name: str, batch: int) -> None:
        """A run of `binding` began, or ended by itself, in carrier `name` in `batch`."""
        known = self._known.get(binding)
        if (known is None and name == MAIN) or (known is not None and batch <= known[1]):
            return
        self._known[binding] = (name, batch)

    def keep(self) -> None:
        """Write the file, if any binding has moved since it was written. Raises `OSError`."""
        names = self._names()
        if names != self._kept:
            write_atomically(self._path, json.dumps(self._known).encode())
            self._kept = names

    def _names(self) -> dict[str, str]:
        return {binding: name for binding, (name, _) in self._known.items()}
