"""A SELECT with windows as nodes: the window, HAVING, and the columns that are computed from aggregates."""

from collections.abc import Iterator, Set

from streaming.definition.sql.building.columns import SelectColumn, WindowAggregates, group_names, names_of_calls
from streaming.definition.sql.building.drafts import NodeDraft
from streaming.definition.sql.reading.aggregates import AggregateCall, is_aggregate, take_calls
from streaming.definition.sql.reading.reader import Reader, TokenRange, ValueAt
from streaming.definition.sql.reading.slices import ExpressionSlice, cut
from streaming.definition.sql.reading.tree import SelectSyntax, WrittenFields
from streaming.definition.tokens import Extent, SqlToken, TokenKind


class WindowSelect:
    """One SELECT with windows: fills the `window` node, and provides HAVING and the columns after it."""

    def __init__(self, reader: Reader, select: SelectSyntax, columns: list[SelectColumn], qualifiers: Set[str]) -> None:
        self.reader = reader
        self.select = select
        self.columns = columns
        self.qualifiers = qualifiers
        self.groups = group_names(reader, select, qualifiers)
        self.aggregates = WindowAggregates(reader, qualifiers)
        self.having: ExpressionSlice | None = None
        self.ungrouped: list[SelectColumn] = []
        """Columns that are fields but are neither in GROUP BY nor in an aggregate."""
        self.texts: list[ExpressionSlice] | None = None
        """The expressions of the columns after the window; None if the window itself emits these columns."""

    def fill(self, draft: NodeDraft) -> None:
        """Set the fields of the window node, `having` and the columns after it."""
        _put_clauses(self.reader, draft, self.select)
        put_groups(draft, self.groups, self.select)
        having = self.select.clauses.get("HAVING")
        calls = tuple(take_calls(self.reader, having.part)) if having and having.part else ()
        direct = self._is_direct()
        texts = [self._text(draft, column) for column in self.columns]
        if having and having.part:
            before = len(self.aggregates.found)
            self.having = self._having(draft, having.part, calls)
            direct = direct and len(self.aggregates.found) == before
        self._refuse_beside()
        self._check(direct)
        if self.aggregates.found:
            first = (
                next(column for column in self.columns if column.calls)
                if any(column.calls for column in self.columns)
                else None
            )
            extent = self.select.extent if first is None else (first.item.extent[0], self.columns[-1].item.extent[1])
            draft.put("aggregates", self.aggregates.found, extent)
        if not direct and self.columns:
            self.texts = texts

    def _is_direct(self) -> bool:
        """Return whether the list is the groups in order and then aggregates, exactly as the window emits them."""
        count = len(self.groups)
        if len(self.columns) <= count or len(self.groups) != len(self.select.groups):
            return False
        groups = zip(self.columns, self.groups, strict=False)
        unchanged = all(
            column.field == group.value and column.name is not None and column.name.value == group.value
            for column, group in groups
        )
        return unchanged and all(column.is_call for column in self.columns[count:])

    def _text(self, draft: NodeDraft, column: SelectColumn) -> ExpressionSlice:
        """Return the expression of a column over the window's rows; add its aggregates to the window."""
        if column.is_call:
            self.aggregates.add(draft, column.calls[0], column.name)
            names = [column.name.value if column.name else ""]
        else:
            base = column.name.value if column.name else ""
            names = names_of_calls(base, len(column.calls)) if column.calls else []
            for call, name in zip(column.calls, names, strict=True):
                named = ValueAt(name, self.reader.covered(call.part)) if column.name else None
                self.aggregates.add(draft, call, named)
        return self.aggregates.replaced(column.item.of, column.calls, names)

    def _having(self, draft: NodeDraft, part: TokenRange, calls: tuple[AggregateCall, ...]) -> ExpressionSlice:
        self._refuse_computed(part)
        missing = [call for call in calls if self.aggregates.words(call) not in self.aggregates.written]
        fresh = iter(names_of_calls("having", len(missing)))
        for call in missing:
            if self.aggregates.words(call) not in self.aggregates.written:
                self.aggregates.add(draft, call, ValueAt(next(fresh), self.reader.covered(call.part)))
        names = [self.aggregates.written[self.aggregates.words(call)] for call in calls]
        return self.aggregates.replaced(part, calls, names)

    def _refuse_computed(self, part: TokenRange) -> None:
        """Report names in HAVING of items that are computed only after it; SQL dialects differ about this."""
        for token in self._named(part, (), self._computed()):
            message = f"HAVING is evaluated before `{token.value}` is computed."
            self.reader.problem(token.extent, message, "Write the expression itself, with its aggregates.")
        groups = {group.value for group in self.groups}
        others = {each.name.value for each in self.columns if each.name and not each.calls}
        kept = {each.field for each in self.columns if each.name and each.name.value == each.field}
        for token in self._named(part, (), groups & (others - kept)):
            message = f"`{token.value}` is both a field of GROUP BY and the name of a computed item."
            self.reader.problem(token.extent, message, "Give the item another name with AS.")

    def _refuse_beside(self) -> None:
        """Report an item that uses the name of a computed item: in the window, that name is one of its aggregates."""
        computed = self._computed()
        for column in self.columns if computed else ():
            for token in self._named(column.item.of, column.calls, computed):
                message = f"`{token.value}` is defined in the same SELECT, so it can't be used here."
                remedy = "Repeat its expression here, or compute this item in a later step."
                self.reader.problem(token.extent, message, remedy)

    def _computed(self) -> set[str]:
        """Return the names of items that are computed from aggregates."""
        return {column.name.value for column in self.columns if column.name and column.calls and not column.is_call}

    def _named(self, part: TokenRange, calls: tuple[AggregateCall, ...], names: Set[str]) -> Iterator[SqlToken]:
        """Yield the words of a part, outside the calls, that are one of the names."""
        tokens = self.reader.tokens
        inside = {index for call in calls for index in range(call.part.first, call.part.last)}
        for index in range(part.first, part.last) if names else ():
            token = tokens[index]
            named = token.kind in (TokenKind.WORD, TokenKind.QUOTED) and token.value in names and index not in inside
            if named and tokens[index - 1].word != "." and tokens[index + 1].word != "(":
                yield token

    def _check(self, direct: bool) -> None:
        """Report fields that are neither groups nor in an aggregate, and windows without an aggregate."""
        groups = {group.value for group in self.groups}
        if not direct and len(self.groups) == len(self.select.groups):
            for column in self.columns:
                if column.field is not None and column.field not in groups:
                    self.ungrouped.append(column)
                    message = f"`{column.field}` is neither in GROUP BY nor in an aggregate."
                    remedy = f"Add it to GROUP BY, or use an aggregate such as LAST({column.field}) AS {column.field}."
                    self.reader.problem(column.item.extent, message, remedy)
        if not self.aggregates.found and not self.select.star and not self._unclosed():
            clause = self.select.clauses.get("WINDOW") or self.select.clauses.get("GROUP")
            extent = clause.extent if clause else self.select.extent
            remedy = "Add one to the SELECT list, such as COUNT(*) AS n, or rank with TOP k BY expression."
            self.reader.problem(extent, "The query has a window but no aggregate.", remedy)

    def _unclosed(self) -> bool:
        """Report a call in the list that is not closed, and return whether there is one.

        It is reported here, because `check` knows aggregates only in windows.
        """
        tokens = self.reader.tokens
        for column in self.columns:
            part = column.item.of
            for index in range(part.first + 1, part.last):
                if tokens[index].word == "(" and index not in self.reader.partners and is_aggregate(tokens[index - 1]):
                    remedy = "Write ) after the last argument."
                    self.reader.problem(tokens[index].extent, "This parenthesis is not closed.", remedy)
                    return True
        return False


def put_groups(draft: NodeDraft, groups: list[ValueAt[str]], select: SelectSyntax) -> None:
    """Set `group_by`."""
    clause = select.clauses.get("GROUP")
    if clause is None:
        return
    draft.put("group_by", [group.value for group in groups], clause.extent)
    for index, group in enumerate(groups):
        draft.mark(f"group_by[{index}]", group.extent)


def _put_clauses(reader: Reader, draft: NodeDraft, select: SelectSyntax) -> None:
    window = select.clauses.get("WINDOW")
    grace = select.clauses.get("GRACE")
    if window and grace and "grace" in window.fields.values:
        reader.problem(grace.extent, "GRACE BY is written twice.", "Leave one of them out.")
    for clause in select.clauses.values():
        draft.take(clause.fields)


def fill_top(reader: Reader, draft: NodeDraft, select: SelectSyntax, qualifiers: Set[str]) -> None:
    """Set the fields of a top_k node, and report clauses that it does not support."""
    top = select.top
    assert top is not None  # nosec B101 # for the type checker only
    window = select.clauses.get("WINDOW")
    taken = WrittenFields()
    if window is not None:
        taken.places.update(window.fields.places)
        taken.values.update({key: value for key, value in window.fields.values.items() if key == "window"})
        draft.take(taken)
        if "grace" in window.fields.values:
            _refuse_top(reader, "GRACE BY", window.fields.places["grace"])
    put_groups(draft, group_names(reader, select, qualifiers), select)
    if top.k is not None:
        draft.put("k", top.k.value, top.k.extent)
    if top.by:
        draft.express("by", cut(reader, top.by, qualifiers))
    for name in ("GRACE", "EMIT", "RETRACT", "EMPTY", "HAVING"):
        clause = select.clauses.get(name)
        if clause is not None and clause.fields.values != {"emit": "final"}:
            _refuse_top(reader, name if name != "GRACE" else "GRACE BY", clause.extent)


def _refuse_top(reader: Reader, name: str, extent: Extent) -> None:
    remedy = "Leave it out. To filter the ranked events, add a later step."
    if name == "GRACE BY":
        remedy = "Leave it out, or write TIMEINTERVAL with DISCARD."
    reader.problem(extent, f"TOP does not support {name}.", remedy)
