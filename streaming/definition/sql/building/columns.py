"""The items of a SELECT as columns: fields, aggregates and analytic functions, and columns computed from them."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from streaming.definition.sql.building.drafts import NodeDraft, derived, quoted
from streaming.definition.sql.reading.aggregates import AggregateCall, take_calls
from streaming.definition.sql.reading.over import OverCall, take_over_calls
from streaming.definition.sql.reading.reader import Reader, TokenRange, ValueAt
from streaming.definition.sql.reading.slices import ExpressionSlice, after_qualifiers, cut
from streaming.definition.sql.reading.tree import ItemSyntax, SelectSyntax
from streaming.definition.tokens import RESERVED, Extent, TokenKind

_NAME_IT = "Give it a name with AS, such as AS total."


@dataclass(frozen=True)
class SelectColumn:
    """One item: its aggregates, its field if it is nothing but a field, its name, and its analytic functions."""

    item: ItemSyntax
    calls: tuple[AggregateCall, ...]
    field: str | None
    name: ValueAt[str] | None
    overs: tuple[OverCall, ...] = ()

    @property
    def is_call(self) -> bool:
        """Return whether it is one aggregate and nothing else."""
        return len(self.calls) == 1 and self.calls[0].part == self.item.of


def read_columns(reader: Reader, select: SelectSyntax, qualifiers: Set[str]) -> list[SelectColumn]:
    """Return the items with their names; report an item without a name."""
    event_times = [select.event_time, select.source.event_time if select.source else None]
    paths = [(each.values or {}).get("path") for each in event_times if each is not None]
    time_field = paths[0] if paths else None
    return [_read_column(reader, item, qualifiers, time_field) for item in select.items]


def _take_aggregate(reader: Reader, call: OverCall) -> None:
    """Read the arguments of an aggregate with OVER."""
    for aggregate in take_calls(reader, call.aggregate) if call.aggregate is not None else ():
        for name, expression in (("of", aggregate.of), ("filter", aggregate.filter)):
            if expression:
                call.parts[name] = expression
        for name, value in (("k", aggregate.k), ("fraction", aggregate.fraction)):
            if value is not None:
                call.values[name] = ValueAt(value.value, value.extent)


def _read_column(reader: Reader, item: ItemSyntax, qualifiers: Set[str], time_field: str | None = None) -> SelectColumn:
    overs = tuple(take_over_calls(reader, item.of, time_field))
    for over in overs:
        _take_aggregate(reader, over)
    if overs:
        return SelectColumn(item, _calls_between(reader, item.of, overs), None, _over_name(reader, item, overs), overs)
    calls = tuple(take_calls(reader, item.of))
    path = field_path(reader, item.of, qualifiers)
    column = SelectColumn(item, calls, path[0] if len(path) == 1 else None, item.name)
    if item.name is not None:
        return column
    name = _last_step(reader, item.of) if path else None
    if column.is_call:
        call = calls[0]
        path = field_path(reader, call.of, qualifiers) if call.of else ()
        step = _last_step(reader, call.of) if call.of and path else None
        name = f"{call.function.value}_{step}" if step else None if call.of else call.function.value
    if [token.word for token in reader.tokens[item.of.last - 2 : item.of.last]] == [".", "*"]:
        message = "A `*` for one source is not supported."
        reader.problem(item.extent, message, "List the fields of the source, or write * alone for all fields.")
        return column
    if name is None or len(name) > 63:
        written = reader.text[slice(*item.extent)][:60]
        reader.problem(item.extent, f"`{written}` has no name.", _NAME_IT)
        return column
    return SelectColumn(item, calls, column.field, ValueAt(name, item.extent))


def _calls_between(reader: Reader, part: TokenRange, overs: tuple[OverCall, ...]) -> tuple[AggregateCall, ...]:
    """Return the aggregates of an item that have no OVER."""
    bounds = [part.first, *(end for over in overs for end in (over.part.first, over.part.last)), part.last]
    gaps = (TokenRange(first, last) for first, last in zip(bounds[::2], bounds[1::2], strict=True))
    return tuple(call for gap in gaps for call in take_calls(reader, gap))


def _over_name(reader: Reader, item: ItemSyntax, overs: tuple[OverCall, ...]) -> ValueAt[str] | None:
    """Return the name of an item with OVER; report one without a name, unless it is a call of a field."""
    if item.name is not None:
        return item.name
    of = overs[0].parts.get("of")
    if len(overs) == 1 and overs[0].part == item.of:
        function = overs[0].function.value
        if of is None:
            return ValueAt(function, item.extent)
        if of.last - of.first == 1 and reader.tokens[of.first].kind is TokenKind.WORD:
            return ValueAt(f"{function}_{reader.tokens[of.first].value}", item.extent)
    written = reader.text[slice(*item.extent)][:60]
    reader.problem(item.extent, f"`{written}` has no name.", _NAME_IT)
    return None


def _last_step(reader: Reader, part: TokenRange) -> str:
    """Return the name of a field as written."""
    return reader.tokens[part.last - 1].value


def field_path(reader: Reader, part: TokenRange, qualifiers: Set[str]) -> tuple[str, ...]:
    """Return the steps of the field that a part names in the graph, without qualifiers; empty if it isn't a field."""
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
    """Return the fields of GROUP BY; report a path into a struct."""
    groups: list[ValueAt[str]] = []
    for part in select.groups:
        path = field_path(reader, part, qualifiers)
        extent = reader.covered(part)
        if len(path) == 1:
            groups.append(ValueAt(path[0], extent))
            continue
        remedy = "Give it a name in an earlier step: WITH x AS (SELECT STREAM a.b AS b, ... FROM ...)."
        reader.problem(extent, "GROUP BY takes only whole fields.", remedy)
    return groups


def put_columns(reader: Reader, draft: NodeDraft, columns: list[SelectColumn], texts: list[ExpressionSlice]) -> None:
    """Set the columns of a project node, whose expressions are `texts`."""
    values: list[dict[str, object]] = []
    for index, (column, text) in enumerate(zip(columns, texts, strict=True)):
        path = f"columns[{index}]"
        draft.mark(path, column.item.extent)
        draft.places[f"{path}.of"] = text.place
        values.append({"of": text.text})
        if column.name is not None:
            values[-1]["name"] = column.name.value
            draft.mark(f"{path}.name", column.name.extent)
    draft.put("columns", values, _extent_of(reader, columns))


def _extent_of(reader: Reader, columns: list[SelectColumn]) -> Extent:
    if not columns:
        return reader.here()
    return columns[0].item.extent[0], columns[-1].item.extent[1]


@dataclass
class WindowAggregates:
    """Collects the aggregates of one window node."""

    reader: Reader
    qualifiers: Set[str]
    found: list[dict[str, object]] = field(default_factory=list)
    written: dict[tuple[str, ...], str] = field(default_factory=dict)

    def add(self, draft: NodeDraft, call: AggregateCall, name: ValueAt[str] | None) -> None:
        """Append one; without a name, which was reported, the name is left out."""
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
        for key, argument in (("k", call.k), ("fraction", call.fraction)):
            if argument is not None:
                aggregate[key] = argument.value
                draft.mark(f"{path}.{key}", argument.extent)
        self.found.append(aggregate)

    def words(self, call: AggregateCall) -> tuple[str, ...]:
        """Return the words of a call, to recognise an equal call."""
        return tuple(
            token.word or self.reader.text[token.start : token.end]
            for token in self.reader.tokens[call.part.first : call.part.last]
        )

    def replaced(self, part: TokenRange, calls: tuple[AggregateCall, ...], names: list[str]) -> ExpressionSlice:
        """Return the text of an expression with the names of aggregates instead of the calls."""
        edits = [(*self.reader.covered(call.part), quoted(name)) for call, name in zip(calls, names, strict=True)]
        return cut(self.reader, part, self.qualifiers, edits)


def names_of_calls(name: str, count: int) -> list[str]:
    """Return the names of the aggregates inside an item of that name."""
    return [name] if count == 1 else [derived(name, str(index + 1)) for index in range(count)]


@dataclass(frozen=True)
class NamedCall:
    """One call, and the name of its column; None if its item has no name, which was reported."""

    call: OverCall
    name: ValueAt[str] | None


def named_calls(columns: Sequence[SelectColumn]) -> list[NamedCall]:
    """Return the calls of all items with the names of their columns, in the order of the text."""
    found: list[NamedCall] = []
    for column in columns:
        names = names_of_calls(column.name.value, len(column.overs)) if column.name is not None else []
        for index, call in enumerate(column.overs):
            name = ValueAt(names[index], column.item.extent) if names and column.name else None
            found.append(NamedCall(call, name))
    return found


def by_node(reader: Reader, calls: Sequence[NamedCall]) -> list[list[NamedCall]]:
    """Return the calls of each node, in the order of the text."""
    found: dict[tuple[object, ...], list[NamedCall]] = {}
    for each in calls:
        found.setdefault(each.call.node_key(reader), []).append(each)
    return list(found.values())


def fill_analytic(reader: Reader, draft: NodeDraft, calls: Sequence[NamedCall], qualifiers: Set[str]) -> None:
    """Set the fields of an analytic node for `calls`."""
    first = calls[0].call
    if first.groups:
        extent = (first.groups[0].extent[0], first.groups[-1].extent[1])
        draft.put("group_by", [group.value for group in first.groups], extent)
        for index, group in enumerate(first.groups):
            draft.mark(f"group_by[{index}]", group.extent)
    order: list[dict[str, object]] = []
    for index, (part, descending) in enumerate(first.order):
        text = cut(reader, part, qualifiers)
        draft.places[f"order_by[{index}].of"] = text.place
        order.append({"of": text.text, "descending": descending})
    if order:
        draft.put("order_by", order, first.extent)
    for name, length in first.lengths.items():
        draft.put(name, length.value, length.extent)
    columns = [_column(reader, draft, index, each, qualifiers) for index, each in enumerate(calls)]
    draft.put("columns", columns, first.extent)


def _column(reader: Reader, draft: NodeDraft, index: int, each: NamedCall, qualifiers: Set[str]) -> dict[str, object]:
    path, call = f"columns[{index}]", each.call
    draft.mark(path, reader.covered(call.part))
    draft.mark(f"{path}.function", call.function.extent)
    column: dict[str, object] = {"function": call.function.value}
    if each.name is not None:
        column["name"] = each.name.value
        draft.mark(f"{path}.name", each.name.extent)
    for name, part in call.parts.items():
        text = cut(reader, part, qualifiers)
        column[name] = text.text
        draft.places[f"{path}.{name}"] = text.place
    for name, value in call.values.items():
        column[name] = value.value
        draft.mark(f"{path}.{name}", value.extent)
    return column


def over_texts(
    reader: Reader, columns: Sequence[SelectColumn], calls: Sequence[NamedCall], qualifiers: Set[str]
) -> list[ExpressionSlice]:
    """Return the texts of all items with the names of columns instead of the calls."""
    names = iter(calls)
    texts = []
    for column in columns:
        edits = []
        for call in column.overs:
            name = next(names).name
            edits.append((*reader.covered(call.part), quoted(name.value) if name else "null"))
        texts.append(cut(reader, column.item.of, qualifiers, edits))
    return texts
