"""Explanations of analytic nodes: their columns, the delay of their CTIs, and the rows that they keep."""

from collections.abc import Iterator

from streaming.definition.analytic import AnalyticColumn, AnalyticNode
from streaming.planning.explain.explain_facts import Facts
from streaming.planning.explain.held import HoldBound
from streaming.planning.explain.model import ExplainedState
from streaming.planning.explain.words import listed, spoken, spoken_length
from streaming.temporal.ticks import NO_TICKS, Ticks, parse_duration


def of_analytic(node: AnalyticNode, facts: Facts) -> str:
    """Describe an analytic node."""
    del facts
    columns = listed([f"{each.name} = {each.function}({each.of or ''})" for each in node.columns])
    grouped = f", for each {listed(node.group_by)}" if node.group_by else ""
    return f"Passes each event with {columns} over the rows around it{grouped}."


def hold_of_analytic(node: AnalyticNode, facts: Facts) -> HoldBound:
    """Return the delay: the grace, and until the rows ahead that a row sees are known."""
    del facts
    grace = parse_duration(node.grace or 0)
    reach = None if node.reach is None else parse_duration(node.reach)
    ahead: int | None = 0
    for column in node.columns:
        ticks = _ticks_ahead(column)
        bound = reach if ticks is None or (reach is not None and reach < ticks) else ticks
        ahead = None if ahead is None or bound is None else max(ahead, bound)
    formula = f"min(c - {spoken(grace)}, start of the oldest undecided row)"
    if ahead is None:
        because = "a row may wait for later rows of its group, and without a reach it waits until they come"
        return HoldBound.unbounded(formula, because)
    if not ahead:
        return HoldBound(f"c - {spoken(grace)}" if grace else "c", grace, grace)
    return HoldBound(formula, grace, Ticks(grace + ahead))


def _ticks_ahead(column: AnalyticColumn) -> Ticks | None:
    """Return how far ahead a column sees; None if it counts rows."""
    if column.function == "lead":
        return None if column.offset else NO_TICKS
    frame = column.frame
    if frame is None or frame.following is None or parse_duration(frame.following) == 0:
        return NO_TICKS
    return None if frame.unit == "rows" else parse_duration(frame.following)


def state_of_analytic(node: AnalyticNode, facts: Facts) -> Iterator[ExplainedState]:
    """Yield the rows that wait, and those that later rows see; edges whose rows have left."""
    groups = f"row, by {listed(node.group_by)}" if node.group_by else "row"
    until = "the CTI decides them, and no later row sees them any more"
    yield ExplainedState(
        what="rows that wait, and earlier rows that later ones see",
        per=groups,
        until=until if node.reach is None else f"{until}, {spoken_length(node.reach)} after them",
        formula="rows with start > c - grace - reach" if node.reach is not None else "rows that frames and offsets see",
        bounded_by="cti" if node.reach is not None else "keys",
    )
    if facts.edges_reach(node):
        yield ExplainedState(
            what="open edges whose rows have left",
            per="open edge",
            until="their end arrives; an edge without an end stays forever",
            formula="open edges",
            bounded_by="open_edges",
        )
