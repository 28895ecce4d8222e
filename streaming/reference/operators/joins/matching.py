"""Matching of events of two nodes: equal keys, and `where` over the joined payload."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from streaming.definition.expressions.tree import Expression
from streaming.reference.expressions.evaluation import evaluate
from streaming.reference.flow import VANISHED, Flow, FlowId, TraceRecorder
from streaming.temporal.events import Payload

Key = tuple[Hashable, ...]


@dataclass
class PortMatching:
    """The rule that matches events of `left` and `right` in `node`; `added` are the non-key fields of the right.

    Keys are equal by value, and a null key equals nothing. `where` is evaluated once for each pair; null is not true.
    """

    node: str
    left: str
    right: str
    keys: Sequence[str]
    added: Sequence[str]
    where: Expression | None = None
    _where: dict[tuple[FlowId, FlowId], bool] = field(default_factory=dict)

    def key(self, flow: Flow) -> Key | None:
        """Return the values of the keys; None if one of them is null."""
        values = [flow.payload[name] for name in self.keys]
        return None if None in values else tuple(values)

    def null_key(self, flow: Flow) -> str | None:
        """Return the sentence for a flow that matches nothing because of a null key; None for all others."""
        null = next((name for name in self.keys if flow.payload[name] is None), None)
        return None if null is None else f"its key {null!r} is null, and in {self.node!r} null equals nothing"

    def payload(self, left: Payload, right: Payload | None) -> Payload:
        """Return the fields of the left, then the non-key fields of the right; nulls without a right event."""
        return {**left, **{name: None if right is None else right[name] for name in self.added}}

    def match(self, left: Flow, right: Flow, witness: TraceRecorder) -> bool:
        """Return true if the two match, whenever they live."""
        key = self.key(left)
        if key is None or key != self.key(right):
            return False
        if self.where is None:
            return True
        pair = (left.id, right.id)
        if pair not in self._where:
            both = made_by(left.with_payload(self.payload(left.payload, right.payload)), [right])
            value = evaluate(self.where, both.payload, lambda why: witness.failed(self.node, both, "where", why))
            self._where[pair] = value is True
        return self._where[pair]

    def nothing_of(self, other: str) -> str:
        """Return the start of a sentence: no event of `other` that matches."""
        keys = " with equal keys" if self.keys else ""
        joint = " and" if keys else ""
        where = "" if self.where is None else f"{joint} for which 'where' is true"
        return f"no event of {other!r}{keys}{where}"


def made_by(flow: Flow, others: Sequence[Flow]) -> Flow:
    """Return `flow` with `others` among its origins; it is no longer the row of a pane."""
    every = [flow, *others]
    late = [each.late_at for each in every if each.late_at is not None]
    return replace(
        flow,
        sources=frozenset(element for each in every for element in each.sources),
        stamp=max(each.stamp for each in every),
        late_at=max(late, default=None),
        pane=None,
    )


@dataclass
class KnownEvents:
    """Every event that came in at one port of `node`, with its lifetime as far as it is known, by key.

    Nothing is removed: this is simple, and late_kept events of the other port may need any of it. Without `reports`,
    another part reports vanished edges.
    """

    node: str
    reports: bool = True
    _events: dict[Key | None, dict[FlowId, Flow]] = field(default_factory=dict)

    def take(self, key: Key | None, flow: Flow, witness: TraceRecorder) -> Flow | None:
        """Return the event that `flow` begins or ends, as it is now known; None if it vanished."""
        events = self._events.setdefault(key, {})
        if flow.closes:
            opened = events.pop(flow.id)
            if flow.vanishes:
                if self.reports:
                    vanished(self.node, opened, flow, witness)
                return None
            flow = opened.closed_by(flow)
        events[flow.id] = flow
        return flow

    def of(self, key: Key | None) -> Mapping[FlowId, Flow]:
        """Return the events whose key is `key`; none for a null key."""
        return {} if key is None else self._events.get(key, {})


def vanished(node: str, opened: Flow, end: Flow, witness: TraceRecorder) -> None:
    """Report that an edge vanished and no row contains any of it."""
    for flow in (opened, end):
        witness.removed(node, flow, VANISHED)
