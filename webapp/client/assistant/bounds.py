"""Bounds of everything that an assistant reads: rows, characters, errors; and what a bound left out."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ..outcomes import CommandFailure, without_tokens
from ..output.screen import clean

MOST_ROWS: Final = 100
MOST_CHARACTERS: Final = 60_000
MOST_FAULTS: Final = 20
LONGEST_FAULT: Final = 1_000
CUT: Final = "\n[Cut after {most:,} of {all:,} characters. Ask for less at once.]"


def some(rows: Sequence[Any], most: int = MOST_ROWS, show: Callable[[Any], Any] = lambda row: row) -> dict[str, Any]:
    """Return the first `most` rows, and how many were left out if any were."""
    shown: dict[str, Any] = {"rows": [show(row) for row in rows[:most]]}
    return shown if len(rows) <= most else {**shown, "left_out": len(rows) - most}


def bounded_text(value: Any) -> str:
    """Return text as it is, everything else as JSON: without tokens and control characters, and with its end cut."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1, default=str)
    text = clean(without_tokens(text))
    if len(text) <= MOST_CHARACTERS:
        return text
    return text[:MOST_CHARACTERS] + CUT.format(most=MOST_CHARACTERS, all=len(text))


def failure_text(failure: CommandFailure) -> str:
    """Return a refusal as sentences: what is wrong, then each error with its remedy and its place."""
    lines = [failure.message, *(f"- {fault_text(each)}" for each in failure.faults[:MOST_FAULTS])]
    if (more := len(failure.faults) - MOST_FAULTS) > 0:
        lines.append(f"- Further errors are left out: {more}. Fix these first.")
    return bounded_text("\n".join(lines))


def fault_text(fault: Mapping[str, Any]) -> str:
    """Return an error or a warning with its remedy and its place."""
    place = ":".join(str(fault[name]) for name in ("file", "line", "column") if fault.get(name))
    where = place or fault.get("field") or fault.get("node") or ""
    words = " ".join(str(fault[name]) for name in ("message", "remedy") if fault.get(name))
    return f"{where}: {words}"[:LONGEST_FAULT] if where else words[:LONGEST_FAULT]
