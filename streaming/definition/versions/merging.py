"""Changes that two people made to one version, brought together node by node."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

from pydantic import BaseModel

from streaming.definition.graph import Node, QueryGraph
from streaming.definition.streams import AdvanceTimeSettings, EventTimeBy
from streaming.definition.strict import Strict
from streaming.definition.versions.differences import node_differences, setting_differences
from streaming.definition.versions.meaning import QueryMeaning, canonical
from streaming.definition.versions.words import model_words

Side = Literal["theirs", "mine"]
T = TypeVar("T")
Part = Literal["name", "whole", "node", "advance", "event_time"]


class MergeConflict(Strict):
    """What both changed, each in another way. `theirs` and `mine` say in words what each did to `base`.

    `part` is the name of the query, a whole node with its settings (one removed it, or both added it), or one of them.
    """

    key: str
    node: str | None
    part: Part
    theirs: list[str]
    mine: list[str]


class MeaningMerge(Strict):
    """The meaning with the changes of both. Where they conflict it has what was chosen, and mine where nothing was."""

    merged: QueryMeaning
    conflicts: list[MergeConflict]


class _NodeUnit(Strict):
    """A node with what the text says of its time."""

    node: Node
    advance: AdvanceTimeSettings | None
    event_time: EventTimeBy | None


class _Merging:
    """One merge under way: what is chosen, and the conflicts so far."""

    def __init__(self, choices: Mapping[str, Side]) -> None:
        self.choices = choices
        self.conflicts: list[MergeConflict] = []

    def taken(self, base: T, theirs: T, mine: T, conflict: MergeConflict) -> T:
        """What stands after both changes: of the one who changed it, else what was chosen."""
        if _same(theirs, base) or _same(theirs, mine):
            return mine
        if _same(mine, base):
            return theirs
        self.conflicts.append(conflict)
        return theirs if self.choices.get(conflict.key) == "theirs" else mine


def merge(
    base: QueryMeaning, theirs: QueryMeaning, mine: QueryMeaning, choices: Mapping[str, Side] | None = None
) -> MeaningMerge:
    """Bring `theirs` and `mine`, both made from `base`, together; `choices` decide conflicts by their key.

    What only one of them changed is taken from that one; what both changed alike, once. Nodes stand as in mine, or as
    in theirs where mine are those of the base. Raises ValueError where several nodes have one id.
    """
    merging = _Merging(choices or {})
    units = [_units(each) for each in (base, theirs, mine)]
    name = merging.taken(base.graph.name, theirs.graph.name, mine.graph.name, _name_conflict(base, theirs, mine))
    merged = {}
    for node in dict.fromkeys(key for of in units for key in of):
        unit = _merged_unit(merging, node, *(of.get(node) for of in units))
        if unit is not None:
            merged[node] = unit
    ordered = [merged[node] for node in _order(*(list(of) for of in units)) if node in merged]
    graph = QueryGraph.model_construct(version=1, name=name, nodes=[unit.node for unit in ordered])
    says = QueryMeaning.model_construct(
        graph=graph,
        advance={unit.node.id: unit.advance for unit in ordered if unit.advance is not None},
        event_times={unit.node.id: unit.event_time for unit in ordered if unit.event_time is not None},
    )
    return MeaningMerge.model_construct(merged=says, conflicts=merging.conflicts)


def _units(meaning: QueryMeaning) -> dict[str, _NodeUnit]:
    found = {
        node.id: _NodeUnit(node=node, advance=meaning.advance.get(node.id), event_time=meaning.event_times.get(node.id))
        for node in meaning.graph.nodes
    }
    if len(found) != len(meaning.graph.nodes):
        raise ValueError("several nodes have one id")
    return found


def _merged_unit(
    merging: _Merging, node: str, base: _NodeUnit | None, theirs: _NodeUnit | None, mine: _NodeUnit | None
) -> _NodeUnit | None:
    if base is None or theirs is None or mine is None:
        conflict = _conflict(node, "whole", _unit_words(node, base, theirs), _unit_words(node, base, mine))
        return merging.taken(base, theirs, mine, conflict)
    words = [_part_words(node, base, side) for side in (theirs, mine)]
    taken = {
        part: merging.taken(
            getattr(base, part),
            getattr(theirs, part),
            getattr(mine, part),
            _conflict(node, part, *(w[part] for w in words)),
        )
        for part in words[0]
    }
    return _NodeUnit.model_construct(**taken)


def _part_words(node: str, base: _NodeUnit, side: _NodeUnit) -> dict[Part, list[str]]:
    found = {
        "node": node_differences(base.node, side.node),
        "advance": setting_differences(node, "time", base.advance, side.advance),
        "event_time": setting_differences(node, "event time", base.event_time, side.event_time),
    }
    return {part: [each.words for each in of] for part, of in found.items()}  # type: ignore[misc]  # the keys are parts


def _unit_words(node: str, base: _NodeUnit | None, side: _NodeUnit | None) -> list[str]:
    if side is None:
        return [f"node {node} removed"]
    if base is None:
        return [f"node {node} added: {model_words(side.node)}"]
    return [words for of in _part_words(node, base, side).values() for words in of]


def _name_conflict(base: QueryMeaning, theirs: QueryMeaning, mine: QueryMeaning) -> MergeConflict:
    of = [f"name of the query: {base.graph.name} -> {each.graph.name}" for each in (theirs, mine)]
    return MergeConflict(key="name", node=None, part="name", theirs=of[:1], mine=of[1:])


def _conflict(node: str, part: Part, theirs: list[str], mine: list[str]) -> MergeConflict:
    return MergeConflict(key=f"{part}:{node}", node=node, part=part, theirs=theirs, mine=mine)


def _order(base: Sequence[str], theirs: Sequence[str], mine: Sequence[str]) -> list[str]:
    """All ids: as in mine, or as in theirs where mine are those of the base; the others after those before them."""
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
    return canonical(value.model_dump(mode="json") if isinstance(value, BaseModel) else value)
