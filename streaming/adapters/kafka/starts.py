"""Start offsets of a topic's lanes: decided at the first batch and journaled permanently."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from streaming.adapters.contract import AdapterError, Position
from streaming.storage.results import write_atomically

_FILE: Final = "starts.json"


@dataclass(frozen=True)
class LaneStarts:
    """The topic's id, and the first offset to read in each lane."""

    topic: str
    first: Mapping[str, Position]


class StartJournal:
    """Stores `LaneStarts` in the folder `journal`; only in memory if that is None (previews)."""

    def __init__(self, journal: Path | None) -> None:
        self._file = None if journal is None else journal / _FILE
        self._known: LaneStarts | None = None

    def read(self) -> LaneStarts | None:
        """Return the stored starts, None if nothing is stored yet. Raises `AdapterError`, `OSError`."""
        if self._file is not None:
            try:
                content = json.loads(self._file.read_bytes())
                self._known = LaneStarts(content["topic"], content["first"])
            except FileNotFoundError:
                self._known = None
            except (ValueError, KeyError):
                raise AdapterError(
                    f"The journal {_FILE} of a topic is damaged. Start the binding from the beginning."
                ) from None
        return self._known

    def write(self, starts: LaneStarts) -> None:
        """Store `starts`. Raises `OSError`."""
        self._known = starts
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._file, json.dumps({"topic": starts.topic, "first": starts.first}).encode())
