"""Output: places and marks, nothing that controls a terminal, progress only where it is visible."""

import io
import json
from typing import Any

import pytest
from rich.console import Console

from webapp.client.outcomes import CommandFailure, ExitCode, without_tokens
from webapp.client.output import screen as screens
from webapp.client.output.faults import FaultPlace, located, place_of, show_faults
from webapp.client.output.screen import Screen, clean, clean_line


@pytest.mark.parametrize(
    ("text", "start", "end", "place"),
    [
        ("abc", 0, 1, FaultPlace(1, 1, 1)),
        ("abc", 1, 3, FaultPlace(1, 2, 2)),
        ("a\nbc\nd", 2, 4, FaultPlace(2, 1, 2)),
        ("a\nbc\nd", 3, 6, FaultPlace(2, 2, 1)),
        ("a\nbc", 4, 4, FaultPlace(2, 3, 1)),
        ("a\n", 2, 2, FaultPlace(2, 1, 1)),
        ("", 0, 0, FaultPlace(1, 1, 1)),
        ("abc", 7, 9, FaultPlace(1, 4, 1)),
        ("\U0001f600\u00e9 x", 3, 4, FaultPlace(1, 4, 1)),
    ],
)
def test_a_span_has_a_line_and_a_column_in_code_points(text: str, start: int, end: int, place: FaultPlace) -> None:
    assert place_of(text, {"start": start, "end": end}) == place


def printed_errors(text: str, start: int, end: int, **more: Any) -> list[str]:
    screen = Screen(json_=False)
    screen.err = Console(file=io.StringIO(), width=10_000, highlight=False, markup=False, soft_wrap=True)
    fault = {"code": "c", "severity": "error", "message": "m", "span": {"start": start, "end": end}, **more}
    show_faults(screen, [located(fault, "f", text)], {"f": text})
    assert isinstance(screen.err.file, io.StringIO)
    return screen.err.file.getvalue().splitlines()


def test_the_mark_is_under_its_words_also_after_wide_characters_and_tabs() -> None:
    lines = printed_errors("\t\u5b57 bad", 3, 6)
    assert lines[1] == "    1 |  \u5b57 bad"
    assert lines[2] == "      |     ^^^"


def test_a_very_long_line_is_cut_around_the_mark() -> None:
    lines = printed_errors("x" * 5_000 + " bad " + "y" * 5_000, 5_001, 5_004)
    assert len(lines[1]) < 200
    assert lines[1][lines[2].index("^") :].startswith("bad")


def test_a_fault_without_a_place_says_where_it_is_inside() -> None:
    screen = Screen(json_=False)
    screen.err = Console(file=io.StringIO(), width=10_000, highlight=False, markup=False)
    fault = {"code": "c", "severity": "warning", "node": "fast", "field": "where", "message": "m", "remedy": "r"}
    show_faults(screen, [fault], {})
    assert isinstance(screen.err.file, io.StringIO)
    assert screen.err.file.getvalue().splitlines() == ["warning c in fast where", "  m", "  r"]


HOSTILE = "a\x1b[2J\x9b31m\x07\x00b\r"


def test_what_comes_from_elsewhere_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen(json_=False)
    screen.say(HOSTILE)
    screen.note(HOSTILE)
    screen.table([HOSTILE], [[HOSTILE]])
    printed = capsys.readouterr()
    for character in "\x1b\x9b\x07\x00\r":
        assert character not in printed.out + printed.err
    assert clean(HOSTILE).count("\ufffd") == 5


def test_json_cannot_either_and_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen(json_=True)
    screen.json_line({HOSTILE: "\u00e9\x7f"})
    printed = capsys.readouterr().out
    assert "\x9b" not in printed
    assert "\u00e9" in printed
    assert json.loads(printed) == {HOSTILE: "\u00e9\x7f"}


@pytest.mark.parametrize("turning", ["\u202e", "\u2066", "\u200f", "\u061c", "\u2028", "\u2029"])
def test_a_line_cannot_be_shown_as_another_than_it_is(turning: str, capsys: pytest.CaptureFixture[str]) -> None:
    Screen(json_=False).say(f"-a{turning}b")
    Screen(json_=True).json_line(f"-a{turning}b")
    plain, written = capsys.readouterr().out.splitlines()
    assert plain == "-a\ufffdb"
    assert (turning in written, json.loads(written)) == (False, f"-a{turning}b")


def test_a_value_cannot_look_like_the_next_line() -> None:
    assert clean_line("a\n2026 ERROR b\x1b") == "a\\n2026 ERROR b\ufffd"


def test_brackets_are_printed_and_not_taken_for_markup(capsys: pytest.CaptureFixture[str]) -> None:
    Screen(json_=False).say("columns[1].of [bold] :smile:")
    assert capsys.readouterr().out == "columns[1].of [bold] :smile:\n"


def test_progress_is_for_terminals_and_only_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    for terminal, after_s, seen in ((True, 0.0, True), (True, 60.0, False), (False, 0.0, False)):
        monkeypatch.setattr(screens, "PROGRESS_AFTER_S", after_s)
        screen = Screen(json_=False)
        screen.err = Console(file=io.StringIO(), force_terminal=terminal, width=80)
        with screen.busy("Planning") as started:
            assert started.wait(30 if seen else 0) is seen
        assert isinstance(screen.err.file, io.StringIO)
        assert ("Planning" in screen.err.file.getvalue()) is seen


def test_a_failure_repeats_no_token() -> None:
    assert CommandFailure(ExitCode.USAGE, "no pct_0a_secret here").message == "no pct_... here"
    assert without_tokens("pct_a_b, pct_c_d") == "pct_... pct_..."
