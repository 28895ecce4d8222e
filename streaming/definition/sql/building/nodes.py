"""What a text says as drafts of nodes: their order and their ids, which are part of its meaning."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from streaming.definition.sql.building.drafts import NodeDraft, NodeDrafts, Ref, SourceMention, TimedSource, derived
from streaming.definition.sql.building.joins import put_clip
from streaming.definition.sql.reading.reader import Reader, ValueAt
from streaming.definition.sql.reading.slices import cut
from streaming.definition.sql.reading.tree import (
    BodySyntax,
    EventTimeSyntax,
    InsertSyntax,
    OperatorSyntax,
    SelectSyntax,
    SourceSyntax,
    StepSyntax,
    StreamSyntax,
)
from streaming.definition.tokens import Extent

DEFAULT_TARGET: Final = "out"
"""Where a query goes that names no target."""


@dataclass(frozen=True)
class NodeOwner:
    """Whose nodes are made: derived ids begin with `name`, and the last node has the id `last` if there is one.

    A `step` must make a node; a `nameless` source in parentheses takes `last` only for nodes that it makes anyway.
    """

    name: str
    last: ValueAt[str] | None = None
    step: bool = False
    nameless: bool = False

    def id(self, role: str, *, last: bool) -> str:
        """The id of a node in that role; `last` if it is the last one."""
        return self.last.value if last and self.last else derived(self.name, role)


class NodeBuilder:
    """Turns what was read into drafts, statement by statement."""

    def __init__(self, reader: Reader, build_select: "BuildSelect") -> None:
        self.reader = reader
        self._build_select = build_select
        self.drafts = NodeDrafts()

    def step(self, step: StepSyntax) -> None:
        """The nodes of one step; a step that cannot be read leaves a hole of its name."""
        if step.name is None:
            return
        before = len(self.drafts.order)
        ref = self.body(step.body, NodeOwner(step.name.value, step.name, step=True)) if step.body else None
        if not any(isinstance(each, NodeDraft) and each.id == step.name.value for each in self.drafts.order[before:]):
            ref = self.hole(step.name)
        if isinstance(ref, NodeDraft):
            ref.mark("id", step.name.extent)

    def hole(self, name: ValueAt[str]) -> NodeDraft:
        """A node of which only the id is known."""
        draft = NodeDraft(name.value, None)
        draft.mark("", name.extent)
        return self.drafts.add(draft)

    def insert(self, insert: InsertSyntax, first: Extent) -> None:
        """The nodes of a body and the output behind them; `first` is the first word of the statement."""
        target = insert.target or ValueAt(DEFAULT_TARGET, first)
        ref = self.body(insert.body, NodeOwner(target.value))
        output = NodeDraft(target.value, "output")
        output.mark("", target.extent)
        output.mark("id", target.extent)
        output.read("input", ref)
        output.take(insert.fields)
        self.drafts.add(output)

    def body(self, body: BodySyntax, owner: NodeOwner) -> Ref | None:
        """The nodes of branches, and the union of several; what the reader of the body is to read."""
        if len(body.branches) == 1:
            return self._branch(body.branches[0], owner)
        refs = [
            self._branch(branch, NodeOwner(derived(owner.name, str(number))))
            for number, branch in enumerate(body.branches, 1)
        ]
        union = NodeDraft(owner.id("union", last=True), "union", reads={"inputs": refs})
        union.mark("", body.extent)
        for index, branch in enumerate(body.branches):
            if branch is not None:
                union.mark(f"inputs[{index}]", branch.extent)
        return self.drafts.add(union)

    def _branch(self, branch: SelectSyntax | OperatorSyntax | StreamSyntax | None, owner: NodeOwner) -> Ref | None:
        match branch:
            case None:
                return None
            case StreamSyntax():
                return self.stream(branch.source, owner)
            case OperatorSyntax():
                return self._operator(branch, owner)
            case SelectSyntax():
                return self._build_select(self, branch, owner)

    def stream(self, source: SourceSyntax, owner: NodeOwner) -> Ref | None:
        """An input with the id of a step or an alias, else the mention of a stream."""
        if owner.last is None or owner.nameless or source.name is None:
            refs = self.sources([source], owner)
            return refs[0]
        draft = NodeDraft(owner.last.value, "input")
        draft.put("stream", source.name.value, source.name.extent)
        draft.mark("", source.extent)
        self.drafts.add(draft)
        self.time(draft, source.event_time)
        return draft

    def time(self, ref: Ref | None, event_time: EventTimeSyntax | None) -> None:
        """Remember an EVENTTIME BY for when names are looked up."""
        if ref is not None and event_time is not None:
            self.drafts.timed.append(TimedSource(ref, event_time))

    def sources(self, sources: list[SourceSyntax | None], owner: NodeOwner) -> list[Ref | None]:
        """What the sources of one branch are: mentions first, then the nodes of those in parentheses."""
        refs: list[Ref | None] = []
        for source in sources:
            ref = SourceMention(source, source.name) if source and source.kind != "body" and source.name else None
            if ref is not None:
                self.drafts.order.append(ref)
            refs.append(ref)
        nameless = 0
        for index, source in enumerate(sources):
            if source is not None and source.body is not None:
                nameless += source.alias is None
                refs[index] = self.parenthesis(source, owner, nameless)
            self.time(refs[index], source.event_time if source else None)
        return refs

    def parenthesis(self, source: SourceSyntax, owner: NodeOwner, number: int) -> Ref | None:
        """The nodes of a source in parentheses; the last has the alias as its id."""
        assert source.body is not None  # nosec B101 # tells the type checker what is so; nothing depends on it
        if source.alias is not None:
            return self.body(source.body, NodeOwner(source.alias.value, source.alias))
        name = derived(owner.name, "from" if number == 1 else f"from_{number}")
        return self.body(source.body, NodeOwner(name, ValueAt(name, source.extent), nameless=True))

    def _operator(self, operator: OperatorSyntax, owner: NodeOwner) -> Ref:
        sources = [operator.source] if operator.kind != "clip" else [operator.source, operator.by]
        refs = self.sources(sources, replace(owner, last=None))
        draft = NodeDraft(owner.id(operator.role, last=True), operator.kind)
        draft.mark("", operator.extent)
        draft.take(operator.fields)
        for name, ref, source in zip(("input", "by"), refs, sources, strict=False):
            draft.read(name, ref, source)
        if operator.expression:
            qualifiers = operator.source.qualifiers if operator.source else frozenset[str]()
            draft.express("expression", cut(self.reader, operator.expression, qualifiers))
        if operator.kind == "clip":
            put_clip(self.reader, draft, operator)
        return self.drafts.add(draft)


BuildSelect = Callable[[NodeBuilder, SelectSyntax, NodeOwner], Ref | None]
"""How a SELECT becomes nodes; handed over, since a SELECT holds bodies and a body holds SELECTs."""
