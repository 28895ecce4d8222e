"""One SELECT as nodes: sources, joins, filter, window or columns, filter, columns."""

from streaming.definition.sql.building.columns import SelectColumn, put_columns, read_columns
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
    """Make the nodes of `select`; what reads it reads the last of them, or its source where it makes none."""
    return _Building(builder, select, owner).ref()


class _Building:
    """The nodes of one SELECT as they are made; the last one is named when all are there."""

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
        if source is not None and owner.last and source.body is not None:
            ref = self.builder.body(source.body, owner)
            self.builder.time(ref, source.event_time)
        elif source is not None and owner.step and source.kind == "stream":
            ref = self.builder.stream(source, owner)
        else:
            (ref,) = self.builder.sources([source], owner)
            if owner.step and source is not None:
                name = source.name.value if source.name else "its source"
                remedy = f"Read {name} itself where the step is read, or add a clause such as WHERE."
                self.reader.problem(self.select.extent, f"This step is no more than `{name}`.", remedy)
        self._event_time([ref])
        return ref

    def _event_time(self, refs: list[Ref | None]) -> None:
        """EVENTTIME BY behind all sources: of the only one, or of the one that its path begins with."""
        said = self.select.event_time
        if said is None:
            return
        index = 0
        if len(refs) > 1:
            found = self._named(said)
            if found is None:
                remedy = "Write it right behind the source that it is about."
                self.reader.problem(said.extent, "EVENTTIME BY does not say which source it is about.", remedy)
                return
            index, said = found
        source = self.sources[index]
        if source is not None and source.event_time is not None:
            self.reader.problem(said.extent, "EVENTTIME BY stands twice for this source.", "Leave one of them out.")
            return
        self.builder.time(refs[index], said)

    def _named(self, said: EventTimeSyntax) -> tuple[int, EventTimeSyntax] | None:
        first, _, rest = (said.values or {}).get("path", "").partition(".")
        for index, source in enumerate(self.sources):
            if rest and source is not None and first in source.qualifiers and said.values is not None:
                return index, EventTimeSyntax({**said.values, "path": rest}, said.places, said.extent)
        return None

    # Nodes

    def _side(self, number: int, ref: Ref | None) -> Ref | None:
        """A source of a join: what is read of it, where the text says that."""
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
        if self.select.top is not None:
            return self._top(current, calls)
        if "WINDOW" in self.select.clauses or calls or "GROUP" in self.select.clauses:
            return self._window(current, calls)
        for name in WITH_WINDOWS:
            clause = self.select.clauses.get(name)
            if clause is not None and (clause.part or clause.fields.values):
                remedy = "Write WHERE." if name == "HAVING" else "Add WINDOW BY, such as WINDOW BY TUMBLE 5m."
                self.reader.problem(
                    clause.extent, f"{BY_CLAUSE[name].words} has a meaning only with WINDOW BY.", remedy
                )
        return self._project(current, [cut(self.reader, column.item.of, self.qualifiers) for column in self.columns])

    def _project(self, current: Ref | None, texts: list[ExpressionSlice], role: str = "select") -> Ref | None:
        if self.select.star and not self.columns:
            return current
        if not self.columns:  # the list cannot be read, which was told: a hole
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
            message = "Aggregates are computed over windows, and WINDOW BY is missing."
            self.reader.problem(extent, message, "Add WINDOW BY, such as WINDOW BY TUMBLE 5m.")
        if self.select.star:
            remedy = "Name the fields of GROUP BY and aggregates: SELECT STREAM plate, COUNT(*) AS n."
            self.reader.problem(self.select.star, "* is not what a window gives.", remedy)
        window = self._chain("window", "window", current, clause.extent if clause else self.select.extent)
        windowed = WindowSelect(self.reader, self.select, self.columns, self.qualifiers)
        windowed.fill(window)
        if current is not None:  # a field that does not exist is told as that
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

    def _top(self, current: Ref | None, calls: list[SelectColumn]) -> Ref | None:
        top = self.select.top
        assert top is not None  # nosec B101 # tells the type checker what is so; nothing depends on it
        if "WINDOW" not in self.select.clauses:
            remedy = "Add WINDOW BY, such as WINDOW BY TUMBLE 5m."
            self.reader.problem(top.extent, "TOP ranks the events of a window, and WINDOW BY is missing.", remedy)
        for column in calls:
            remedy = "Compute it in a step before, and rank what the step gives."
            self.reader.problem(column.item.extent, "An aggregate stands beside TOP.", remedy)
        draft = self._chain("top_k", "top", current, top.extent)
        fill_top(self.reader, draft, self.select, self.qualifiers)
        return self._project(draft, [cut(self.reader, column.item.of, self.qualifiers) for column in self.columns])
