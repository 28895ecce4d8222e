"""What a text says as drafts of nodes: their order and their ids, which are part of its meaning."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from streaming.definition.sql.building.drafts import Draft, Drafts, Mention, Ref, Timed, derived
from streaming.definition.sql.building.joins import put_clip
from streaming.definition.sql.reading.reader import Reader, Said
from streaming.definition.sql.reading.slices import cut
from streaming.definition.sql.reading.tree import Body, EventTime, Insert, Operator, Select, Source, Step, StreamBranch
from streaming.definition.tokens import Extent

DEFAULT_TARGET: Final = "out"
"""Where a query goes that names no target."""


@dataclass(frozen=True)
class Owner:
    """Whose nodes are made: derived ids begin with `name`, and the last node has the id `last` if there is one.

    A `step` must make a node; a `nameless` source in parentheses takes `last` only for nodes that it makes anyway.
    """

    name: str
    last: Said[str] | None = None
    step: bool = False
    nameless: bool = False

    def id(self, role: str, *, last: bool) -> str:
        """The id of a node in that role; `last` if it is the last one."""
        return self.last.value if last and self.last else derived(self.name, role)


class Builder:
    """Turns what was read into drafts, statement by statement."""

    def __init__(self, reader: Reader, build_select: "BuildSelect") -> None:
        self.reader = reader
        self._build_select = build_select
        self.drafts = Drafts()

    def step(self, step: Step) -> None:
        """The nodes of one step; a step that cannot be read leaves a hole of its name."""
        if step.name is None:
            return
        before = len(self.drafts.order)
        ref = self.body(step.body, Owner(step.name.value, step.name, step=True)) if step.body else None
        if not any(isinstance(each, Draft) and each.id == step.name.value for each in self.drafts.order[before:]):
            ref = self.hole(step.name)
        if isinstance(ref, Draft):
            ref.mark("id", step.name.extent)

    def hole(self, name: Said[str]) -> Draft:
        """A node of which only the id is known."""
        draft = Draft(name.value, None)
        draft.mark("", name.extent)
        return self.drafts.add(draft)

    def insert(self, insert: Insert, first: Extent) -> None:
        """The nodes of a body and the output behind them; `first` is the first word of the statement."""
        target = insert.target or Said(DEFAULT_TARGET, first)
        ref = self.body(insert.body, Owner(target.value))
        output = Draft(target.value, "output")
        output.mark("", target.extent)
        output.mark("id", target.extent)
        output.read("input", ref)
        output.take(insert.fields)
        self.drafts.add(output)

    def body(self, body: Body, owner: Owner) -> Ref | None:
        """The nodes of branches, and the union of several; what the reader of the body is to read."""
        if len(body.branches) == 1:
            return self._branch(body.branches[0], owner)
        refs = [
            self._branch(branch, Owner(derived(owner.name, str(number))))
            for number, branch in enumerate(body.branches, 1)
        ]
        union = Draft(owner.id("union", last=True), "union", reads={"inputs": refs})
        union.mark("", body.extent)
        for index, branch in enumerate(body.branches):
            if branch is not None:
                union.mark(f"inputs[{index}]", branch.extent)
        return self.drafts.add(union)

    def _branch(self, branch: Select | Operator | StreamBranch | None, owner: Owner) -> Ref | None:
        match branch:
            case None:
                return None
            case StreamBranch():
                return self.stream(branch.source, owner)
            case Operator():
                return self._operator(branch, owner)
            case Select():
                return self._build_select(self, branch, owner)

    def stream(self, source: Source, owner: Owner) -> Ref | None:
        """An input with the id of a step or an alias, else the mention of a stream."""
        if owner.last is None or owner.nameless or source.name is None:
            refs = self.sources([source], owner)
            return refs[0]
        draft = Draft(owner.last.value, "input")
        draft.put("stream", source.name.value, source.name.extent)
        draft.mark("", source.extent)
        self.drafts.add(draft)
        self.time(draft, source.event_time)
        return draft

    def time(self, ref: Ref | None, event_time: EventTime | None) -> None:
        """Remember an EVENTTIME BY for when names are looked up."""
        if ref is not None and event_time is not None:
            self.drafts.timed.append(Timed(ref, event_time))

    def sources(self, sources: list[Source | None], owner: Owner) -> list[Ref | None]:
        """What the sources of one branch are: mentions first, then the nodes of those in parentheses."""
        refs: list[Ref | None] = []
        for source in sources:
            ref = Mention(source, source.name) if source and source.kind != "body" and source.name else None
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

    def parenthesis(self, source: Source, owner: Owner, number: int) -> Ref | None:
        """The nodes of a source in parentheses; the last has the alias as its id."""
        assert source.body is not None  # nosec B101 # tells the type checker what is so; nothing depends on it
        if source.alias is not None:
            return self.body(source.body, Owner(source.alias.value, source.alias))
        name = derived(owner.name, "from" if number == 1 else f"from_{number}")
        return self.body(source.body, Owner(name, Said(name, source.extent), nameless=True))

    def _operator(self, operator: Operator, owner: Owner) -> Ref:
        sources = [operator.source] if operator.kind != "clip" else [operator.source, operator.by]
        refs = self.sources(sources, replace(owner, last=None))
        draft = Draft(owner.id(operator.role, last=True), operator.kind)
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


BuildSelect = Callable[[Builder, Select, Owner], Ref | None]
"""How a SELECT becomes nodes; handed over, since a SELECT holds bodies and a body holds SELECTs."""
