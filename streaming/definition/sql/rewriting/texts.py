"""A text after its graph was changed: what still says the same stays as it was written, with its comments."""

from collections.abc import Mapping, Sequence, Set
from typing import TypeVar

from streaming.definition.graph import QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.printing.graphs import print_sql
from streaming.definition.sql.printing.plan import plan
from streaming.definition.sql.printing.units import KeptNodes, inputs
from streaming.definition.sql.rewriting.joined import GraphChange, rewritten
from streaming.definition.sql.rewriting.pieces import TextPiece, paragraphs
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
    change = GraphChange(script, graph, settings, times)
    written, closing = paragraphs(script)
    pieces = [piece for paragraph in written for piece in paragraph.pieces]
    given_up: set[int] = set()
    for afresh in (False, True):
        while True:
            kept = _kept(script, change, pieces, given_up)
            attempt = rewritten(change, written, plan(graph, kept), closing, afresh=afresh)
            read = parse_sql(attempt)
            if _says(read, change):
                return attempt
            wrong = _read_otherwise(read, change, kept)
            if not wrong:
                break
            given_up |= wrong
    return print_sql(graph, advance=settings, event_times=times)


def _of_inputs(settings: Mapping[str, T], graph: QueryGraph) -> dict[str, T]:
    known = inputs(graph)
    return {node: of for node, of in settings.items() if node in known}


def _says(read: Script, change: GraphChange) -> bool:
    """Whether a text says all that it should."""
    same = read.graph == change.graph and not read.faults
    return same and read.advance == change.advance and read.event_times == change.event_times


def _kept(script: Script, change: GraphChange, pieces: Sequence[TextPiece], given_up: Set[int]) -> list[KeptNodes]:
    """The pieces of the old text that make nodes of the new graph as they are: as many as stand in the same order."""
    assert script.graph is not None  # nosec B101 # tells the type checker what is so; nothing depends on it
    old, new = script.graph.nodes, change.graph.nodes
    if [node.id for node in old] != [each for piece in pieces for each in piece.ids]:
        return []
    places: dict[str, list[int]] = {}
    for index, node in enumerate(new):
        places.setdefault(node.id, []).append(index)
    found: list[KeptNodes] = []
    begin = 0
    for piece in pieces:
        nodes = old[begin : begin + len(piece.ids)]
        begin += len(nodes)
        same_times = all(script.event_times.get(each) == change.event_times.get(each) for each in piece.ids)
        if not nodes or not same_times or piece.number in given_up:
            continue
        for first in places.get(piece.ids[0], []):
            if new[first : first + len(nodes)] == nodes:
                found.append(KeptNodes(first, first + len(nodes) - 1, piece.number))
    return _rising(found)


def _rising(found: Sequence[KeptNodes]) -> list[KeptNodes]:
    """The most of them that stand in the same order in text and graph, each piece once."""
    best: list[tuple[int, int | None]] = []  # how many there are up to this one, and which one comes before it
    for at, each in enumerate(found):
        before = [
            (best[index][0], index)
            for index in range(at)
            if found[index].last < each.first and found[index].mark != each.mark
        ]
        count, index = max(before, default=(0, None), key=lambda pair: pair[0])
        best.append((count + 1, index))
    chain: list[KeptNodes] = []
    here = max(range(len(found)), default=None, key=lambda index: best[index][0])
    while here is not None:
        chain.append(found[here])
        here = best[here][1]
    return chain[::-1]


def _read_otherwise(read: Script, change: GraphChange, kept: Sequence[KeptNodes]) -> Set[int]:
    """The pieces that say something else in the new text than in the old one; all of them if that is not known."""
    everything = {each.mark for each in kept}
    if read.graph is None:
        return everything
    now, wanted = read.graph.nodes, change.graph.nodes
    by_id = {node.id: node for node in now}
    same_length = len(now) == len(wanted)
    wrong = {
        each.mark
        for each in kept
        for index in range(each.first, each.last + 1)
        if (now[index] if same_length else by_id.get(wanted[index].id)) != wanted[index]
    }
    return wrong or everything
