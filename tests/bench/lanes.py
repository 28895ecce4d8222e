"""An adapter for the benchmark only: a folder of files for each lane, registered like an installed package.

`site/` contains the files of an installation of that package: its entry point, on the path of every process.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from streaming.adapters.contract import Position
from streaming.adapters.file.adapter import FileAdapter
from streaming.adapters.file.options import FileOptions
from streaming.adapters.installed import installed_kinds
from streaming.adapters.kinds import InputKind
from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.strict import Strict
from streaming.wire.execution.case import ONLY_LANE
from streaming.wire.rows.arrived import Arrived

SITE = Path(__file__).parent / "site"


class LanesOptions(Strict):
    """`path` contains the folders "0", "1", ... of `lanes` lanes."""

    path: str
    lanes: int


class LanesOfFiles:
    """Several `file` adapters as the lanes of one input, which follows its folders."""

    def __init__(
        self, options: LanesOptions, stream: StreamDefinition, root: Path, journal: Path | None = None
    ) -> None:
        self._of = {
            str(lane): FileAdapter(
                FileOptions(path=f"{options.path}/{lane}", follow=True),
                stream,
                root,
                None if journal is None else journal / str(lane),
            )
            for lane in range(options.lanes)
        }

    def lanes(self) -> Sequence[str]:
        """Return the names of the lanes."""
        return tuple(self._of)

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """Return the latest position of each lane, with an even part of the limit."""
        part = max(1, limit_rows // len(self._of))
        return {
            lane: adapter.latest({ONLY_LANE: start.get(lane, 0)}, now=now, limit_rows=part)[ONLY_LANE]
            for lane, adapter in self._of.items()
        }

    def finished(self, positions: Mapping[str, Position]) -> bool:
        """Return False: it never ends."""
        return False

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """Read the files of the lane."""
        return self._of[lane].read(ONLY_LANE, start, end)


KIND = InputKind("lanes_of_files", "Lanes of files", LanesOptions, LanesOfFiles, sends_ctis=True)


def let_processes_know() -> None:
    """Register the adapter as an installed one in this process, and in every Python process that starts later."""
    known = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    root = str(Path(__file__).parents[2])
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([str(SITE), root, *filter(None, known)]))
    sys.path.insert(0, str(SITE))
    installed_kinds.cache_clear()
