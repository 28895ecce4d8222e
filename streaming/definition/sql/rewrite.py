"""A text after its graph was changed: what still says the same stays as it was written, with its comments."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence, Set
from typing import TypeVar

from streaming.definition.graph import Node, QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.print_plan import Kept, plan
from streaming.definition.sql.printing import inputs, print_sql
from streaming.definition.sql.rewrite_pieces import Piece, paragraphs
from streaming.definition.sql.rewrite_text import Change, rewritten
from streaming.definition.sql.script import Script
from streaming.definition.streams import AdvanceTimeSettings, EventTimeBy

T = TypeVar("T")


def rewrite_sql(
    text: str,
    graph: QueryGraph,
    *,
    advance: Mapping[str, AdvanceTimeSettings] | None = None,
    event_times: Mapping[str, EventTimeBy] | None = None,
) -> str:
    """`text` so changed that it says `graph` and the settings of its inputs; None: as the text says them.

    Statements and steps that make the same nodes as before stay character for character, with the comments around
    them. What changed is printed anew in its place, its comments before it; comments go only with all nodes of their
    statement. A text that cannot be read as a graph is replaced by a printed one.
    """
    script = parse_sql(text)
    settings = _of_inputs(script.advance if advance is None else advance, graph)
    times = _of_inputs(script.event_times if event_times is None else event_times, graph)
    if script.graph is None or script.faults:
        return print_sql(graph, advance=settings, event_times=times)
    if script.graph == graph and script.advance == settings and script.event_times == times:
        return text
    change = Change(script, graph, settings, times)
    written, closing = paragraphs(script)
    pieces = [piece for paragraph in written for piece in paragraph.pieces]
    given_up: set[int] = set()
    for afresh in (False, True):
        while True:
            kept = _kept(script, change, [piece for piece in pieces if piece.number not in given_up])
            attempt = rewritten(change, written, plan(graph, kept), closing, afresh=afresh)
            read = parse_sql(attempt)
            if _says(read, change):
                return attempt
            wrong = _read_otherwise(read, change, [pieces[each.mark] for each in kept])
            if not wrong:
                break
            given_up |= wrong
    return print_sql(graph, advance=settings, event_times=times)


def _of_inputs(settings: Mapping[str, T], graph: QueryGraph) -> dict[str, T]:
    known = inputs(graph)
    return {node: of for node, of in settings.items() if node in known}


def _says(read: Script, change: Change) -> bool:
    """Whether a text says all that it should."""
    same = read.graph == change.graph and not read.faults
    return same and read.advance == change.advance and read.event_times == change.event_times


def _kept(script: Script, change: Change, pieces: Sequence[Piece]) -> list[Kept]:
    """The pieces of the old text that make nodes of the new graph as they are, in their order there."""
    assert script.graph is not None
    before, after = _places(script.graph.nodes), _places(change.graph.nodes)
    found: list[Kept] = []
    for piece in pieces:
        first = after.get(piece.ids[0]) if piece.ids else None
        if first is None or any(each not in before for each in piece.ids):
            continue
        nodes = change.graph.nodes[first : first + len(piece.ids)]
        same_times = all(script.event_times.get(each) == change.event_times.get(each) for each in piece.ids)
        if same_times and nodes == [script.graph.nodes[before[each]] for each in piece.ids]:
            found.append(Kept(first, first + len(nodes) - 1, piece.number))
    return _rising(found)


def _places(nodes: Sequence[Node]) -> dict[str, int]:
    """The index of each node whose id no other has."""
    ids = [node.id for node in nodes]
    return {each: index for index, each in enumerate(ids) if ids.count(each) == 1}


def _rising(found: Sequence[Kept]) -> list[Kept]:
    """The most of them that stand in the same order in text and graph."""
    ends: list[int] = []
    chains: list[list[Kept]] = []
    for each in found:
        at = bisect_left(ends, each.first)
        chain = [*(chains[at - 1] if at else []), each]
        ends[at : at + 1] = [each.first]
        chains[at : at + 1] = [chain]
    return chains[-1] if chains else []


def _read_otherwise(read: Script, change: Change, kept: Sequence[Piece]) -> Set[int]:
    """The pieces that say something else in the new text than in the old one; all of them if that is not known."""
    if read.graph is None or not kept:
        return {piece.number for piece in kept}
    now = {node.id: node for node in read.graph.nodes}
    wanted = {node.id: node for node in change.graph.nodes}
    wrong = {piece.number for piece in kept if any(now.get(each) != wanted[each] for each in piece.ids)}
    return wrong or {piece.number for piece in kept}
