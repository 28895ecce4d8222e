"""One SELECT as nodes: sources, joins, filter, window or columns, filter, columns."""

from streaming.definition.sql.building.columns import (
    SelectColumn,
    by_node,
    fill_analytic,
    named_calls,
    over_texts,
    put_columns,
    read_columns,
)
from streaming.definition.sql.building.drafts import FieldUse, NodeDraft, Ref
from streaming.definition.sql.building.joins import put_condition, takes_where
from streaming.definition.sql.building.narrowing import narrow
from streaming.definition.sql.building.nodes import NodeBuilder, NodeOwner
from streaming.definition.sql.building.qualifiers import read_qualifiers
from streaming.definition.sql.building.windows import WindowSelect, fill_top
from streaming.definition.sql.grammar.clauses import WITH_WINDOWS
from streaming.definition.sql.grammar.words import BY_CLAUSE
from streaming.definition.sql.reading.slices import ExpressionSlice, cut
from streaming.definition.sql.reading.tree import EventTimeSyntax, SelectSyntax, SourceSyntax
from streaming.definition.tokens import Extent


def build_select(builder: NodeBuilder, select: SelectSyntax, owner: NodeOwner) -> Ref | None:
    """Build the nodes of `select`; return the last of them, or its source if it adds none."""
    return _Building(builder, select, owner).ref()


class _Building:
    """Builds the nodes of one SELECT; the last one gets its name when all exist."""

    def __init__(self, builder: NodeBuilder, select: SelectSyntax, owner: NodeOwner) -> None:
        self.builder = builder
        self.reader = builder.reader
        self.select = select
        self.owner = owner
        self.made: list[NodeDraft] = []
        self.sources: list[SourceSyntax | None] = [select.source, *(join.source for join in select.joins)]
        self.qualifiers = frozenset(name for source in self.sources if source for name in source.qualifiers)
        self.narrowed = narrow(self.reader, select)
        self.columns = read_columns(self.reader, select, self.qualifiers)

    def ref(self) -> Ref | None:
        if self._adds_nothing():
            return self._source_alone()
        refs = self.builder.sources(self.sources, self.owner)
        self._event_time(refs)
        current = self._joins([self._side(number, ref) for number, ref in enumerate(refs)])
        joins = [draft for draft in self.made if draft.kind != "project"]
        read_qualifiers(self.reader, self.builder.drafts, self.select, refs, None if self.narrowed else joins)
        where = self.select.clauses.get("WHERE")
        if where and where.part and not takes_where(self.select):
            current = self._chain("filter", "where", current, where.extent)
            self.made[-1].express("where", cut(self.reader, where.part, self.qualifiers))
        current = self._middle(current)
        if self.made and self.owner.last:
            self.made[-1].id = self.owner.last.value
        for draft in self.made:
            self.builder.drafts.add(draft)
        return current

    def _chain(self, kind: str, role: str, source: Ref | None, extent: Extent) -> NodeDraft:
        """Add a node that reads `source`."""
        draft = NodeDraft(self.owner.id(role, last=False), kind)
        draft.read("input", source)
        draft.mark("", extent)
        if not self.made and self.select.source:
            draft.mark("input", self.select.source.extent)
        self.made.append(draft)
        return draft

    # A SELECT that adds nothing

    def _adds_nothing(self) -> bool:
        others = set(self.select.clauses) - {"EVENTTIME"}
        return self.select.star is not None and not (others or self.select.joins or self.columns or self.select.top)

    def _source_alone(self) -> Ref | None:
        source, owner = self.select.source, self.owner
        ref: Ref | None
        if source is not None and owner.last and source.body is not None and source.match is None:
            ref = self.builder.body(source.body, owner)
            self.builder.time(ref, source.event_time)
        elif source is not None and source.match is not None:
            ref = self._match_alone(source)
        elif source is not None and owner.step and source.kind == "stream":
            ref = self.builder.stream(source, owner)
        else:
            (ref,) = self.builder.sources([source], owner)
            if owner.step and source is not None:
                name = source.name.value if source.name else "its source"
                remedy = f"Read {name} directly instead of this step, or add a clause such as WHERE."
                self.reader.problem(self.select.extent, f"This step only repeats `{name}`.", remedy)
        self._event_time([ref])
        return ref

    def _match_alone(self, source: SourceSyntax) -> Ref | None:
        """Build a SELECT that is nothing but MATCH_RECOGNIZE; the node has the name of the step."""
        (ref,) = self.builder.sources([source], self.owner)
        if isinstance(ref, NodeDraft) and self.owner.last:
            ref.id = self.owner.last.value
        return ref

    def _event_time(self, refs: list[Ref | None]) -> None:
        """Assign an EVENTTIME BY after all sources: to the only one, or to the one that its path starts with."""
        written = self.select.event_time
        if written is None:
            return
        index = 0
        if len(refs) > 1:
            named = self._find_source(written)
            if named is None:
                remedy = "Write it directly after its source."
                self.reader.problem(written.extent, "It is unclear to which source EVENTTIME BY applies.", remedy)
                return
            index, written = named
        source = self.sources[index]
        if source is not None and source.event_time is not None:
            message = "This source has EVENTTIME BY twice."
            self.reader.problem(written.extent, message, "Leave one of them out.")
            return
        self.builder.time(refs[index], written)

    def _find_source(self, written: EventTimeSyntax) -> tuple[int, EventTimeSyntax] | None:
        first, _, rest = (written.values or {}).get("path", "").partition(".")
        for index, source in enumerate(self.sources):
            if rest and source is not None and first in source.qualifiers and written.values is not None:
                return index, EventTimeSyntax({**written.values, "path": rest}, written.places, written.extent)
        return None

    # Nodes

    def _side(self, number: int, ref: Ref | None) -> Ref | None:
        """Return a source of a join, narrowed to the fields that are read if the text names them."""
        columns = self.narrowed.columns.get(number) if self.narrowed else None
        source = self.sources[number]
        if not columns or source is None:
            return ref
        role = "left" if number == 0 else "right" if number == 1 else f"right_{number}"
        draft = NodeDraft(self.owner.id(role, last=False), "project")
        draft.read("input", ref, source)
        draft.mark("", source.extent)
        draft.put("columns", [{"of": each.of, "name": each.name} for each in columns], source.extent)
        for index, each in enumerate(columns):
            draft.mark(f"columns[{index}]", each.extent)
        self.made.append(draft)
        return draft

    def _joins(self, refs: list[Ref | None]) -> Ref | None:
        current = refs[0]
        left = self.select.source.qualifiers if self.select.source else frozenset[str]()
        where = self.select.clauses.get("WHERE")
        for number, join in enumerate(self.select.joins, 1):
            draft = NodeDraft(self.owner.id("join" if number == 1 else f"join_{number}", last=False), join.kind)
            draft.mark("", join.extent)
            draft.read("left", current, self.select.source if number == 1 else None)
            draft.read("right", refs[number], join.source)
            last = number == len(self.select.joins) and takes_where(self.select)
            keys = self.narrowed.keys if self.narrowed else None
            put_condition(self.reader, draft, join, left, where.part if where and last else None, keys)
            if join.source is not None:
                left |= join.source.qualifiers
            self.made.append(draft)
            current = draft
        return current

    def _middle(self, current: Ref | None) -> Ref | None:
        calls = [column for column in self.columns if column.calls]
        if any(column.overs for column in self.columns):
            return self._over(current, calls)
        if self.select.top is not None:
            return self._top(current, calls)
        if "WINDOW" in self.select.clauses or calls or "GROUP" in self.select.clauses:
            return self._window(current, calls)
        for name in WITH_WINDOWS:
            clause = self.select.clauses.get(name)
            if clause is not None and (clause.part or clause.fields.values):
                remedy = "Write WHERE." if name == "HAVING" else "Add WINDOW BY, such as WINDOW BY TUMBLE 5m."
                self.reader.problem(clause.extent, f"{BY_CLAUSE[name].words} works only with WINDOW BY.", remedy)
        return self._project(current, [cut(self.reader, column.item.of, self.qualifiers) for column in self.columns])

    def _project(self, current: Ref | None, texts: list[ExpressionSlice], role: str = "select") -> Ref | None:
        if self.select.star and not self.columns:
            return current
        if not self.columns:  # the list could not be read, which was reported: leave the columns out
            return self._chain("project", role, current, self.select.extent)
        extent = (self.columns[0].item.extent[0], self.columns[-1].item.extent[1])
        draft = self._chain("project", role, current, extent)
        put_columns(self.reader, draft, self.columns, texts)
        return draft

    def _window(self, current: Ref | None, calls: list[SelectColumn]) -> Ref | None:
        clause = self.select.clauses.get("WINDOW")
        group = self.select.clauses.get("GROUP")
        if clause is None:
            extent = calls[0].item.extent if calls else group.extent if group else self.select.extent
            message = "Aggregates need a window, and WINDOW BY is missing."
            self.reader.problem(extent, message, "Add WINDOW BY, such as WINDOW BY TUMBLE 5m.")
        if self.select.star:
            remedy = "List the fields of GROUP BY and the aggregates: SELECT STREAM plate, COUNT(*) AS n."
            self.reader.problem(self.select.star, "`*` cannot be used with a window.", remedy)
        window = self._chain("window", "window", current, clause.extent if clause else self.select.extent)
        windowed = WindowSelect(self.reader, self.select, self.columns, self.qualifiers)
        windowed.fill(window)
        if current is not None:  # `check_sql` reports a field that does not exist
            uses = (FieldUse(current, "", each.field or "", each.item.extent) for each in windowed.ungrouped)
            self.builder.drafts.used.extend(uses)
        current = window
        having = self.select.clauses.get("HAVING")
        if windowed.having is not None and having is not None:
            current = self._chain("filter", "having", current, having.extent)
            current.express("where", windowed.having)
        if windowed.texts is None:
            return current
        return self._project(current, windowed.texts, "post")

    def _over(self, current: Ref | None, calls: list[SelectColumn]) -> Ref | None:
        """Build an analytic node for the calls of each OVER, then the columns computed from them."""
        grouped = ("WINDOW" in self.select.clauses, "GROUP" in self.select.clauses, self.select.top is not None)
        if calls or any(grouped):
            extent = next(column.item.extent for column in self.columns if column.overs)
            message = "Functions with OVER cannot be combined with a window in the same SELECT."
            self.reader.problem(extent, message, "Compute one of them in an earlier step.")
        named = named_calls(self.columns)
        for number, of_node in enumerate(by_node(self.reader, named), 1):
            role = "over" if number == 1 else f"over_{number}"
            draft = self._chain("analytic", role, current, of_node[0].call.extent)
            fill_analytic(self.reader, draft, of_node, self.qualifiers)
            current = draft
        if not self.select.star:
            return self._project(current, over_texts(self.reader, self.columns, named, self.qualifiers))
        for column in self.columns:
            if len(column.overs) != 1 or column.overs[0].part != column.item.of:
                remedy = "Name the function with AS, and compute with it in a later step."
                message = "Only functions with OVER can be combined with `*`, no expressions of them."
                self.reader.problem(column.item.extent, message, remedy)
        return current

    def _top(self, current: Ref | None, calls: list[SelectColumn]) -> Ref | None:
        top = self.select.top
        assert top is not None  # nosec B101 # for the type checker only
        if "WINDOW" not in self.select.clauses:
            remedy = "Add WINDOW BY, such as WINDOW BY TUMBLE 5m."
            self.reader.problem(top.extent, "TOP needs a window, and WINDOW BY is missing.", remedy)
        for column in calls:
            remedy = "Compute it in an earlier step, and rank the rows of that step."
            self.reader.problem(column.item.extent, "TOP does not support aggregates in the same SELECT.", remedy)
        draft = self._chain("top_k", "top", current, top.extent)
        fill_top(self.reader, draft, self.select, self.qualifiers)
        return self._project(draft, [cut(self.reader, column.item.of, self.qualifiers) for column in self.columns])
