"""Merging of two people's changes to one version, node by node."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

from pydantic import BaseModel

from streaming.definition.graph import Node, QueryGraph
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy
from streaming.definition.strict import Strict
from streaming.definition.versions.differences import function_words, node_differences, setting_differences
from streaming.definition.versions.meaning import QueryMeaning, canonical
from streaming.definition.versions.words import model_words

Side = Literal["theirs", "mine"]
T = TypeVar("T")
Part = Literal["name", "functions", "whole", "node", "advance", "event_time"]


class MergeConflict(Strict):
    """A part that both sides changed differently. `theirs` and `mine` describe each side's changes to `base`.

    `part` is the name of the query, its functions, a whole node with its settings (one side removed it, or both added
    it), the node without its settings, or one of its settings.
    """

    key: str
    node: str | None
    part: Part
    theirs: list[str]
    mine: list[str]


class MeaningMerge(Strict):
    """The meaning with the changes of both sides. A conflict has the chosen side, and mine without a choice."""

    merged: QueryMeaning
    conflicts: list[MergeConflict]


class _NodeUnit(Strict):
    """A node with its time settings."""

    node: Node
    advance: AdvanceTimeSettings | None
    event_time: EventTimeBy | None


class _Merging:
    """One merge: the choices, and the conflicts so far."""

    def __init__(self, choices: Mapping[str, Side]) -> None:
        self.choices = choices
        self.conflicts: list[MergeConflict] = []

    def pick(self, base: T, theirs: T, mine: T, conflict: MergeConflict) -> T:
        """Return the merged value: that of the only side that changed it, else the chosen one."""
        if _same(theirs, base) or _same(theirs, mine):
            return mine
        if _same(mine, base):
            return theirs
        self.conflicts.append(conflict)
        return theirs if self.choices.get(conflict.key) == "theirs" else mine


def merge(
    base: QueryMeaning, theirs: QueryMeaning, mine: QueryMeaning, choices: Mapping[str, Side] | None = None
) -> MeaningMerge:
    """Merge `theirs` and `mine`, both changes of `base`; `choices` decide conflicts by their key.

    A part that only one side changed comes from that side; an equal change of both sides is applied once. Nodes have
    the order of mine, or that of theirs if mine has the order of the base. Raises ValueError if several nodes have one
    id.
    """
    merging = _Merging(choices or {})
    units = [_units(each) for each in (base, theirs, mine)]
    name = merging.pick(base.graph.name, theirs.graph.name, mine.graph.name, _name_conflict(base, theirs, mine))
    conflict = _functions_conflict(base, theirs, mine)
    functions = merging.pick(base.graph.functions, theirs.graph.functions, mine.graph.functions, conflict)
    merged = {}
    for node in dict.fromkeys(key for of in units for key in of):
        unit = _merged_unit(merging, node, *(of.get(node) for of in units))
        if unit is not None:
            merged[node] = unit
    ordered = [merged[node] for node in _order(*(list(of) for of in units)) if node in merged]
    graph = QueryGraph.model_construct(version=1, name=name, functions=functions, nodes=[unit.node for unit in ordered])
    meaning = QueryMeaning.model_construct(
        graph=graph,
        advance={unit.node.id: unit.advance for unit in ordered if unit.advance is not None},
        event_times={unit.node.id: unit.event_time for unit in ordered if unit.event_time is not None},
    )
    return MeaningMerge.model_construct(merged=meaning, conflicts=merging.conflicts)


def _units(meaning: QueryMeaning) -> dict[str, _NodeUnit]:
    units = {
        node.id: _NodeUnit(node=node, advance=meaning.advance.get(node.id), event_time=meaning.event_times.get(node.id))
        for node in meaning.graph.nodes
    }
    if len(units) != len(meaning.graph.nodes):
        raise ValueError("several nodes have the same id")
    return units


def _merged_unit(
    merging: _Merging, node: str, base: _NodeUnit | None, theirs: _NodeUnit | None, mine: _NodeUnit | None
) -> _NodeUnit | None:
    if base is None or theirs is None or mine is None:
        conflict = _conflict(node, "whole", _unit_words(node, base, theirs), _unit_words(node, base, mine))
        return merging.pick(base, theirs, mine, conflict)
    words = [_part_words(node, base, side) for side in (theirs, mine)]
    picked = {
        part: merging.pick(
            getattr(base, part),
            getattr(theirs, part),
            getattr(mine, part),
            _conflict(node, part, *(w[part] for w in words)),
        )
        for part in words[0]
    }
    return _NodeUnit.model_construct(**picked)


def _part_words(node: str, base: _NodeUnit, side: _NodeUnit) -> dict[Part, list[str]]:
    changes = {
        "node": node_differences(base.node, side.node),
        "advance": setting_differences(node, "time", base.advance, side.advance),
        "event_time": setting_differences(node, "event time", base.event_time, side.event_time),
    }
    return {part: [each.words for each in of] for part, of in changes.items()}  # type: ignore[misc]  # the keys are parts


def _unit_words(node: str, base: _NodeUnit | None, side: _NodeUnit | None) -> list[str]:
    if side is None:
        return [f"node {node} removed"]
    if base is None:
        return [f"node {node} added: {model_words(side.node)}"]
    return [words for of in _part_words(node, base, side).values() for words in of]


def _name_conflict(base: QueryMeaning, theirs: QueryMeaning, mine: QueryMeaning) -> MergeConflict:
    of = [f"name of the query: {base.graph.name} -> {each.graph.name}" for each in (theirs, mine)]
    return MergeConflict(key="name", node=None, part="name", theirs=of[:1], mine=of[1:])


def _functions_conflict(base: QueryMeaning, theirs: QueryMeaning, mine: QueryMeaning) -> MergeConflict:
    of = [function_words(base.graph, each.graph) for each in (theirs, mine)]
    return MergeConflict(key="functions", node=None, part="functions", theirs=of[0], mine=of[1])


def _conflict(node: str, part: Part, theirs: list[str], mine: list[str]) -> MergeConflict:
    return MergeConflict(key=f"{part}:{node}", node=node, part=part, theirs=theirs, mine=mine)


def _order(base: Sequence[str], theirs: Sequence[str], mine: Sequence[str]) -> list[str]:
    """Return all ids in the order of mine (theirs if mine equals the base), the others after their predecessors."""
    first, second = (theirs, mine) if list(mine) == list(base) else (mine, theirs)
    ordered = list(first)
    for place, node in enumerate(second):
        if node not in ordered:
            before = second[place - 1] if place else None
            ordered.insert(ordered.index(before) + 1 if before is not None else 0, node)
    return ordered


def _same(one: object, other: object) -> bool:
    return _dumped(one) == _dumped(other)


def _dumped(value: object) -> str:
    if isinstance(value, list):
        return canonical([_dumped(each) for each in value])
    return canonical(value.model_dump(mode="json") if isinstance(value, BaseModel) else value)
