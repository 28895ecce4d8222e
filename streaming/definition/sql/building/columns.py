"""The items of a SELECT as columns, and aggregates with columns behind them."""

from collections.abc import Set
from dataclasses import dataclass, field

from streaming.definition.sql.building.drafts import NodeDraft, derived
from streaming.definition.sql.reading.aggregates import AggregateCall, take_calls
from streaming.definition.sql.reading.reader import Reader, TokenRange, ValueAt
from streaming.definition.sql.reading.slices import ExpressionSlice, after_qualifiers, cut
from streaming.definition.sql.reading.tree import ItemSyntax, SelectSyntax
from streaming.definition.tokens import RESERVED, Extent, TokenKind

_NAME_IT = "Give it a name with AS, such as AS total."


@dataclass(frozen=True)
class SelectColumn:
    """One item: its aggregates, the field that it is if it is no more than one, and its name."""

    item: ItemSyntax
    calls: tuple[AggregateCall, ...]
    field: str | None
    name: ValueAt[str] | None

    @property
    def is_call(self) -> bool:
        """Whether it is one aggregate and nothing else."""
        return len(self.calls) == 1 and self.calls[0].part == self.item.of


def read_columns(reader: Reader, select: SelectSyntax, qualifiers: Set[str]) -> list[SelectColumn]:
    """The items with their names; an item without one is told."""
    return [_read_column(reader, item, qualifiers) for item in select.items]


def _read_column(reader: Reader, item: ItemSyntax, qualifiers: Set[str]) -> SelectColumn:
    calls = tuple(take_calls(reader, item.of))
    path = field_path(reader, item.of, qualifiers)
    column = SelectColumn(item, calls, path[0] if len(path) == 1 else None, item.name)
    if item.name is not None:
        return column
    name = _last_step(reader, item.of) if path else None
    if column.is_call:
        call = calls[0]
        path = field_path(reader, call.of, qualifiers) if call.of else ()
        said = _last_step(reader, call.of) if call.of and path else None
        name = f"{call.function.value}_{said}" if said else None if call.of else call.function.value
    if [token.word for token in reader.tokens[item.of.last - 2 : item.of.last]] == [".", "*"]:
        message = "The fields of one source cannot be taken all at once."
        reader.problem(item.extent, message, "Name those that you want, or write * alone for all of both.")
        return column
    if name is None or len(name) > 63:
        shown = reader.text[slice(*item.extent)][:60]
        reader.problem(item.extent, f"`{shown}` has no name.", _NAME_IT)
        return column
    return SelectColumn(item, calls, column.field, ValueAt(name, item.extent))


def _last_step(reader: Reader, part: TokenRange) -> str:
    """The name of a field as the text has it."""
    return reader.tokens[part.last - 1].value


def field_path(reader: Reader, part: TokenRange, qualifiers: Set[str]) -> tuple[str, ...]:
    """The steps of the field that a part is in the graph, without qualifiers; empty if it is anything else."""
    tokens = reader.tokens
    first = after_qualifiers(tokens, part.first, part.last, qualifiers)
    steps = tokens[first : part.last : 2]
    points = tokens[first + 1 : part.last : 2]
    plain = steps and all(token.kind in (TokenKind.WORD, TokenKind.QUOTED) for token in steps)
    if not plain or len(points) != len(steps) - 1 or any(token.word != "." for token in points):
        return ()
    if len(steps) == 1 and steps[0].kind is TokenKind.WORD and steps[0].value.lower() in RESERVED:
        return ()
    renamed = reader.renamed.get(part.first)
    first_step = steps[0].value if renamed is None else renamed.strip("`")
    return (first_step, *(token.value for token in steps[1:]))


def group_names(reader: Reader, select: SelectSyntax, qualifiers: Set[str]) -> list[ValueAt[str]]:
    """The fields of GROUP BY; a path into a struct is told."""
    found: list[ValueAt[str]] = []
    for part in select.groups:
        path = field_path(reader, part, qualifiers)
        extent = reader.covered(part)
        if len(path) == 1:
            found.append(ValueAt(path[0], extent))
            continue
        remedy = "Give it a name in a step before: WITH x AS (SELECT STREAM a.b AS b, ... FROM ...)."
        reader.problem(extent, "GROUP BY takes fields, and not what stands inside them.", remedy)
    return found


def put_columns(reader: Reader, draft: NodeDraft, columns: list[SelectColumn], texts: list[ExpressionSlice]) -> None:
    """Set the columns of a project node, whose expressions are `texts`."""
    found: list[dict[str, object]] = []
    for index, (column, text) in enumerate(zip(columns, texts, strict=True)):
        path = f"columns[{index}]"
        draft.mark(path, column.item.extent)
        draft.places[f"{path}.of"] = text.place
        found.append({"of": text.text})
        if column.name is not None:
            found[-1]["name"] = column.name.value
            draft.mark(f"{path}.name", column.name.extent)
    draft.put("columns", found, _listed(reader, columns))


def _listed(reader: Reader, columns: list[SelectColumn]) -> Extent:
    if not columns:
        return reader.here()
    return columns[0].item.extent[0], columns[-1].item.extent[1]


@dataclass
class WindowAggregates:
    """The aggregates of one window node as they are collected."""

    reader: Reader
    qualifiers: Set[str]
    found: list[dict[str, object]] = field(default_factory=list)
    written: dict[tuple[str, ...], str] = field(default_factory=dict)

    def add(self, draft: NodeDraft, call: AggregateCall, name: ValueAt[str] | None) -> None:
        """Append one; without a name, which was told, it is a hole."""
        path = f"aggregates[{len(self.found)}]"
        aggregate: dict[str, object] = {"function": call.function.value}
        draft.mark(path, self.reader.covered(call.part))
        draft.mark(f"{path}.function", call.function.extent)
        if name is not None:
            aggregate["name"] = name.value
            draft.mark(f"{path}.name", name.extent)
            self.written.setdefault(self.words(call), name.value)
        for key, part in (("of", call.of), ("filter", call.filter)):
            if part:
                text = cut(self.reader, part, self.qualifiers)
                aggregate[key] = text.text
                draft.places[f"{path}.{key}"] = text.place
        for key, said in (("k", call.k), ("fraction", call.fraction)):
            if said is not None:
                aggregate[key] = said.value
                draft.mark(f"{path}.{key}", said.extent)
        self.found.append(aggregate)

    def words(self, call: AggregateCall) -> tuple[str, ...]:
        """What a call says, so that the same call is known again."""
        return tuple(
            token.word or self.reader.text[token.start : token.end]
            for token in self.reader.tokens[call.part.first : call.part.last]
        )

    def replaced(self, part: TokenRange, calls: tuple[AggregateCall, ...], names: list[str]) -> ExpressionSlice:
        """The text of an expression with the names of aggregates in place of the calls."""
        edits = [(*self.reader.covered(call.part), quoted(name)) for call, name in zip(calls, names, strict=True)]
        return cut(self.reader, part, self.qualifiers, edits)


def quoted(name: str) -> str:
    """A name as an expression."""
    return f"`{name}`" if name.lower() in RESERVED else name


def names_of_calls(name: str, count: int) -> list[str]:
    """The names of the aggregates inside an item of that name."""
    return [name] if count == 1 else [derived(name, str(index + 1)) for index in range(count)]
