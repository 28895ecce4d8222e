"""Descriptions of nodes: a sentence for each kind, with the names and numbers of the node."""

from collections.abc import Mapping
from typing import Final

from streaming.definition.counts import counted
from streaming.definition.graph import (
    Aggregate,
    AntiJoinNode,
    AsofJoinNode,
    ChopNode,
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
from streaming.planning.explain.explain_facts import Facts
from streaming.planning.explain.windows.registry import window_kind
from streaming.planning.explain.words import code, format_move, listed, spoken, spoken_length
from streaming.temporal.ticks import parse_duration

Matched = JoinNode | AntiJoinNode | SemiJoinNode


def of_input(node: InputNode, facts: Facts) -> str:
    """Describe an input."""
    return f"Reads {facts.streams[node.stream].shape.value} events of the stream {code(node.stream)}."


def of_filter(node: FilterNode, facts: Facts) -> str:
    """Describe a filter."""
    del facts
    return f"Keeps the events for which {code(node.where)} is true; null is not true."


def of_project(node: ProjectNode, facts: Facts) -> str:
    """Describe a projection."""
    del facts
    columns = [each.name if each.of.strip() == each.name else f"{each.name} = {each.of}" for each in node.columns]
    return f"Replaces the payload with {listed(columns)}."


def of_shift(node: ShiftNode, facts: Facts) -> str:
    """Describe a shift."""
    del facts
    return f"Moves both ends of every lifetime {format_move(parse_duration(node.by))}; CTIs move by the same amount."


def of_set_duration(node: SetDurationNode, facts: Facts) -> str:
    """Describe a new duration."""
    del facts
    if node.expression is not None:
        what = f"{code(node.expression)} ticks, computed from its payload"
        return f"Sets the length of every event to {what}; zero or less, or null, removes it. Edge ends are removed."
    length = spoken(parse_duration(node.duration or 0))
    return f"Sets the length of every event to {length} from its start; edge ends are removed."


def of_extend(node: ExtendNode, facts: Facts) -> str:
    """Describe an extension."""
    del facts
    by = parse_duration(node.by)
    removed = "; events that are then empty are removed" if by < 0 else ""
    return f"Moves the end of every lifetime {format_move(by)}{removed}."


def of_clip(node: ClipNode, facts: Facts) -> str:
    """Describe a clip."""
    del facts
    by = f"the first later start of an event of {code(node.by)} with equal {listed(node.keys)}"
    return f"Ends every lifetime of {code(node.input)} at {by}."


def of_point_at_end(node: Node, facts: Facts) -> str:
    """Describe a point at the end."""
    del node, facts
    return "Replaces every lifetime with a point at its end; events that never end are removed."


def of_to_intervals(node: Node, facts: Facts) -> str:
    """Describe the pairing of edges."""
    if not facts.edges_reach(node):
        return "Passes all events on unchanged: no edges reach this node."
    return "Pairs the start and the end of each edge into one interval, released when the edge ends."


def of_order_edges(node: Node, facts: Facts) -> str:
    """Describe the ordering of edges."""
    del node, facts
    return "Releases the starts and ends of edges in order of time, up to and including the CTI."


def of_chop(node: ChopNode, facts: Facts) -> str:
    """Describe a chop."""
    del facts
    offset = parse_duration(node.offset)
    moved = f", moved {format_move(offset)}" if offset else ""
    return f"Cuts every lifetime at each multiple of {spoken_length(node.period)}{moved}; points are never cut."


def of_stitch(node: Node, facts: Facts) -> str:
    """Describe a stitch."""
    del node, facts
    joined = "Joins lifetimes of equal payloads into one where one ends and the next one starts"
    return f"{joined}; overlaps stay as they are."


def of_union(node: UnionNode, facts: Facts) -> str:
    """Describe a union."""
    del facts
    return f"Merges the events of {listed(node.inputs)}, in order of start."


JOINS: Final[Mapping[JoinType, str]] = {
    "inner": "",
    "left_outer": " Parts of left lifetimes without a partner get nulls for the right.",
}
"""The addition for the type of a join."""


def of_join(node: JoinNode, facts: Facts) -> str:
    """Describe a join."""
    del facts
    pairs = f"Pairs events of {code(node.left)} with events of {code(node.right)}"
    return f"{pairs} while both live{_matching(node)}.{JOINS[node.type]}"


def of_anti_join(node: AntiJoinNode, facts: Facts) -> str:
    """Describe an anti join."""
    del facts
    parts = f"Keeps the parts of lifetimes of {code(node.left)}"
    return f"{parts} while no event of {code(node.right)} lives{_matching(node)}."


def of_semi_join(node: SemiJoinNode, facts: Facts) -> str:
    """Describe a semi join."""
    del facts
    parts = f"Keeps the parts of lifetimes of {code(node.left)}"
    return f"{parts} while an event of {code(node.right)} lives{_matching(node)}."


ASOF_JOINS: Final[Mapping[JoinType, str]] = {
    "inner": "is dropped",
    "left_outer": "gets nulls",
}
"""The result for a left event without a right one."""


def of_asof_join(node: AsofJoinNode, facts: Facts) -> str:
    """Describe an as-of join."""
    del facts
    keys = f" with equal {listed(node.keys)}" if node.keys else ""
    latest = f"the event of {code(node.right)}{keys} that started last, at its own start or before"
    return f"Joins each event of {code(node.left)} with {latest}; an event without one {ASOF_JOINS[node.type]}."


def of_window(node: WindowNode, facts: Facts) -> str:
    """Describe a window."""
    del facts
    aggregates = listed([_aggregate(each) for each in node.aggregates])
    return f"Computes {aggregates} for each {_group(node)}{windows(node)}."


def of_top_k(node: TopKNode, facts: Facts) -> str:
    """Describe a top_k."""
    del facts
    best = f"the {counted(node.k, 'event')} with the largest {code(node.by)}"
    return f"Emits {best} of each {_group(node)}{windows(node)}, and all ties at rank {node.k}."


TIMESTAMPS: Final[Mapping[OutputTimestamp, str]] = {
    "lifetime": "with their own lifetimes",
    "point_at_end": "as points at their ends",
    "latest_input": "as points at the latest start of the events that contributed to them",
}
"""The lifetime of output rows (T22)."""


def of_output(node: OutputNode, facts: Facts) -> str:
    """Describe an output."""
    del facts
    return f"Emits the rows of {code(node.input)} {TIMESTAMPS[node.timestamp]}."


def windows(node: WindowNode | TopKNode) -> str:
    """Describe the windows of `node`."""
    return window_kind(node).words(node.window)


EMITS: Final[Mapping[Emit, str]] = {
    "final": "One row for each group when the window closes.",
    "on_complete": "A row when the window is complete, and one at each later CTI if it has changed.",
    "running": "A row for each change, at most one per micro-batch; the last one when the window closes.",
}
"""When rows of windows appear (T20)."""
EMPTIES: Final[Mapping[Empty, str]] = {
    "skip": "",
    "default": "Empty windows between two windows with events produce rows too",
}
"""The policy for windows without events (T21)."""


def details(node: Node, facts: Facts) -> list[str]:
    """Return further sentences about windows: when they close, when rows appear."""
    if not isinstance(node, WindowNode | TopKNode):
        return []
    grace = facts.grace(node)
    sentences = [f"A window stays open for {spoken(grace)} after its end (grace)."] if grace else []
    if isinstance(node, TopKNode):
        return sentences
    sentences.append(EMITS[node.emit])
    if node.retract and node.emit != "final":
        sentences.append("Before each row that replaces another, a deletion is emitted.")
    if node.empty_gap is not None and EMPTIES[node.empty]:
        sentences.append(f"{EMPTIES[node.empty]}, if these two are at most {spoken_length(node.empty_gap)} apart.")
    return sentences


def _matching(node: Matched) -> str:
    keys = f"{listed(node.keys)} {'is' if len(node.keys) == 1 else 'are'} equal" if node.keys else ""
    where = f"{code(node.where)} is true" if node.where is not None else ""
    conditions = " and ".join(part for part in (keys, where) if part)
    return f", where {conditions}" if conditions else ""


def _aggregate(aggregate: Aggregate) -> str:
    options = [each for each in (aggregate.k, aggregate.fraction) if each is not None]
    arguments = ", ".join(["*" if aggregate.of is None else aggregate.of, *map(str, options)])
    where = "" if aggregate.filter is None else f" where {aggregate.filter}"
    return f"{aggregate.name} = {aggregate.function}({arguments}){where}"


def _group(node: WindowNode | TopKNode) -> str:
    return f"{listed(node.group_by)} in each " if node.group_by else ""
