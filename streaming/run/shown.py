"""Errors for a terminal: the place, the sentence, and the marked line of a text."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from streaming.definition.faults import Fault, Span


def shown_faults(path: Path, text: str | None, faults: Iterable[Fault]) -> list[str]:
    """Return lines for the `faults` of the query in `path`; those with a span also show their place in `text`."""
    lines: list[str] = []
    for fault in faults:
        where = _where(fault)
        place = f"{path}"
        if fault.span is not None and text is not None:
            line, column = line_and_column(text, fault.span.start)
            place, where = f"{path}:{line}:{column}", ""
        lines.append(f"{place}: {fault.severity} {fault.code}: {where}{fault.message} {fault.remedy}")
        if fault.span is not None and text is not None:
            lines += marked(text, fault.span)
    return lines


def _where(fault: Fault) -> str:
    if fault.node is None:
        return ""
    inside = f", {fault.field}" if fault.field else ""
    at = f" at character {fault.at + 1}" if fault.at is not None else ""
    return f"node {fault.node}{inside}{at}: "


def line_and_column(text: str, at: int) -> tuple[int, int]:
    """Return the line and the column of the code point `at`, both from 1."""
    before = text[:at]
    return before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1


def marked(text: str, span: Span) -> Iterator[str]:
    """Yield the line in which `span` starts, and below it marks for the part of the span in that line."""
    number, column = line_and_column(text, span.start)
    line = text.split("\n")[number - 1].rstrip("\r")
    width = max(min(span.end - span.start, len(line) - column + 1), 1)
    before = "".join("\t" if character == "\t" else " " for character in line[: column - 1])
    yield f"{number:>5} | {line}"
    yield f"      | {before}{'^' * width}"


def faults_json(text: str | None, faults: Iterable[Fault]) -> str:
    """Return all errors as one JSON object; with `line` and `column` in a text."""
    rows = []
    for fault in faults:
        row = fault.model_dump(mode="json")
        if fault.span is not None and text is not None:
            row["line"], row["column"] = line_and_column(text, fault.span.start)
        rows.append(row)
    return json.dumps({"faults": rows}, ensure_ascii=False)
