"""Progress: a line now and then where nobody watches, one that moves on a terminal."""

import io

from streaming.run.progress import NoProgress, ProgressBar, ProgressLines, progress_on


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_lines_come_every_ten_seconds() -> None:
    now = 0.0
    stream = io.StringIO()
    lines = ProgressLines(stream, 10_000, lambda: now)
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
    now = 30.0
    lines.read(9_000)
    lines.begin("writing the results")
    assert stream.getvalue().splitlines() == [
        "1,500 rows read, 15% of about 10,000",
        "2,500 rows read, 25% of about 10,000",
        "11,500 rows read",
        "writing the results",
    ]


def test_a_terminal_gets_a_line_that_moves_and_is_gone_at_the_end() -> None:
    terminal = Terminal()
    progress = progress_on(terminal, quiet=False, expected=28)
    assert isinstance(progress, ProgressBar)
    progress.begin("starting Spark")
    progress.read(7)
    progress.close()
    progress.close()
    assert "7 rows read" in terminal.getvalue()
    assert "25%" in terminal.getvalue()


def test_a_low_estimate_does_not_show_a_finished_run() -> None:
    terminal = Terminal()
    progress = progress_on(terminal, quiet=False, expected=5)
    progress.read(7)
    progress.close()
    assert "7 rows read" in terminal.getvalue()
    assert "100%" not in terminal.getvalue()


def test_quiet_shows_nothing() -> None:
    assert isinstance(progress_on(Terminal(), quiet=True), NoProgress)
    assert isinstance(progress_on(io.StringIO(), quiet=False), ProgressLines)
