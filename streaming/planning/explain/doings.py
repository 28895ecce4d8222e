"""What each kind of node does, in a sentence with its own names and numbers."""

from collections.abc import Mapping
from typing import Final

from streaming.definition.counts import counted
from streaming.definition.graph import (
    Aggregate,
    AntiJoinNode,
    AsofJoinNode,
    ClipNode,
    Emit,
    Empty,
    ExtendNode,
    FilterNode,
    InputNode,
    JoinNode,
    JoinType,
    Node,
    OutputNode,
    OutputTimestamp,
    ProjectNode,
    SemiJoinNode,
    SetDurationNode,
    ShiftNode,
    TopKNode,
    UnionNode,
    WindowNode,
)
from streaming.planning.explain.facts import Facts
from streaming.planning.explain.windows.registry import window_kind
from streaming.planning.explain.words import code, listed, moved, spoken, spoken_length
from streaming.temporal.ticks import parse_duration

Matched = JoinNode | AntiJoinNode | SemiJoinNode


def of_input(node: InputNode, facts: Facts) -> str:
    """Which stream."""
    return f"Reads {facts.streams[node.stream].shape.value} events of the stream {code(node.stream)}."


def of_filter(node: FilterNode, facts: Facts) -> str:
    """Which events stay."""
    del facts
    return f"Keeps the events for which {code(node.where)} is true; null is not true."


def of_project(node: ProjectNode, facts: Facts) -> str:
    """The new fields."""
    del facts
    columns = [each.name if each.of.strip() == each.name else f"{each.name} = {each.of}" for each in node.columns]
    return f"Replaces the payload by {listed(columns)}."


def of_shift(node: ShiftNode, facts: Facts) -> str:
    """How far."""
    del facts
    return f"Moves both ends of every lifetime {moved(parse_duration(node.by))}; CTIs move alike."


def of_set_duration(node: SetDurationNode, facts: Facts) -> str:
    """How long."""
    del facts
    if node.expression is not None:
        what = f"{code(node.expression)} ticks, by its payload"
        return f"Lets every event live for {what}; zero or less, or null, removes it. Edge ends disappear."
    return (
        f"Lets every event live for {spoken(parse_duration(node.duration or 0))} from its start; edge ends disappear."
    )


def of_extend(node: ExtendNode, facts: Facts) -> str:
    """By how much."""
    del facts
    by = parse_duration(node.by)
    removed = "; what is then empty is removed" if by < 0 else ""
    return f"Moves the end of every lifetime {moved(by)}{removed}."


def of_clip(node: ClipNode, facts: Facts) -> str:
    """By what."""
    del facts
    by = f"the first later start of an event of {code(node.by)} with equal {listed(node.keys)}"
    return f"Ends every lifetime of {code(node.input)} at {by}."


def of_point_at_end(node: Node, facts: Facts) -> str:
    """Points at ends."""
    del node, facts
    return "Replaces every lifetime by a point at its end; what never ends is removed."


def of_to_intervals(node: Node, facts: Facts) -> str:
    """Intervals of edges."""
    if not facts.edges_reach(node):
        return "Passes everything on: no edges come here."
    return "Pairs the start and the end of each edge into one interval, released when it is closed."


def of_order_edges(node: Node, facts: Facts) -> str:
    """Order."""
    del node, facts
    return "Releases the starts and ends of edges in order of time, up to and including the CTI."


def of_union(node: UnionNode, facts: Facts) -> str:
    """Of what."""
    del facts
    return f"All events of {listed(node.inputs)}, released in order of start."


JOINS: Final[Mapping[JoinType, str]] = {
    "inner": "",
    "left_outer": " Parts of left lifetimes without a partner come with nulls for the right.",
}
"""What the type of a join adds."""


def of_join(node: JoinNode, facts: Facts) -> str:
    """Of what, on what."""
    del facts
    pairs = f"Pairs events of {code(node.left)} with events of {code(node.right)}"
    return f"{pairs} for as long as both live{_matching(node)}.{JOINS[node.type]}"


def of_anti_join(node: AntiJoinNode, facts: Facts) -> str:
    """Of what, on what."""
    del facts
    return f"The parts of lifetimes of {code(node.left)} while no event of {code(node.right)} lives{_matching(node)}."


def of_semi_join(node: SemiJoinNode, facts: Facts) -> str:
    """Of what, on what."""
    del facts
    return f"The parts of lifetimes of {code(node.left)} while an event of {code(node.right)} lives{_matching(node)}."


ASOF_JOINS: Final[Mapping[JoinType, str]] = {
    "inner": "is dropped",
    "left_outer": "has nulls",
}
"""What becomes of a left event without a right one."""


def of_asof_join(node: AsofJoinNode, facts: Facts) -> str:
    """Of what, on what."""
    del facts
    keys = f" with equal {listed(node.keys)}" if node.keys else ""
    latest = f"the event of {code(node.right)}{keys} that started last, at its own start or before"
    return f"Gives each event of {code(node.left)} {latest}; one that finds none {ASOF_JOINS[node.type]}."


def of_window(node: WindowNode, facts: Facts) -> str:
    """What of what."""
    del facts
    found = listed([_aggregate(each) for each in node.aggregates])
    return f"Gives {found} for each {_group(node)}{windows(node)}."


def of_top_k(node: TopKNode, facts: Facts) -> str:
    """Which events of what."""
    del facts
    best = f"the {counted(node.k, 'event')} with the largest {code(node.by)}"
    return f"Gives {best} of each {_group(node)}{windows(node)}; ties at rank {node.k} all count."


TIMESTAMPS: Final[Mapping[OutputTimestamp, str]] = {
    "lifetime": "with their own lifetimes",
    "point_at_end": "as points at their ends",
    "latest_input": "as points at the latest start among the events that made them",
}
"""With which lifetime rows leave (T22)."""


def of_output(node: OutputNode, facts: Facts) -> str:
    """What leaves, and when in its own time."""
    del facts
    return f"Rows of {code(node.input)} leave {TIMESTAMPS[node.timestamp]}."


def windows(node: WindowNode | TopKNode) -> str:
    """The windows of `node`."""
    return window_kind(node).words(node.window)


EMITS: Final[Mapping[Emit, str]] = {
    "final": "One row for each group when the window closes.",
    "on_complete": "A row when the window is complete, and one at each later CTI after which it had changed.",
    "running": "A row for each change, at most one in a micro-batch; the last one when the window closes.",
}
"""When rows of windows appear (T20)."""
EMPTIES: Final[Mapping[Empty, str]] = {
    "skip": "",
    "default": "Windows without events between two that have some give rows too",
}
"""What becomes of windows without events (T21)."""


def details(node: Node, facts: Facts) -> list[str]:
    """What else is to be said of windows: when they close, when rows appear."""
    if not isinstance(node, WindowNode | TopKNode):
        return []
    grace = facts.grace(node)
    said = [f"A window stays open for {spoken(grace)} after its end (grace)."] if grace else []
    if isinstance(node, TopKNode):
        return said
    said.append(EMITS[node.emit])
    if node.retract and node.emit != "final":
        said.append("A deletion goes before each row that replaces another.")
    if node.empty_gap is not None and EMPTIES[node.empty]:
        said.append(f"{EMPTIES[node.empty]}, if those are at most {spoken_length(node.empty_gap)} apart.")
    return said


def _matching(node: Matched) -> str:
    keys = f"{listed(node.keys)} {'is' if len(node.keys) == 1 else 'are'} equal" if node.keys else ""
    where = f"{code(node.where)} is true" if node.where is not None else ""
    said = " and ".join(part for part in (keys, where) if part)
    return f", where {said}" if said else ""


def _aggregate(aggregate: Aggregate) -> str:
    options = [each for each in (aggregate.k, aggregate.fraction) if each is not None]
    arguments = ", ".join(["*" if aggregate.of is None else aggregate.of, *map(str, options)])
    where = "" if aggregate.filter is None else f" where {aggregate.filter}"
    return f"{aggregate.name} = {aggregate.function}({arguments}){where}"


def _group(node: WindowNode | TopKNode) -> str:
    return f"{listed(node.group_by)} in each " if node.group_by else ""
