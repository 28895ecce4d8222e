"""The names in scope at the cursor: the sources of its SELECT, their fields, and the nodes of the text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from streaming.definition.checks.check import check
from streaming.definition.load import load_graph
from streaming.definition.own_functions.functions import QueryFunction
from streaming.definition.payload.type_text import TypeTextError, parse_fields
from streaming.definition.payload.types import Fields, Type
from streaming.definition.sql.completion.place import CursorSpot
from streaming.definition.sql.grammar.words import BEFORE_SOURCE
from streaming.definition.sql.parse import parse_sql
from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.tokens import SqlToken, TokenKind

_NAMED: Final = (TokenKind.WORD, TokenKind.QUOTED)


@dataclass(frozen=True)
class KnownSource:
    """One source of a SELECT: the node or stream that it `reads`, the `name` before its fields, and its fields."""

    reads: str
    name: str
    fields: Fields


@dataclass(frozen=True)
class CompletionScope:
    """The readable text around a spot; `fixed` are its sources if they are not those of FROM."""

    text: str
    spot: CursorSpot
    streams: Mapping[str, StreamDefinition]
    fixed: tuple[KnownSource, ...] | None = None

    @cached_property
    def _raw(self) -> Mapping[str, object]:
        return parse_sql(self.text).raw

    @cached_property
    def schemas(self) -> Mapping[str, Fields]:
        """Return the output fields of each valid node of the text."""
        return check(self._raw, self.streams, complete=False).schemas

    @cached_property
    def functions(self) -> tuple[QueryFunction, ...]:
        """Return the readable functions of the text."""
        return load_graph(self._raw).functions

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """Return the ids of the nodes between inputs and outputs, in order: steps, and nodes with derived ids."""
        return tuple(node["id"] for node in self._nodes if node.get("kind") not in ("input", "output"))

    @cached_property
    def steps(self) -> tuple[str, ...]:
        """Return the names before AS ( in the text, even if their bodies are not readable."""
        tokens = self.spot.tokens
        named = zip(tokens, tokens[1:], tokens[2:], strict=False)
        names = (one.value for one, two, three in named if (two.word, three.word) == ("AS", "("))
        return tuple(dict.fromkeys(names))

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Return the ids of the inputs of the text, in order."""
        return tuple(node["id"] for node in self._nodes if node.get("kind") == "input")

    @cached_property
    def _nodes(self) -> list[Mapping[str, str]]:
        raw = self._raw.get("nodes")
        return [each for each in raw if isinstance(each, Mapping) and "id" in each] if isinstance(raw, list) else []

    @cached_property
    def sources(self) -> tuple[KnownSource, ...]:
        """Return the sources of the branch, in order, including those after the cursor."""
        if self.fixed is not None:
            return self.fixed
        tokens = (*self.spot.before, *self.spot.after)
        return tuple(self._source(tokens, index) for index in _source_places(tokens))

    @cached_property
    def fields(self) -> Fields:
        """Return all fields of the sources, those of the first source first."""
        merged: dict[str, Type] = {}
        for source in reversed(self.sources):
            merged = {**merged, **source.fields}
        return {name: merged[name] for source in self.sources for name in source.fields}

    def of_name(self, name: str) -> Fields:
        """Return the fields of the node or stream of that name; empty if it is unknown."""
        fields = self.schemas.get(name)
        if fields is not None:
            return fields
        stream = self.streams.get(name)
        try:
            return {} if stream is None else parse_fields(stream.fields)
        except TypeTextError:
            return {}

    def _source(self, tokens: Sequence[SqlToken], index: int) -> KnownSource:
        reads = "" if tokens[index].word == "()" else tokens[index].value
        name, at = reads, index + 1
        if at < len(tokens) and tokens[at].word == "AS":
            at += 1
        if index + 1 < at < len(tokens) and tokens[at].kind in _NAMED:
            name = tokens[at].value
        if reads:
            return KnownSource(reads, name, self.of_name(reads))
        nested = next((node for node in self.schemas if node == name or (not name and node.endswith("_from"))), "")
        return KnownSource(nested, name or nested, self.of_name(nested))


def _source_places(tokens: Sequence[SqlToken]) -> Iterator[int]:
    """Yield the indices of the names, or groups, that are sources."""
    clipping = False
    for index in range(1, len(tokens)):
        word, token = tokens[index - 1].word, tokens[index]
        introduced = word in BEFORE_SOURCE or (word == "END" and index > 2 and tokens[index - 3].word == "POINT")
        clipping = clipping or word == "CLIP"
        if word in ("STREAM", "NODE") and index > 1:
            introduced = tokens[index - 2].word in BEFORE_SOURCE
        if clipping and word == "BY":
            introduced, clipping = True, False
        if introduced and token.word not in ("STREAM", "NODE") and (token.kind in _NAMED or token.word == "()"):
            yield index
