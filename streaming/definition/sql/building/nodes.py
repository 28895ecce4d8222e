"""Drafts of nodes from a text: their order and their ids, which are part of its meaning."""

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
"""The target of a query that names none."""


@dataclass(frozen=True)
class NodeOwner:
    """The owner of new nodes: derived ids start with `name`, and the last node has the id `last` if that is set.

    A `step` must create a node; a `nameless` source in parentheses uses `last` only for nodes that it creates anyway.
    """

    name: str
    last: ValueAt[str] | None = None
    step: bool = False
    nameless: bool = False

    def id(self, role: str, *, last: bool) -> str:
        """Return the id of a node in that role; `last` is for the last node."""
        return self.last.value if last and self.last else derived(self.name, role)


class NodeBuilder:
    """Turns the syntax tree into drafts, statement by statement."""

    def __init__(self, reader: Reader, build_select: "BuildSelect") -> None:
        self.reader = reader
        self._build_select = build_select
        self.drafts = NodeDrafts()

    def step(self, step: StepSyntax) -> None:
        """Build the nodes of one step; an unreadable step becomes a node without content."""
        if step.name is None:
            return
        before = len(self.drafts.order)
        ref = self.body(step.body, NodeOwner(step.name.value, step.name, step=True)) if step.body else None
        if not any(isinstance(each, NodeDraft) and each.id == step.name.value for each in self.drafts.order[before:]):
            ref = self.hole(step.name)
        if isinstance(ref, NodeDraft):
            ref.mark("id", step.name.extent)

    def hole(self, name: ValueAt[str]) -> NodeDraft:
        """Add a node with an id but no content."""
        draft = NodeDraft(name.value, None)
        draft.mark("", name.extent)
        return self.drafts.add(draft)

    def insert(self, insert: InsertSyntax, first: Extent) -> None:
        """Build the nodes of a body and the output after them; `first` is the first word of the statement."""
        target = insert.target or ValueAt(DEFAULT_TARGET, first)
        ref = self.body(insert.body, NodeOwner(target.value))
        output = NodeDraft(target.value, "output")
        output.mark("", target.extent)
        output.mark("id", target.extent)
        output.read("input", ref)
        output.take(insert.fields)
        self.drafts.add(output)

    def body(self, body: BodySyntax, owner: NodeOwner) -> Ref | None:
        """Build the nodes of branches, and the union of several; return the node that a reader of the body reads."""
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
        """Build an input with the id of a step or an alias, else the mention of a stream."""
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
        """Record an EVENTTIME BY until names are resolved."""
        if ref is not None and event_time is not None:
            self.drafts.timed.append(TimedSource(ref, event_time))

    def sources(self, sources: list[SourceSyntax | None], owner: NodeOwner) -> list[Ref | None]:
        """Build the sources of one branch: mentions first, then the nodes of those in parentheses."""
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
        matches = 0
        for index, source in enumerate(sources):
            if source is not None and source.match is not None:
                matches += 1
                role = "match" if matches == 1 else f"match_{matches}"
                refs[index] = self._match(source, refs[index], derived(owner.name, role))
        return refs

    def _match(self, source: SourceSyntax, ref: Ref | None, otherwise: str) -> NodeDraft:
        """Build the node of MATCH_RECOGNIZE after `source`; its alias, if it has one, is its id."""
        match = source.match
        assert match is not None  # nosec B101 # for the type checker only
        draft = NodeDraft(match.alias.value if match.alias else otherwise, "match_recognize")
        draft.mark("", match.extent)
        draft.read("input", ref, source)
        draft.take(match.fields)
        draft.places.update(match.places)
        if match.alias is not None:
            draft.mark("id", match.alias.extent)
        return self.drafts.add(draft)

    def parenthesis(self, source: SourceSyntax, owner: NodeOwner, number: int) -> Ref | None:
        """Build the nodes of a source in parentheses; the last has the alias as its id."""
        assert source.body is not None  # nosec B101 # for the type checker only
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
"""Builds the nodes of a SELECT; passed as an argument, because a SELECT contains bodies and a body SELECTs."""
