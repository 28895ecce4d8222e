"""The output of a command: sentences and tables for people, one JSON document (or JSON lines) for programs.

Everything from a server or a file goes through `clean`, so that it cannot control the terminal.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Timer
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

PROGRESS_AFTER_S = 1.0
UNBROKEN = 100_000
"""The width without a terminal: a program that reads lines needs them unbroken."""
_DIRECTIONS = (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Characters that change the direction of text: they can disguise a line."""
_SHOWN_ELSEWHERE = (0x7F, *range(0x80, 0xA0), 0x2028, 0x2029, *_DIRECTIONS)
_CONTROLS = {code: "\ufffd" for code in (*range(0x20), *_SHOWN_ELSEWHERE) if chr(code) not in "\n\t"}
_JSON_CONTROLS = {code: f"\\u{code:04x}" for code in _SHOWN_ELSEWHERE}


def clean(text: object) -> str:
    """Return `text` without control characters, which a terminal would execute."""
    return str(text).translate(_CONTROLS)


def clean_line(text: object) -> str:
    """Return `text` clean and on one line, so that none of it can look like the next line."""
    return clean(text).replace("\n", "\\n")


def _console(file: TextIO) -> Console:
    width = None if file.isatty() else UNBROKEN
    return Console(file=file, width=width, highlight=False, markup=False, emoji=False, soft_wrap=True)


class Screen:
    """Standard output for results, standard error for everything else.

    `json_`: results are only JSON; `lines`: every document on one line.
    """

    def __init__(self, *, json_: bool, lines: bool = False) -> None:
        self.json = json_
        self.lines = lines
        self.out = _console(sys.stdout)
        self.err = _console(sys.stderr)

    def say(self, text: object, style: str = "") -> None:
        """Print a line for people."""
        if not self.json:
            self.out.print(Text(clean(text), style=style))

    def note(self, text: object, style: str = "") -> None:
        """Print a line that isn't a result, to standard error."""
        self.err.print(Text(clean(text), style=style))

    def document(self, value: Any) -> None:
        """Print the one JSON document of this command; nothing without `--json`."""
        if self.json:
            self.raw(json.dumps(value, indent=None if self.lines else 2, ensure_ascii=False).translate(_JSON_CONTROLS))

    def json_line(self, value: Any) -> None:
        """Print one line of JSON."""
        self.raw(json.dumps(value, ensure_ascii=False).translate(_JSON_CONTROLS))

    def raw(self, text: str) -> None:
        """Print `text`, which is for another program, unchanged."""
        self.out.file.write(text if text.endswith("\n") else text + "\n")
        self.out.file.flush()

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Print a table for people, in the width of the terminal; without a terminal, with unbroken cells."""
        if self.json:
            return
        table = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
        for column in columns:
            table.add_column(clean(column), overflow="fold", no_wrap=not self.out.is_terminal)
        for row in rows:
            table.add_row(*(Text("-" if cell is None else clean(cell)) for cell in row))
        self.out.print(table, soft_wrap=False)

    @contextmanager
    def busy(self, doing: str) -> Iterator[Event]:
        """Show on a terminal that work is under way, after a second; the event is set once it shows."""
        showing = Event()
        if not self.err.is_terminal:
            yield showing
            return
        status = self.err.status(Text(clean(doing)))

        def show() -> None:
            status.start()
            showing.set()

        timer = Timer(PROGRESS_AFTER_S, show)
        timer.daemon = True
        timer.start()
        try:
            yield showing
        finally:
            timer.cancel()
            timer.join()
            status.stop()
