"""An explanation as text for a terminal of 100 columns."""

import textwrap
from collections.abc import Iterator, Mapping
from typing import Final

from streaming.definition.faults import Fault
from streaming.planning.explain.model import (
    BoundedBy,
    ExplainedClock,
    ExplainedNode,
    ExplainedPath,
    ExplainedStage,
    ExplainedState,
    Explanation,
)
from streaming.planning.explain.words import below, code, printable

WIDTH: Final = 100
_LABEL_WIDTH: Final = 11
BOUNDS: Final[Mapping[BoundedBy, str]] = {
    "cti": "freed by CTIs",
    "lanes": "one for each lane",
    "keys": "bounded by the number of keys, which are never freed",
    "open_edges": "bounded by the number of open edges",
    "pause": "a group that never pauses is never freed",
    "next_event": "bounded by the number of groups, which are never freed",
    "nothing": "UNBOUNDED",
}
"""The meaning of each bound."""


def explain_text(e: Explanation) -> str:
    """Return `e` as lines of at most 100 characters, unless a word of the user is longer; ends with a line feed."""
    fields = {node.id: _fields(node.fields) for node in e.nodes}
    lines = [
        *_heading(f"QUERY {e.query}"),
        *(line for sentence in (e.buckets, *e.summary) for line in _wrap(sentence, "  ")),
        *_heading("STAGES"),
        *(line for stage in e.stages for line in _stage(stage)),
        *_heading("NODES"),
        *(line for node in e.nodes for line in _node(node, fields)),
        *_heading("FROM INPUT TO OUTPUT"),
        *(line for path in e.paths for line in _path(path)),
        *(_heading("WARNINGS") if e.warnings else ()),
        *(line for fault in e.warnings for line in _fault(fault)),
    ]
    kept = (line for line, before in zip(lines, ["", *lines], strict=False) if line or before)
    return "\n".join(printable(line.rstrip()) for line in kept).rstrip() + "\n"


def _heading(title: str) -> tuple[str, str]:
    """Return a title after an empty line; the caller removes duplicate empty lines."""
    return "", title


def _wrap(text: str, first: str, rest: str | None = None) -> list[str]:
    """Wrap `text` after `first`; from the second line on, after `rest` (None: the same indent)."""
    following = " " * len(first) if rest is None else rest
    return textwrap.wrap(
        " ".join(text.split("\n")),
        WIDTH,
        initial_indent=first,
        subsequent_indent=following,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first]


def _label(label: str, *texts: str) -> Iterator[str]:
    """Yield each of `texts` on separate lines, with the label before the first."""
    for number, text in enumerate(texts):
        yield from _wrap(text, f"     {'' if number else label:<{_LABEL_WIDTH}}")


def _stage(stage: ExplainedStage) -> Iterator[str]:
    yield from _wrap(stage.title, f"  {stage.number}  ")
    for part in stage.parts:
        yield from _label("nodes", f"{', '.join(part.nodes) or 'none'} ({part.text})")
    if stage.folds:
        yield from _label("folds", f"for {', '.join(stage.folds)}, so that only aggregated slices are sent")
    yield from _label("lanes", stage.lanes)
    yield from _label("shared", stage.shared)
    yield from _label("dedicated", stage.dedicated)


def _node(node: ExplainedNode, fields: Mapping[str, str]) -> Iterator[str]:
    yield f"  {node.id}  ({node.kind}, stage {node.stage})"
    for sentence in (node.does, *node.details):
        yield from _wrap(sentence, "     ")
    for port in node.reads:
        yield from _label("reads", f"{port.node}: {fields[port.node]}")
    yield from _label("output", fields[node.id])
    yield from _label("lifetimes", node.lifetime.text)
    if node.clock is not None:
        yield from _clock(node.clock)
    if node.slices is not None:
        yield from _label("slices", node.slices.text)
    same = node.hold.formula == "c" and node.hold.at_most == 0
    yield from _label("CTI out", "c, unchanged" if same else f"{node.hold.formula}", *_delay(node))
    if not node.state:
        yield from _label("state", "nothing")
    for kept in node.state:
        yield from _label("state", *_state_lines(kept))
    yield ""


def _delay(node: ExplainedNode) -> tuple[str, ...]:
    return () if node.hold.at_least == node.hold.at_most == 0 else (node.hold.text,)


def _clock(clock: ExplainedClock) -> Iterator[str]:
    nothing = ["Only CTIs of the adapter advance time."]
    yield from _label("time", *(clock.advances or nothing), clock.minimum, clock.late, clock.idle, clock.future)


def _state_lines(kept: ExplainedState) -> tuple[str, str, str]:
    return (
        f"{kept.what}, for each {kept.per}",
        _sentence(kept.until) if kept.bounded_by == "nothing" else f"until {kept.until}",
        f"{kept.formula}: {BOUNDS[kept.bounded_by]}",
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _path(path: ExplainedPath) -> Iterator[str]:
    yield from _wrap(" > ".join(path.through), "  ", "     ")
    for step in path.steps:
        yield from _wrap(f"{step.node}: {step.text}", "     ")
    if path.at_most is None:
        yield from _wrap(path.text, "     ")
    elif path.at_most > 0:
        yield from _wrap(f"in total less than {below(path.at_most)} behind. {path.text}", "     ")
    else:
        yield from _wrap(path.text, "     ")
    yield ""


def _fault(fault: Fault) -> Iterator[str]:
    place = ".".join(part for part in (fault.node, fault.field) if part)
    yield from _wrap(f"{code(place)} {fault.message} {fault.remedy}" if place else fault.message, "  ", "     ")


def _fields(fields: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {of}" for name, of in fields.items())
