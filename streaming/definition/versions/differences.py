"""Differences between two versions of a query, in words.

Every field of every model is compared, so a new kind of node or a new field needs no change here. The list is empty
exactly if both mean the same.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, TypeVar

from pydantic import BaseModel

from streaming.definition.expressions.macros import signature
from streaming.definition.graph import Node, QueryGraph
from streaming.definition.own_functions.functions import source_of
from streaming.definition.strict import Strict
from streaming.definition.versions.meaning import QueryMeaning, canonical
from streaming.definition.versions.words import NOTHING, format_value, label, model_words, named_words

M = TypeVar("M", bound=BaseModel)
Keyed = dict[tuple[str, int], M]
_ONE: Final = {"columns": "column", "aggregates": "column"}
"""The word for one entry of a list of named entries."""


class DefinitionDifference(Strict):
    """One difference: its complete description in `words`, and its node (None: the query itself)."""

    node: str | None
    change: Literal["added", "removed", "changed"]
    words: str


def differences(before: QueryMeaning, after: QueryMeaning) -> list[DefinitionDifference]:
    """Return the changes from `before` to `after` by node; empty exactly if both mean the same. Never raises."""
    changes: list[DefinitionDifference] = []
    if before.graph.name != after.graph.name:
        changes.append(_changed(None, f"name of the query: {before.graph.name} -> {after.graph.name}"))
    changes += [_changed(None, words) for words in function_words(before.graph, after.graph)]
    old, new = _by_name(before.graph.nodes, "id"), _by_name(after.graph.nodes, "id")
    for key, node in old.items():
        if key not in new:
            changes.append(DefinitionDifference(node=node.id, change="removed", words=f"node {node.id} removed"))
    for key, node in new.items():
        if key in old:
            changes += node_differences(old[key], node)
        else:
            words = f"node {node.id} added: {model_words(node)}"
            changes.append(DefinitionDifference(node=node.id, change="added", words=words))
    changes += [_changed(None, words) for words in _order("nodes", old, new)]
    return [*changes, *_settings_differences(before, after)]


def function_words(before: QueryGraph, after: QueryGraph) -> list[str]:
    """Return the changes of functions in words."""
    old, new = ({each.name: each for each in graph.functions} for graph in (before, after))
    words = [f"function {name} removed" for name in old if name not in new]
    for name, each in new.items():
        if old.get(name) != each:
            change = "changed" if name in old else "added"
            words.append(f"function {name} {change}: {signature(each)} = {source_of(each)}")
    if not words and before.functions != after.functions:
        words.append("order of functions changed")
    return words


def node_differences(before: Node, after: Node) -> list[DefinitionDifference]:
    """Return the changes of a node that has the same id in both versions."""
    if before.kind != after.kind:
        return [_changed(after.id, f"node {after.id}: {before.kind} -> {model_words(after)}")]
    return [_changed(after.id, f"{label(after.kind)} {after.id}: {words}") for words in _phrases(before, after)]


def setting_differences(
    node: str, title: str, before: BaseModel | None, after: BaseModel | None
) -> list[DefinitionDifference]:
    """Return the changes of time settings of the input `node`; `title` starts the words."""
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
    return "setting of the stream" if settings is None else model_words(settings)


def _changed(node: str | None, words: str) -> DefinitionDifference:
    return DefinitionDifference(node=node, change="changed", words=words)


def _phrases(before: BaseModel, after: BaseModel, prefix: str = "") -> Iterator[str]:
    """Yield the changes between two models of one type, a phrase for each field."""
    old, new = before.model_dump(mode="json"), after.model_dump(mode="json")
    for name in type(after).model_fields:
        if canonical(old.get(name)) != canonical(new.get(name)):  # a field that is left out is null
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
    was, now = format_value(old, field), format_value(new, field)
    if was == now:  # written differently, such as 60s and 1m
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
    """Return the entries by name and number; duplicate names, which are reported elsewhere, get different numbers."""
    keyed: Keyed[M] = {}
    for entry in entries:
        name = getattr(entry, key)
        keyed[(name, sum(other == name for other, _ in keyed))] = entry
    return keyed


def _order(title: str, before: Keyed[Any], after: Keyed[Any]) -> Iterator[str]:
    """Yield a phrase if the common entries have another order."""
    old, new = [key for key in before if key in after], [key for key in after if key in before]
    if old != new:
        yield f"{title} in another order: {_names(old)} -> {_names(new)}"


def _names(keys: Sequence[tuple[str, int]]) -> str:
    return ", ".join(name for name, _ in keys) or NOTHING
