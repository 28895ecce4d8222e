"""Progress: a line now and then where nobody watches, one that moves on a terminal."""

import io

from streaming.run.progress import Lines, Moving, Silent, progress_on


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_lines_come_every_ten_seconds() -> None:
    now = 0.0
    stream = io.StringIO()
    lines = Lines(stream, lambda: now)
    lines.read(900)
    now = 9.9
    lines.read(100)
    assert stream.getvalue() == ""
    now = 10.0
    lines.read(500)
    now = 12.0
    lines.read(500)
    now = 20.0
    lines.read(500)
    assert stream.getvalue() == "1,500 rows read\n2,500 rows read\n"


def test_a_terminal_gets_a_line_that_moves_and_is_gone_at_the_end() -> None:
    terminal = Terminal()
    progress = progress_on(terminal, quiet=False)
    assert isinstance(progress, Moving)
    progress.read(7)
    progress.close()
    progress.close()
    assert "7 rows read" in terminal.getvalue()


def test_who_wants_quiet_gets_it() -> None:
    assert isinstance(progress_on(Terminal(), quiet=True), Silent)
    assert isinstance(progress_on(io.StringIO(), quiet=False), Lines)
