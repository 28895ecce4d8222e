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
_LABEL: Final = 11
BOUNDS: Final[Mapping[BoundedBy, str]] = {
    "cti": "CTIs free it",
    "lanes": "as many as there are",
    "keys": "bounded by the number of keys, which are not forgotten",
    "open_edges": "bounded by the edges that are open",
    "pause": "a group that never pauses is never freed",
    "next_event": "bounded by the number of groups, which are not forgotten",
    "nothing": "UNBOUNDED",
}
"""What each bound means."""


def explain_text(e: Explanation) -> str:
    """`e` as lines of at most 100 characters, unless a word of the user is longer; ends with a line feed."""
    fields = {node.id: _fields(node.fields) for node in e.nodes}
    lines = [
        *_heading(f"QUERY {e.query}"),
        *(line for said in (e.buckets, *e.summary) for line in _wrapped(said, "  ")),
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
    """A title behind an empty line, of which there is one even where another stands before it."""
    return "", title


def _wrapped(text: str, first: str, rest: str | None = None) -> list[str]:
    """`text` behind `first`, and behind `rest` (None: as much room) from the second line on."""
    following = " " * len(first) if rest is None else rest
    return textwrap.wrap(
        " ".join(text.split("\n")),
        WIDTH,
        initial_indent=first,
        subsequent_indent=following,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first]


def _labelled(label: str, *texts: str) -> Iterator[str]:
    """Each of `texts` on lines of its own, with the label before the first."""
    for number, text in enumerate(texts):
        yield from _wrapped(text, f"     {'' if number else label:<{_LABEL}}")


def _stage(stage: ExplainedStage) -> Iterator[str]:
    yield from _wrapped(stage.title, f"  {stage.number}  ")
    for part in stage.parts:
        yield from _labelled("nodes", f"{', '.join(part.nodes) or 'none'} ({part.text})")
    if stage.folds:
        yield from _labelled("folds", f"for {', '.join(stage.folds)}, so that only folded slices travel")
    yield from _labelled("lanes", stage.lanes)
    yield from _labelled("shared", stage.shared)
    yield from _labelled("dedicated", stage.dedicated)


def _node(node: ExplainedNode, fields: Mapping[str, str]) -> Iterator[str]:
    yield f"  {node.id}  ({node.kind}, stage {node.stage})"
    for said in (node.does, *node.details):
        yield from _wrapped(said, "     ")
    for port in node.reads:
        yield from _labelled("reads", f"{port.node}: {fields[port.node]}")
    yield from _labelled("gives", fields[node.id])
    yield from _labelled("lifetimes", node.lifetime.text)
    if node.clock is not None:
        yield from _clock(node.clock)
    if node.slices is not None:
        yield from _labelled("slices", node.slices.text)
    same = node.hold.formula == "c" and node.hold.at_most == 0
    yield from _labelled("CTI out", "c, as it comes in" if same else f"{node.hold.formula}", *_held(node))
    if not node.state:
        yield from _labelled("keeps", "nothing")
    for kept in node.state:
        yield from _labelled("keeps", *_kept(kept))
    yield ""


def _held(node: ExplainedNode) -> tuple[str, ...]:
    return () if node.hold.at_least == node.hold.at_most == 0 else (node.hold.text,)


def _clock(clock: ExplainedClock) -> Iterator[str]:
    nothing = ["Nothing advances time but the CTIs of the adapter."]
    yield from _labelled("time", *(clock.advances or nothing), clock.minimum, clock.late, clock.idle, clock.future)


def _kept(kept: ExplainedState) -> tuple[str, str, str]:
    return (
        f"{kept.what}, for each {kept.per}",
        _sentence(kept.until) if kept.bounded_by == "nothing" else f"until {kept.until}",
        f"{kept.formula}: {BOUNDS[kept.bounded_by]}",
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _path(path: ExplainedPath) -> Iterator[str]:
    yield from _wrapped(" > ".join(path.through), "  ", "     ")
    for step in path.steps:
        yield from _wrapped(f"{step.node}: {step.text}", "     ")
    if path.at_most is None:
        yield from _wrapped(path.text, "     ")
    elif path.at_most > 0:
        yield from _wrapped(f"in all less than {below(path.at_most)} behind. {path.text}", "     ")
    else:
        yield from _wrapped(path.text, "     ")
    yield ""


def _fault(fault: Fault) -> Iterator[str]:
    place = ".".join(part for part in (fault.node, fault.field) if part)
    yield from _wrapped(f"{code(place)} {fault.message} {fault.remedy}" if place else fault.message, "  ", "     ")


def _fields(fields: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {of}" for name, of in fields.items())
