"""Generated rows; while a file in the organisation's folder exists, reading hangs, fails or breaks shared code."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NoReturn

from streaming.adapters.contract import AdapterError, Position
from streaming.adapters.generator.adapter import GeneratorAdapter
from streaming.adapters.generator.options import GeneratorOptions
from streaming.adapters.kinds import InputKind
from streaming.definition.streams.stream import StreamDefinition
from streaming.spark.source.lane_clocks import write_clocks
from streaming.wire.rows.arrived import Arrived

_LOOK_S: Final = 0.05


class TroubleAdapter(GeneratorAdapter):
    """While `root` has a file `hang`, reading blocks; with `fail`, the source is down; with `break`, the task fails."""

    def __init__(
        self, options: GeneratorOptions, stream: StreamDefinition, root: Path, journal: Path | None = None
    ) -> None:
        super().__init__(options, stream, root, journal)
        self._root = root

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """Return what the generator returns, sooner or later."""
        if (self._root / "fail").exists():
            raise AdapterError("The source is away.", domain="external")
        if (self._root / "break").exists():
            _break_task()
        never = threading.Event()
        while (self._root / "hang").exists():
            never.wait(_LOOK_S)
        yield from super().read(lane, start, end)


def _break_task() -> None:
    """Let this process fail when it writes the clocks of its task, which all bindings share."""
    from streaming.spark.source import feed  # not in processes that only check options

    def fail(*_: object) -> NoReturn:
        feed.write_clocks = write_clocks
        raise ArithmeticError

    feed.write_clocks = fail


KIND = InputKind("trouble", "Trouble", GeneratorOptions, TroubleAdapter, sends_ctis=False)
