"""Errors for people: the place, the source line with a mark under it, what is wrong and what to do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from .screen import Screen, clean

MOST_SHOWN = 160
"""Most characters of a source line that are shown; of a longer one, those around the mark."""
STYLES = {"error": "bold red", "warning": "bold yellow"}


@dataclass(frozen=True)
class FaultPlace:
    """A place in a text: line and column count from 1, `length` in characters of that line."""

    line: int
    column: int
    length: int = 1


def place_of(text: str, span: Mapping[str, int]) -> FaultPlace:
    """Return the start of the span (code points, half open). A span over several lines ends with its first line."""
    start = max(0, min(span["start"], len(text)))
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    end = min(span["end"], len(text) if line_end < 0 else line_end)
    return FaultPlace(text.count("\n", 0, start) + 1, start - line_start + 1, max(1, end - start))


def located(fault: Mapping[str, Any], file: str | None, text: str | None) -> dict[str, Any]:
    """Return the error with `file`, `line` and `column`, None if unknown."""
    span = fault.get("span")
    place = place_of(text, span) if span is not None and text is not None else None
    known = {"file": file, "line": place.line if place else None, "column": place.column if place else None}
    return {**fault, **{name: fault.get(name) or value for name, value in known.items()}}


def is_error(fault: Mapping[str, Any]) -> bool:
    """Return whether this is an error; a warning refuses nothing."""
    return bool(fault.get("severity") != "warning")


def show_faults(screen: Screen, faults: Sequence[Mapping[str, Any]], texts: Mapping[str, str]) -> None:
    """Print errors and warnings to standard error; `texts` are the files that they may refer to."""
    if screen.json:
        return
    for fault in faults:
        text = texts.get(fault.get("file") or "")
        _show(screen, located(fault, None, text), text)


def _show(screen: Screen, fault: Mapping[str, Any], text: str | None) -> None:
    severity = str(fault.get("severity") or "error")
    where = ":".join(str(fault[name]) for name in ("file", "line", "column") if fault.get(name) is not None)
    head = Text()
    if where:
        head.append(clean(where) + ": ", style="bold")
    head.append(clean(severity), style=STYLES.get(severity, ""))
    head.append(clean(f" {fault.get('code', '')}"))
    inside = " ".join(str(fault[name]) for name in ("node", "field") if fault.get(name))
    if inside:
        head.append(clean(f" in {inside}"), style="dim")
    screen.err.print(head)
    if fault.get("line") is not None and text is not None:
        _show_source(screen, fault, text)
    for name in ("message", "remedy"):
        if fault.get(name):
            screen.note(f"  {fault[name]}")


def _show_source(screen: Screen, fault: Mapping[str, Any], text: str) -> None:
    lines = text.split("\n")
    number, column = int(fault["line"]), int(fault.get("column") or 1)
    if not 1 <= number <= len(lines):
        return
    span = fault.get("span")
    length = place_of(text, span).length if span is not None else 1
    line = clean(lines[number - 1]).replace("\t", " ")
    first = max(0, column - 1 - MOST_SHOWN // 2) if len(line) > MOST_SHOWN else 0
    shown = line[first : first + MOST_SHOWN]
    before = shown[: column - 1 - first]
    marked = shown[column - 1 - first : column - 1 - first + length]
    margin = f"{number:>5} | "
    screen.note(f"{margin}{shown}")
    mark = Text(" " * (len(margin) - 2) + "| " + " " * cell_len(before))
    mark.append("^" * max(1, cell_len(marked)), style=STYLES.get(str(fault.get("severity")), "bold red"))
    screen.err.print(mark)
