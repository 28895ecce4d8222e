"""The progress of a run on standard error: a bar on a terminal, otherwise a line now and then."""

import time
from collections.abc import Callable
from typing import IO, Final, Protocol

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress

from streaming.definition.counts import counted

SECONDS_BETWEEN_LINES: Final = 10.0


class Progress(Protocol):
    """Receives the progress of a run. The number of rows that it expects at the start is approximate."""

    def read(self, rows: int) -> None:
        """Count `rows` more rows."""

    def begin(self, stage: str) -> None:
        """Show the next stage in a word or two: it takes longer than a second and reads no row."""

    def close(self) -> None:
        """End: the run is over, well or not."""


class NoProgress:
    """Shows nothing."""

    def read(self, rows: int) -> None:
        """Ignore the rows."""

    def begin(self, stage: str) -> None:
        """Ignore the stage."""

    def close(self) -> None:
        """Do nothing."""


class ProgressLines:
    """A line every ten seconds, and one when a stage begins."""

    def __init__(self, stream: IO[str], expected: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._expected = expected
        self._clock = clock
        self._told = clock()
        self._rows = 0

    def read(self, rows: int) -> None:
        """Count `rows` more rows."""
        self._rows += rows
        now = self._clock()
        if now - self._told >= SECONDS_BETWEEN_LINES:
            self._told = now
            self._say(f"{counted(self._rows, 'row')} read{self._share()}")

    def begin(self, stage: str) -> None:
        """Show the next stage."""
        self._say(stage)

    def close(self) -> None:
        """Do nothing."""

    def _share(self) -> str:
        if not self._expected or self._rows > self._expected:
            return ""
        return f", {self._rows / self._expected:.0%} of about {self._expected:,}"

    def _say(self, line: str) -> None:
        self._stream.write(line + "\n")
        self._stream.flush()


class ProgressBar:
    """One line of a terminal, redrawn repeatedly and cleared at the end."""

    def __init__(self, stream: IO[str], expected: int | None) -> None:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.completed:,.0f} rows read"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        self._drawn = RichProgress(*columns, console=Console(file=stream), transient=True)
        self._task = self._drawn.add_task("reading", total=expected)
        self._expected = expected
        self._rows = 0
        self._drawn.start()

    def read(self, rows: int) -> None:
        """Count `rows` more rows."""
        self._rows += rows
        if self._expected is not None and self._rows > self._expected:
            self._expected = self._rows + self._rows // 4  # the estimate was too low: a full bar would look finished
            self._drawn.update(self._task, total=self._expected)
        self._drawn.update(self._task, completed=self._rows, description="reading")

    def begin(self, stage: str) -> None:
        """Show the next stage."""
        self._drawn.update(self._task, description=stage)

    def close(self) -> None:
        """Clear the bar."""
        self._drawn.stop()


def progress_on(stream: IO[str], *, quiet: bool, expected: int | None = None) -> Progress:
    """Return the progress display for `stream`, of a run that will read about `expected` rows; None: unknown."""
    if quiet:
        return NoProgress()
    return ProgressBar(stream, expected) if stream.isatty() else ProgressLines(stream, expected)
