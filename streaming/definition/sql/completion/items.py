"""Items of completion: streams, steps, fields, functions, aggregates, keywords and types."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from streaming.definition.aggregate_functions import AGGREGATES, AggregateEntry
from streaming.definition.expressions.functions import FUNCTIONS
from streaming.definition.expressions.macros import signature
from streaming.definition.own_functions.functions import QueryFunction, source_of
from streaming.definition.payload.types import SCALARS, Fields
from streaming.definition.presets import PRESETS
from streaming.definition.sql.grammar.rows import KeywordRow
from streaming.definition.sql.grammar.words import BY_WORDS
from streaming.definition.sql.printing.words import name as written
from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.tokens import RESERVED

CompletionKind = Literal["stream", "node", "field", "function", "aggregate", "keyword", "type"]


@dataclass(frozen=True)
class OfferedItem:
    """One item: its `label`, the text to `insert`, and as `detail` its signature, type or form."""

    label: str
    kind: CompletionKind
    detail: str
    help: str
    insert: str


def keywords(*words: KeywordRow | str) -> Iterator[OfferedItem]:
    """Yield keywords, with their form and a line of help if they have one."""
    for each in words:
        row = BY_WORDS.get(each, KeywordRow(each)) if isinstance(each, str) else each
        yield OfferedItem(row.words, "keyword", row.syntax, row.help, row.words)


def streams(known: Mapping[str, StreamDefinition]) -> Iterator[OfferedItem]:
    """Yield streams, with their fields."""
    for name, stream in known.items():
        fields = ", ".join(f"{field} {of}" for field, of in stream.fields.items())
        yield OfferedItem(name, "stream", f"{stream.shape} stream", fields, written(name))


def nodes(names: Iterable[str], schemas: Mapping[str, Fields]) -> Iterator[OfferedItem]:
    """Yield steps and other nodes, with their fields if known."""
    for name in names:
        fields = ", ".join(f"{field} {of}" for field, of in schemas.get(name, {}).items())
        yield OfferedItem(name, "node", "step", fields, written(name))


def fields(of: Fields, origin: str = "", qualifier: str = "") -> Iterator[OfferedItem]:
    """Yield fields with their types; `origin` is their help, `qualifier` is written before them."""
    for name, type_ in of.items():
        origin_help = f"of {origin}" if origin else ""
        before = f"{written(qualifier)}." if qualifier else ""
        label = f"{qualifier}.{name}" if qualifier else name
        yield OfferedItem(label, "field", str(type_), origin_help, before + _in_expression(name))


def _in_expression(name: str) -> str:
    """Return a field's name, in backticks if it would otherwise be read as a keyword."""
    return f"`{name}`" if name.lower() in RESERVED else written(name)


def functions(own: Iterable[QueryFunction]) -> Iterator[OfferedItem]:
    """Yield the functions of expressions, with their signatures: first the query's `own`."""
    for each in own:
        detail = f"{signature(each)} -> {each.returns}"
        yield OfferedItem(each.name, "function", detail, source_of(each), f"{each.name}(")
    for entry in FUNCTIONS.values():
        yield OfferedItem(entry.name, "function", entry.signature, entry.help, f"{entry.name}(")


def aggregates() -> Iterator[OfferedItem]:
    """Yield the aggregates of windows, with their signatures."""
    for entry in AGGREGATES.values():
        signature = "count(*) or count(value) -> long" if entry.bare else entry.signature
        yield OfferedItem(entry.name.upper(), "aggregate", signature, entry.help, _call(entry))


def _call(entry: AggregateEntry) -> str:
    return f"{entry.name.upper()}({'*)' if entry.bare else ''}"


def presets() -> Iterator[OfferedItem]:
    """Yield the presets of ADVANCE TIME, with their forms."""
    for name, preset in PRESETS.items():
        yield OfferedItem(name, "keyword", preset.form(name), preset.help, f"{name}(" if preset.parameters else name)


def types() -> Iterator[OfferedItem]:
    """Yield the types that a value can be cast to."""
    for name in SCALARS:
        yield OfferedItem(name, "type", "", "", name)
    yield OfferedItem("decimal", "type", "decimal(precision, scale)", "", "decimal(")
