"""How far a run is, on standard error: a line that moves on a terminal, otherwise one now and then."""

import time
from collections.abc import Callable
from typing import IO, Final, Protocol

from rich.console import Console
from rich.progress import Progress as RichProgress
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

SECONDS_BETWEEN_LINES: Final = 10.0


class Progress(Protocol):
    """Hears of every row."""

    def read(self, rows: int) -> None:
        """So many rows more were read."""

    def close(self) -> None:
        """The run is over, well or not."""


class Silent:
    """Says nothing."""

    def read(self, rows: int) -> None:
        """As `Progress` says."""

    def close(self) -> None:
        """As `Progress` says."""


class Lines:
    """A line for each ten seconds."""

    def __init__(self, stream: IO[str], clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._told = clock()
        self._rows = 0

    def read(self, rows: int) -> None:
        """As `Progress` says."""
        self._rows += rows
        now = self._clock()
        if now - self._told >= SECONDS_BETWEEN_LINES:
            self._told = now
            self._stream.write(f"{self._rows:,} rows read\n")
            self._stream.flush()

    def close(self) -> None:
        """As `Progress` says."""


class Moving:
    """One line of a terminal, drawn again and again, and gone at the end."""

    def __init__(self, stream: IO[str]) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.completed:,.0f} rows read"), TimeElapsedColumn())
        self._drawn = RichProgress(*columns, console=Console(file=stream), transient=True)
        self._task = self._drawn.add_task("", total=None)
        self._drawn.start()

    def read(self, rows: int) -> None:
        """As `Progress` says."""
        self._drawn.advance(self._task, rows)

    def close(self) -> None:
        """As `Progress` says."""
        self._drawn.stop()


def progress_on(stream: IO[str], *, quiet: bool) -> Progress:
    """The progress that suits `stream`."""
    if quiet:
        return Silent()
    return Moving(stream) if stream.isatty() else Lines(stream)
