"""What differs between two versions of a query, in words.

Every field of every model is walked, so that a new kind of node or a new field needs nothing here: the list is empty
exactly when both mean the same.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, TypeVar

from pydantic import BaseModel

from streaming.definition.graph import Node
from streaming.definition.strict import Strict
from streaming.definition.versions.meaning import QueryMeaning, canonical
from streaming.definition.versions.words import NOTHING, label, model_words, named_words, said

M = TypeVar("M", bound=BaseModel)
Keyed = dict[tuple[str, int], M]
_ONE: Final = {"columns": "column", "aggregates": "column"}
"""What one entry of a list with names is called."""


class DefinitionDifference(Strict):
    """One difference: `words` whole, and the node that it is about (None: the query itself)."""

    node: str | None
    change: Literal["added", "removed", "changed"]
    words: str


def differences(before: QueryMeaning, after: QueryMeaning) -> list[DefinitionDifference]:
    """What has changed from `before` to `after`, node by node; empty exactly when both mean the same. Never raises."""
    found: list[DefinitionDifference] = []
    if before.graph.name != after.graph.name:
        found.append(_changed(None, f"name of the query: {before.graph.name} -> {after.graph.name}"))
    old, new = _by_name(before.graph.nodes, "id"), _by_name(after.graph.nodes, "id")
    for key, node in old.items():
        if key not in new:
            found.append(DefinitionDifference(node=node.id, change="removed", words=f"node {node.id} removed"))
    for key, node in new.items():
        if key in old:
            found += node_differences(old[key], node)
        else:
            words = f"node {node.id} added: {model_words(node)}"
            found.append(DefinitionDifference(node=node.id, change="added", words=words))
    found += [_changed(None, words) for words in _order("nodes", old, new)]
    return [*found, *_settings_differences(before, after)]


def node_differences(before: Node, after: Node) -> list[DefinitionDifference]:
    """What has changed in a node that kept its id."""
    if before.kind != after.kind:
        return [_changed(after.id, f"node {after.id}: {before.kind} -> {model_words(after)}")]
    return [_changed(after.id, f"{label(after.kind)} {after.id}: {words}") for words in _phrases(before, after)]


def setting_differences(
    node: str, title: str, before: BaseModel | None, after: BaseModel | None
) -> list[DefinitionDifference]:
    """What has changed in what a text says of the time of the input `node`; `title` begins the words."""
    if before is None or after is None:
        if before is after:
            return []
        return [_changed(node, f"{title} of {node}: {_whole(before)} -> {_whole(after)}")]
    return [_changed(node, f"{title} of {node}: {words}") for words in _phrases(before, after)]


def _settings_differences(before: QueryMeaning, after: QueryMeaning) -> list[DefinitionDifference]:
    found = []
    for node in dict.fromkeys([*before.advance, *after.advance]):
        found += setting_differences(node, "time", before.advance.get(node), after.advance.get(node))
    for node in dict.fromkeys([*before.event_times, *after.event_times]):
        old, new = before.event_times.get(node), after.event_times.get(node)
        found += setting_differences(node, "event time", old, new)
    return found


def _whole(settings: BaseModel | None) -> str:
    return "as the stream says" if settings is None else model_words(settings)


def _changed(node: str | None, words: str) -> DefinitionDifference:
    return DefinitionDifference(node=node, change="changed", words=words)


def _phrases(before: BaseModel, after: BaseModel, prefix: str = "") -> Iterator[str]:
    """What has changed between two models of one type, a phrase for each field."""
    old, new = before.model_dump(mode="json"), after.model_dump(mode="json")
    for name in type(after).model_fields:
        if canonical(old[name]) != canonical(new[name]):
            yield from _field_phrases(before, after, name, prefix)


def _field_phrases(before: BaseModel, after: BaseModel, name: str, prefix: str) -> Iterator[str]:
    field = type(after).model_fields[name]
    old, new = getattr(before, name), getattr(after, name)
    if isinstance(new, BaseModel) and type(old) is type(new):
        yield from _phrases(old, new, prefix)
        return
    if name in _ONE:
        yield from _list_phrases(name, old, new)
        return
    was, now = said(old, field), said(new, field)
    if was == now:  # written otherwise, such as 60s and 1m
        was, now = canonical(before.model_dump(mode="json")[name]), canonical(after.model_dump(mode="json")[name])
    yield f"{prefix}{label(name)} {was} -> {now}"


def _list_phrases(name: str, before: Sequence[Any], after: Sequence[Any]) -> Iterator[str]:
    old, new, one = _by_name(before, "name"), _by_name(after, "name"), _ONE[name]
    for key, entry in old.items():
        if key not in new:
            yield f"{one} removed: {entry.name}"
    for key, entry in new.items():
        if key not in old:
            yield f"{one} added: {named_words(entry)}"
        else:
            yield from _phrases(old[key], entry, f"{one} {entry.name}: ")
    yield from _order(name, old, new)


def _by_name(entries: Sequence[M], key: str) -> Keyed[M]:
    """The entries by name; of several with one name, a fault of its own, the first, the second and so on."""
    found: Keyed[M] = {}
    for entry in entries:
        name = getattr(entry, key)
        found[(name, sum(other == name for other, _ in found))] = entry
    return found


def _order(title: str, before: Keyed[Any], after: Keyed[Any]) -> Iterator[str]:
    """That what both have stands in another order."""
    old, new = [key for key in before if key in after], [key for key in after if key in before]
    if old != new:
        yield f"{title} in another order: {_names(old)} -> {_names(new)}"


def _names(keys: Sequence[tuple[str, int]]) -> str:
    return ", ".join(name for name, _ in keys) or NOTHING
