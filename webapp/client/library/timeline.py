"""The picture of a simulation for notebooks: SVG and HTML without scripts and without colours of their own.

Forms and words carry the meaning, and everything is drawn in the text colour of the page, light or dark.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from html import escape
from typing import TYPE_CHECKING, Any, Final
from unicodedata import east_asian_width

from ..output.screen import clean_line
from .things import moment

if TYPE_CHECKING:
    from .simulations import CtiStairs, RowOutcome, SimulatedResult, SimulationResult

MOST_DRAWN: Final = 200
"""Rows of an input or of an output in the picture and in the table; a sentence counts the others."""
LEFT, PLOT, RIGHT, LINE, TOP = 210, 500, 290, 20, 44
"""Pixels: the columns of rows, times and outcomes, the height of a row, and the head of a part."""
CHARACTER: Final = 6.7
"""Pixels of a character of the font."""
_WORDS: Final = {
    "in_time": "in time",
    "late": "late, taken as it is",
    "adjusted": "adjusted",
    "dropped": "dropped",
    "malformed": "malformed",
    "repeated": "repeated",
}
_STEPS: Final = tuple(
    base * unit
    for unit, bases in (
        (1, (1, 2, 5, 10, 20, 50, 100, 200, 500)),
        (1_000, (1, 2, 5, 10, 20, 50, 100, 200, 500)),
        (1_000_000, (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800)),
        (3_600_000_000, (1, 2, 3, 6, 12, 24, 48, 168, 720, 2_160, 8_760)),
    )
    for base in bases
)
"""Distances of times on the axis, in ticks."""
_STYLE: Final = (
    "<style>svg{color:#1b1f24;background:#fff}@media(prefers-color-scheme:dark){svg{color:#e6e9ed;background:#14171b}}"
    "</style>"
)
_NOT_IN_XML: Final = dict.fromkeys((*range(0xD800, 0xE000), 0xFFFE, 0xFFFF), "\ufffd")


@dataclass(frozen=True)
class TimeScale:
    """Places of ticks on the axis; infinity (None) is its right end."""

    first: int
    last: int

    @classmethod
    def of(cls, instants: Iterable[int]) -> "TimeScale":
        """Return the scale that holds these times, with room at both ends."""
        found = list(instants) or [0]
        room = max(1, (max(found) - min(found)) // 25)
        return cls(min(found) - room, max(found) + room)

    def x(self, tick: int | None) -> float:
        """Return the place in pixels."""
        if tick is None or tick >= self.last:
            return LEFT + PLOT
        return LEFT + PLOT * (max(tick, self.first) - self.first) / (self.last - self.first)

    def marks(self) -> list[int]:
        """Return the times to write at the axis, five or fewer."""
        length = self.last - self.first
        step = next((each for each in _STEPS if length <= 5 * each), _STEPS[-1] * (1 + length // (5 * _STEPS[-1])))
        return list(range(-(-self.first // step) * step, self.last + 1, step))


def written_time(tick: int | None) -> str:
    """Return a time without its date, the tick itself outside the calendar."""
    at = moment(tick)
    if at is None:
        return "infinity" if tick is None else f"tick {tick}"
    return f"{at:%H:%M:%S.%f}".rstrip("0").rstrip(".")


def written_length(ticks: int) -> str:
    """Return a length in the largest unit with all its digits, for example `1.5 s`."""
    for unit, size in (("h", 3_600_000_000), ("min", 60_000_000)):
        if ticks >= size and ticks % size == 0:
            return f"{ticks // size} {unit}"
    unit, size = ("s", 1_000_000) if ticks >= 1_000_000 else ("ms", 1_000) if ticks >= 1_000 else ("µs", 1)
    return f"{ticks / size:.6f}".rstrip("0").rstrip(".") + f" {unit}"


def outcome_words(row: "RowOutcome") -> str:
    """Return the outcome in a few words: the category, by how much, and the reason."""
    if row.outcome is None:
        return {"cti": f"CTI {written_time(row.start)}", "heartbeat": "heartbeat"}.get(row.kind, "read by no input")
    words = [_WORDS.get(row.category or "", row.outcome)]
    if row.moved_by:
        words.append(f"by {written_length(row.moved_by)}")
    elif row.lateness:
        words[0] += f", late by {written_length(row.lateness)}"
    if row.reason not in (None, "before_cti"):
        words.append(f"({str(row.reason).replace('_', ' ')})")
    return " ".join(words)


def summary_of(result: "SimulationResult") -> str:
    """Return the counts of all rows by category."""
    counts: dict[str, int] = {}
    for row in result.rows:
        if row.outcome is not None:
            words = _WORDS.get(row.category or "", row.outcome)
            counts[words] = counts.get(words, 0) + 1
    parts = ", ".join(f"{words}: {count:,}" for words, count in counts.items())
    return f"Rows: {sum(counts.values()):,}" + (f" ({parts})" if parts else "")


def svg_of(result: "SimulationResult") -> str:
    """Return a picture that can be a file: with its own background, light or dark as the system prefers."""
    return _svg(result, 'xmlns="http://www.w3.org/2000/svg"', _STYLE)


def html_of(result: "SimulationResult") -> str:
    """Return the summary, the picture in the colours of the page, sentences, and the rows as a table."""
    notes = "".join(f"<li>{_text(each)}</li>" for each in (*result.holding, *result.failures))
    rows = result.rows[:MOST_DRAWN]
    cells = (
        (row.number, row.stream, _payload(row.payload), written_time(row.start), outcome_words(row), " ".join(row.why))
        for row in rows
    )
    lines = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in line)}</tr>" for line in cells)
    head = "".join(f"<th>{each}</th>" for each in ("Row", "Stream", "Payload", "Start", "Outcome", "Why"))
    return (
        f"<div><p>{_text(summary_of(result))}</p>{_svg(result)}"
        f"{f'<ul>{notes}</ul>' if notes else ''}"
        f"<details><summary>Why, row by row</summary><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{lines}</tbody></table>{_paragraph(_left_out(len(result.rows)))}</details></div>"
    )


def _svg(result: "SimulationResult", attributes: str = "", style: str = "") -> str:
    parts: list[str] = []
    height = 0
    scale = TimeScale.of(_instants(result))
    inputs = list(dict.fromkeys(row.input for row in result.rows))
    for node in inputs:
        stairs = next((each for each in result.ctis if each.node == node), None)
        rows = [row for row in result.rows if row.input == node]
        title = "Rows that no input reads." if node is None else f"Input {node}, in order of arrival."
        part = _Part(scale, height, title, len(rows))
        parts.append(part.of_input(rows[:MOST_DRAWN], stairs, len(result.rows)))
        height += part.height
    for output, found in result.outputs.items():
        part = _Part(scale, height, f"Output {output}, at the end of the sample.", len(found))
        parts.append(part.of_output(sorted(found, key=lambda row: row.start)[:MOST_DRAWN]))
        height += part.height
    width = LEFT + PLOT + RIGHT
    label = _text(f"Timeline. {summary_of(result)}")
    return (
        f'<svg {attributes} role="img" aria-label="{label}" viewBox="0 0 {width} {height}" width="100%" '
        f'style="max-width:{width}px" font-family="monospace" font-size="11" fill="currentColor" '
        f'stroke="currentColor" stroke-width="0">{style}<title>{label}</title>{"".join(parts)}</svg>'
    )


def _instants(result: "SimulationResult") -> Iterator[int]:
    """Yield the finite times of all rows in the picture."""
    for row in result.rows:
        yield from (each for each in (row.start, row.end, row.kept_start, row.kept_end) if each is not None)
    for rows in result.outputs.values():
        yield from (each for row in rows for each in (row.start, row.end) if each is not None)


@dataclass(frozen=True)
class _Part:
    """The part of the picture of one input or one output, `top` pixels from its upper edge."""

    scale: TimeScale
    top: int
    title: str
    rows: int

    @property
    def height(self) -> int:
        """The height in pixels: the head, a line for each row, and one for the sentence on the others."""
        return TOP + LINE * (min(self.rows, MOST_DRAWN) + 2)

    def of_input(self, rows: Sequence["RowOutcome"], stairs: "CtiStairs | None", last: int) -> str:
        """Draw rows, their outcomes, and the CTIs that they met."""
        pieces = [*self._head("" if stairs is None else "Rows left of the thick line, the CTI, are late.")]
        for place, row in enumerate(rows):
            y = self._y(place)
            label = f"{row.number} {_payload(row.payload)}" if row.payload is not None else f"{row.number} {row.kind}"
            pieces += [_label(4, y, label, LEFT - 8), *self._outcome(row, y)]
            pieces.append(_label(LEFT + PLOT + 8, y, outcome_words(row), RIGHT - 12, " ".join(row.why)))
        if stairs is not None:
            pieces.append(self._stairs([row.number - 1 for row in rows], stairs, last))
        return "".join(pieces)

    def of_output(self, rows: Sequence["SimulatedResult"]) -> str:
        """Draw result rows with their payloads."""
        pieces = [*self._head("")]
        for place, row in enumerate(rows):
            y = self._y(place)
            made = f"from {', '.join(map(str, row.rows))}"
            pieces += [_label(4, y, made, LEFT - 8), self._bar(row.start, row.end, y, "taken")]
            pieces.append(_label(LEFT + PLOT + 8, y, _payload(row.payload), RIGHT - 12, " ".join(row.why)))
        return "".join(pieces)

    def _y(self, place: int) -> int:
        return self.top + TOP + LINE * place

    def _head(self, hint: str) -> Iterator[str]:
        title = f'<tspan font-weight="bold">{_text(self.title)}</tspan>'
        yield f'<text x="4" y="{self.top + 14}">{title} {_text(hint)}</text>'
        bottom = self.top + self.height - LINE
        for mark in self.scale.marks():
            x = self.scale.x(mark)
            yield f'<text x="{x:.1f}" y="{self.top + 34}" text-anchor="middle">{_text(written_time(mark))}</text>'
            yield f'<path d="M{x:.1f} {self.top + TOP - 4}V{bottom}" stroke-width="1" stroke-opacity=".2"/>'
        day = _day(self.scale)
        yield _label(4, self.top + LINE, day, LEFT - 40)
        yield _label(4, bottom - LINE, _left_out(self.rows), LEFT + PLOT)

    def _outcome(self, row: "RowOutcome", y: int) -> Iterator[str]:
        """Draw the row as it came if it was changed or not taken, and as it was taken."""
        if row.start is None:
            return
        if not row.kept:
            is_mark = row.outcome is None
            yield self._bar(row.start, row.end, y, "mark" if is_mark else "not taken")
            return
        if (row.start, row.end) != (row.kept_start, row.kept_end) and row.kept_start is not None:
            yield self._bar(row.start, row.end, y, "moved")
            left, right = self.scale.x(row.start), self.scale.x(row.kept_start)
            yield f'<path d="M{left:.1f} {y + 10}H{right:.1f}" stroke-width="1"/>'
        yield self._bar(row.kept_start, row.kept_end, y, "late" if row.category == "late" else "taken")

    def _bar(self, start: int | None, end: int | None, y: int, form: str) -> str:
        """Draw a lifetime; a point as a diamond, an open end as an arrow, a row that was not taken with a cross."""
        left, right = self.scale.x(start), self.scale.x(end)
        dashes = 'stroke-dasharray="3 2"' if form in ("not taken", "moved", "late") else ""
        fill = ".35" if form in ("taken", "late") else "0"
        look = f'fill-opacity="{fill}" stroke-width="1.2" {dashes}'
        if form == "mark":
            shape = f'<path d="M{left:.1f} {y + 3}V{y + 17}" stroke-width="2"/>'
        elif end is not None and right - left < 3:
            shape = f'<path d="M{left - 4:.1f} {y + 10}l5 -5l5 5l-5 5z" {look}/>'
        else:
            shape = f'<rect x="{left:.1f}" y="{y + 5}" width="{max(1.0, right - left):.1f}" height="10" {look}/>'
        if end is None and form != "mark":
            shape += f'<path d="M{right - 5:.1f} {y + 5}l5 5l-5 5" fill="none" stroke-width="1.5"/>'
        if form == "not taken":
            middle = (left + right) / 2 if right - left >= 3 else left + 1
            shape += f'<path d="M{middle - 4:.1f} {y + 6}l8 8m0 -8l-8 8" fill="none" stroke-width="1.8"/>'
        return shape

    def _stairs(self, passed: Sequence[int], stairs: "CtiStairs", last: int) -> str:
        """Draw the CTI that each row met, and at the lower end the CTI after the sample."""
        path = ""
        for place, after in enumerate((*passed, last + 1 if self.rows <= MOST_DRAWN else passed[-1] + 1)):
            is_there, at = stairs.at(after)
            if is_there:
                x, y = self.scale.x(at), self._y(place)
                path += f"H{x:.1f}V{y + LINE}" if path else f"M{x:.1f} {y}V{y + LINE}"
        return f'<path d="{path}" fill="none" stroke-width="2.5"/>' if path else ""


def _day(scale: TimeScale) -> str:
    days = [at.astimezone(UTC).date().isoformat() for at in (moment(scale.first), moment(scale.last)) if at is not None]
    return f"{' to '.join(dict.fromkeys(days))} UTC" if days else ""


def _label(x: float, y: int, text: str, width: float, more: str = "") -> str:
    """Write a text that fits the width; the whole text is its tooltip."""
    if not text:
        return ""
    shown, left = "", int(width / CHARACTER)
    for place, character in enumerate(text):
        left -= 2 if east_asian_width(character) in "WF" else 1
        if left < (1 if place < len(text) - 1 else 0):
            shown += "…"
            break
        shown += character
    title = f"{text} {more}" if more else text
    tooltip = f"<title>{_text(title)}</title>" if title != shown else ""
    return f'<text x="{x:.1f}" y="{y + 14}">{_text(shown)}{tooltip}</text>'


def _payload(payload: Mapping[str, Any] | None) -> str:
    if payload is None:
        return ""
    values = (
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in payload.items()
    )
    return ", ".join(values)


def _left_out(rows: int) -> str:
    if rows <= MOST_DRAWN:
        return ""
    return f"The first {MOST_DRAWN} of {rows:,} are drawn; `rows`, `results()` and `answer` have all of them."


def _paragraph(text: str) -> str:
    return f"<p>{_text(text)}</p>" if text else ""


def _text(value: object) -> str:
    """Return a value as text of HTML and XML, which neither ends an element nor contains a forbidden character."""
    return escape(clean_line(value).translate(_NOT_IN_XML))
