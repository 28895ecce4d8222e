"""Generated rows, whose reading hangs or fails for as long as a file in the organisation's folder says so."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from streaming.adapters.contract import AdapterError, Position
from streaming.adapters.generator.adapter import GeneratorAdapter
from streaming.adapters.generator.options import GeneratorOptions
from streaming.adapters.kinds import InputKind
from streaming.definition.streams import StreamDefinition
from streaming.wire.arrived import Arrived

_LOOK_S: Final = 0.05


class TroubleAdapter(GeneratorAdapter):
    """While there is a file `hang` or `fail` in `root`, who reads hears nothing, or that the source is away."""

    def __init__(
        self, options: GeneratorOptions, stream: StreamDefinition, root: Path, journal: Path | None = None
    ) -> None:
        super().__init__(options, stream, root, journal)
        self._root = root

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """As the generator does, sooner or later."""
        if (self._root / "fail").exists():
            raise AdapterError("The source is away.", domain="external")
        never = threading.Event()
        while (self._root / "hang").exists():
            never.wait(_LOOK_S)
        yield from super().read(lane, start, end)


KIND = InputKind("trouble", "Trouble", GeneratorOptions, TroubleAdapter, sends_ctis=False)
