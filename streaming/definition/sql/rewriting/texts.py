"""Rewriting of a text after a change of its graph: parts with the same meaning are kept, with their comments."""

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
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy

T = TypeVar("T")


def rewrite_sql(
    text: str,
    graph: QueryGraph,
    *,
    advance: Mapping[str, AdvanceTimeSettings] | None = None,
    event_times: Mapping[str, EventTimeBy] | None = None,
) -> str:
    """Return `text` changed so that it means `graph` and the settings of its inputs; None: keep the text's settings.

    Statements and steps with the same nodes as before are kept character for character, with the comments around
    them. Changed parts are printed again at their place, with their comments before them; comments are removed only
    with all nodes of their statement. A text that cannot be read as a graph is replaced by a printed one.
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
            kept = _find_kept(script, change, pieces, given_up)
            attempt = rewritten(change, written, plan(graph, kept), closing, afresh=afresh)
            read = parse_sql(attempt)
            if _matches(read, change):
                return attempt
            wrong = _find_changed(read, change, kept)
            if not wrong:
                break
            given_up |= wrong
    return print_sql(graph, advance=settings, event_times=times)


def _of_inputs(settings: Mapping[str, T], graph: QueryGraph) -> dict[str, T]:
    known = inputs(graph)
    return {node: of for node, of in settings.items() if node in known}


def _matches(read: Script, change: GraphChange) -> bool:
    """Return whether a text has exactly the wanted graph and settings."""
    same = read.graph == change.graph and not read.faults
    return same and read.advance == change.advance and read.event_times == change.event_times


def _find_kept(script: Script, change: GraphChange, pieces: Sequence[TextPiece], given_up: Set[int]) -> list[KeptNodes]:
    """Return the largest set of old pieces whose nodes are unchanged and in the same order in the new graph."""
    assert script.graph is not None  # nosec B101 # for the type checker only
    old, new = script.graph.nodes, change.graph.nodes
    if [node.id for node in old] != [each for piece in pieces for each in piece.ids]:
        return []
    places: dict[str, list[int]] = {}
    for index, node in enumerate(new):
        places.setdefault(node.id, []).append(index)
    candidates: list[KeptNodes] = []
    begin = 0
    for piece in pieces:
        nodes = old[begin : begin + len(piece.ids)]
        begin += len(nodes)
        same_times = all(script.event_times.get(each) == change.event_times.get(each) for each in piece.ids)
        if not nodes or not same_times or piece.number in given_up:
            continue
        for first in places.get(piece.ids[0], []):
            if new[first : first + len(nodes)] == nodes:
                candidates.append(KeptNodes(first, first + len(nodes) - 1, piece.number))
    return _rising(candidates)


def _rising(candidates: Sequence[KeptNodes]) -> list[KeptNodes]:
    """Return the longest sequence with the same order in text and graph, each piece once."""
    best: list[tuple[int, int | None]] = []  # the length up to this one, and the index of its predecessor
    for at, each in enumerate(candidates):
        before = [
            (best[index][0], index)
            for index in range(at)
            if candidates[index].last < each.first and candidates[index].mark != each.mark
        ]
        count, index = max(before, default=(0, None), key=lambda pair: pair[0])
        best.append((count + 1, index))
    chain: list[KeptNodes] = []
    here = max(range(len(candidates)), default=None, key=lambda index: best[index][0])
    while here is not None:
        chain.append(candidates[here])
        here = best[here][1]
    return chain[::-1]


def _find_changed(read: Script, change: GraphChange, kept: Sequence[KeptNodes]) -> Set[int]:
    """Return the kept pieces whose meaning differs in the new text; all of them if that cannot be determined."""
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
