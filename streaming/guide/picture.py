"""A story as an SVG: time from left to right, arrival from top to bottom, the CTI as a staircase between them.

Plain SVG with one style sheet, no script; light and dark by `prefers-color-scheme`. The same story gives the same text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from streaming.guide.lines import Bar, Line, PictureSection, describe, moment
from streaming.guide.scale import Scale, scale_over
from streaming.temporal.ticks import INFINITY, NO_CTI, ONE_TICK

WIDTH: Final = 720
_EDGE, _LABEL, _ROW, _HEAD, _AXIS, _LEGEND, _GAP = 14, 32, 24, 28, 34, 26, 10
_CHARACTER: Final = 6.7
"""Pixels for a character of the labels: wide enough for digits, so that labels never overlap."""
_SMALL: Final = 5.5
_THINNEST: Final = 8.0
"""Points and lifetimes narrower than this are drawn as a dot to stay visible."""
STYLE: Final = """
svg{--paper:#fff;--soft:#5d6875;--grid:#e4e8ed;--in:#2b6cb0;--out:#1f7a53;--moved:#a35a00;--lost:#b3261e;--cti:#7440ab;
color:#1c2430;font:12px system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif}
@media(prefers-color-scheme:dark){svg{--paper:#14181d;--soft:#9aa6b3;--grid:#2b333c;--in:#6ca8e8;--out:#52c194;
--moved:#e2aa4c;--lost:#f28b82;--cti:#bf9bf0;color:#e5eaf0}}
text{fill:currentColor}.soft{fill:var(--soft)}.head{font-weight:600}.tail{fill:var(--cti)}.small{font-size:11px}
.paper{fill:var(--paper);stroke:var(--grid)}.batch{stroke:var(--soft);stroke-opacity:.6;stroke-dasharray:1 3}
.grid{stroke:var(--grid)}.rule{stroke:var(--soft);stroke-opacity:.5}
.in{fill:var(--in)}.out{fill:var(--out)}.moved{fill:var(--moved)}
.unused{fill:var(--in);fill-opacity:.45}.replaced{fill:var(--out);fill-opacity:.4}
.before,.lost,.gone{fill:none;stroke-width:1.5;stroke-dasharray:4 3}
.before{stroke:var(--moved)}.lost,.gone{stroke:var(--lost)}.open{fill-opacity:.4}
.final{fill:var(--cti);fill-opacity:.1}.stair{fill:none;stroke:var(--cti);stroke-width:2;stroke-linejoin:round}
.mark{stroke:var(--cti);stroke-width:1.5;stroke-dasharray:2 3}
"""


@dataclass(frozen=True)
class _Frame:
    """The layout: the scale, and how many characters fit next to the plot."""

    scale: Scale
    label_room: int
    note_x: float


def draw(title: str, sections: Sequence[PictureSection]) -> str:
    """Return the picture of `sections`, with a description in words for readers who cannot see it."""
    frame = _frame(sections)
    body: list[str] = []
    y = float(_EDGE)
    for section in sections:
        body.extend(_section(section, y, frame))
        y += _height(section)
    bottom = y - _GAP + 4
    height = round(bottom + _AXIS + _LEGEND)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'role="img" aria-labelledby="title desc">'
    )
    description = " ".join(map(describe, sections))
    named = f'<title id="title">{escape(title)}</title><desc id="desc">{escape(description)}</desc>'
    paper = f'<rect class="paper" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>'
    axis, legend = _axis(frame.scale, bottom), _legend(sections, bottom + _AXIS + 8)
    return "\n".join([head, named, f"<style>{STYLE}</style>", paper, *axis, *body, *legend, "</svg>", ""])


def _frame(sections: Sequence[PictureSection]) -> _Frame:
    lines = [line for section in sections for line in section.lines]
    label_room = min(26, max((len(line.label) for line in lines), default=0))
    note_room = min(42, max((len(line.note) + len(line.tail) + 2 for line in lines), default=0))
    right = WIDTH - _EDGE - note_room * _CHARACTER - 12
    moments = [at for line in lines for bar in line.bars for at in (bar.start, bar.end)]
    moments += [at for line in lines for at in (line.cti, line.cti_after) if at is not None]
    moments += [at for section in sections for at in section.marks]
    left = _LABEL + max(label_room * _CHARACTER, 66) + 12
    return _Frame(scale_over(moments, left, right), label_room, right + 12)


def _height(section: PictureSection) -> int:
    marks = _ROW if section.marks else 0
    return _HEAD + _ROW * max(1, len(section.lines)) + marks + _GAP


def _section(section: PictureSection, top: float, frame: _Frame) -> list[str]:
    first = top + _HEAD
    below = first + _ROW * max(1, len(section.lines))
    drawn = [_text(_EDGE, top + 16, section.title, "head"), *_grid(frame.scale, first, top + _height(section))]
    drawn += _stairs(section.lines, first, frame.scale)
    if not section.lines:
        drawn.append(_text(frame.scale.left, first + 16, "nothing", "soft"))
    for number, line in enumerate(section.lines):
        drawn += _line(line, first + number * _ROW, frame)
    if section.marks:
        drawn += _marks(section.marks, (first, below), frame.scale)
    return drawn


def _line(line: Line, top: float, frame: _Frame) -> list[str]:
    middle = top + _ROW / 2
    label = line.label if len(line.label) <= frame.label_room else f"{line.label[: frame.label_room - 1]}…"
    drawn = [shape for bar in line.bars for shape in _bar(bar, middle, frame.scale)]
    if line.number is not None:
        drawn.append(_text(_LABEL - 7, middle + 4, str(line.number), "soft", "end"))
    drawn.append(_text(_LABEL, middle + 4, label, ""))
    if line.ends_batch:
        drawn.append(_batch_end(_LABEL, WIDTH - _EDGE, top + _ROW))
    if line.note:
        drawn.append(_text(frame.note_x, middle + 4, line.note, "soft"))
    if line.tail:
        drawn.append(_text(WIDTH - _EDGE, middle + 4, line.tail, "tail", "end"))
    return drawn


def _bar(bar: Bar, middle: float, scale: Scale) -> list[str]:
    left = scale.x(bar.start)
    right = scale.right if bar.end == INFINITY else scale.x(bar.end)
    if not bar.capped and (bar.end - bar.start == ONE_TICK or right - left < _THINNEST):
        return [f'<circle class="{bar.look}" cx="{_px(left)}" cy="{_px(middle)}" r="5"/>']
    is_open = " open" if bar.capped or bar.end == INFINITY else ""
    width = max(right - left, 1)
    hollow = bar.look in ("before", "lost", "gone")
    inset = 1 if hollow else 0
    sides = (left + inset, middle - 6 + inset, max(width - 2 * inset, 1), 12 - 2 * inset)
    drawn = [_rect(*sides, f"{bar.look}{is_open}", radius=0 if is_open else 3)]
    if bar.capped:
        drawn.append(_rect((left if bar.capped == "start" else right) - 2, middle - 8, 4, 16, bar.look, radius=1))
    elif bar.end == INFINITY:
        drawn.append(_rect(left - 2, middle - 8, 4, 16, bar.look, radius=1))
    return drawn


def _stairs(lines: Sequence[Line], top: float, scale: Scale) -> list[str]:
    """Draw the CTI of a stream as a staircase: vertical next to a row, horizontal where the row moved it."""
    steps = [(line.cti, line.cti_after) for line in lines if line.cti is not None and line.cti_after is not None]
    if all(after == NO_CTI for _, after in steps):
        return []
    points = []
    for number, (before, after) in enumerate(steps):
        y = top + number * _ROW
        points += [(scale.x(before), y), (scale.x(before), y + _ROW - 1), (scale.x(after), y + _ROW - 1)]
    points.append((points[-1][0], top + len(steps) * _ROW))
    shown = [point for point in points if point[0] > scale.left]
    begin = (scale.left, shown[0][1])
    corners = " ".join(f"{_px(x)},{_px(y)}" for x, y in [begin, *shown])
    end = f"{_px(scale.left)},{_px(points[-1][1])}"
    return [f'<polygon class="final" points="{corners} {end}"/>', f'<polyline class="stair" points="{corners}"/>']


def _marks(marks: Sequence[int], span: tuple[float, float], scale: Scale) -> list[str]:
    """Draw the CTIs of an output: a line through its rows for each, the number below it if there is room."""
    top, below = span
    drawn = [_text(_LABEL, below + 16, "CTIs", "soft")]
    free = scale.left - 100
    for mark in marks:
        x, words = scale.x(mark), moment(mark)
        drawn.append(f'<line class="mark" x1="{_px(x)}" x2="{_px(x)}" y1="{_px(top)}" y2="{_px(below + 4)}"/>')
        half = len(words) * _CHARACTER / 2
        if x - half > free:
            drawn.append(_text(x, below + 16, words, "tail small", "middle"))
            free = x + half + 4
    return drawn


def _grid(scale: Scale, top: float, bottom: float) -> list[str]:
    """Draw a vertical line at each round moment, from the first row to the end of a section."""
    at = (_px(scale.x(mark)) for mark in scale.marks())
    return [f'<line class="grid" x1="{x}" x2="{x}" y1="{_px(top)}" y2="{_px(bottom - _GAP + 4)}"/>' for x in at]


def _axis(scale: Scale, y: float) -> list[str]:
    ends = f'x1="{_px(scale.left)}" x2="{_px(scale.right)}" y1="{_px(y)}" y2="{_px(y)}"'
    marks = [_text(scale.x(mark), y + 16, moment(mark), "soft small", "middle") for mark in scale.marks()]
    return [
        *marks,
        f'<line class="rule" {ends}/>',
        _text(_EDGE, y + 16, "time, in UTC" if scale.dated else "time, in ticks", "soft small"),
    ]


_LEGENDS: Final = (
    ("moved", "late, and taken"),
    ("before", "before it was moved"),
    ("lost", "dropped"),
    ("unused", "in no result"),
    ("replaced", "replaced later"),
)


def _legend(sections: Sequence[PictureSection], y: float) -> list[str]:
    """Draw a legend of the less obvious signs that this picture uses."""
    looks = {bar.look for section in sections for line in section.lines for bar in line.bars}
    drawn, x = list[str](), float(_EDGE)
    if any(_stairs(section.lines, 0, Scale(0, 1, 0, 1)) for section in sections):
        words = "the CTI that each row met: time left of it is final"
        drawn.append(
            f'<polyline class="stair" points="{_px(x)},{_px(y - 9)} {_px(x)},{_px(y)} {_px(x + 14)},{_px(y)}"/>'
        )
        drawn.append(_text(x + 20, y, words, "soft small"))
        x += 20 + len(words) * _SMALL + 18
    for look, words in _LEGENDS:
        if look in looks:
            drawn += [_rect(x, y - 9, 18, 10, look, radius=3), _text(x + 24, y, words, "soft small")]
            x += 24 + len(words) * _SMALL + 18
    if any(line.ends_batch for section in sections for line in section.lines):
        drawn += [_batch_end(x, x + 18, y - 4), _text(x + 24, y, "end of a micro-batch", "soft small")]
    return drawn


def _batch_end(left: float, right: float, y: float) -> str:
    return f'<line class="batch" x1="{_px(left)}" x2="{_px(right)}" y1="{_px(y)}" y2="{_px(y)}"/>'


def _rect(x: float, y: float, width: float, height: float, look: str, *, radius: int) -> str:
    return f'<rect class="{look}" x="{_px(x)}" y="{_px(y)}" width="{_px(width)}" height="{_px(height)}" rx="{radius}"/>'


def _text(x: float, y: float, words: str, look: str, anchor: str = "start") -> str:
    style = f' class="{look}"' if look else ""
    side = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text{style} x="{_px(x)}" y="{_px(y)}"{side}>{escape(words)}</text>'


def _px(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
