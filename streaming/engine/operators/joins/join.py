"""join, inner and left outer: pairs of matching events, for as long as both live; and lefts without a partner."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from streaming.engine.columns.flows import Flows, concat_flows
from streaming.engine.operators.joins.matching import MatchedPairs, MatchKernel, MatchRule, latest_of, picked
from streaming.engine.operators.joins.open_pairs import OpenPairs, PairRows, PairSide, late_or_due
from streaming.engine.operators.joins.side_state import LEFT, RIGHT, SideState
from streaming.engine.operators.joins.side_turn import JoinClock, SideTurn, is_open
from streaming.engine.operators.joins.undecided_lefts import UndecidedLefts
from streaming.engine.operators.kernel import NodeOutput, PortInput, TurnContext
from streaming.engine.operators.lifetimes.waiting import WaitingEvents
from streaming.engine.state.node_state import NodeState
from streaming.temporal.ticks import INFINITY, NO_CTI


@dataclass(frozen=True)
class JoinKernel(MatchKernel):
    """A join node. Its CTI is the minimum over both ports, for left outer at most the oldest undecided start.

    A pair is `[max of starts, min of ends)`; it leaves once the CTI reaches its start, or, while one of the two is an
    open edge, as an edge once the CTI is after it. Null keys equal nothing. Left outer adds the pieces of left
    lifetimes without a partner, with nulls for the right, once the CTI of the right has reached their end.
    """

    def turn(self, ports: Sequence[PortInput], state: NodeState, turn: TurnContext) -> NodeOutput:
        """Return all pairs of the new events, with each other and with known events."""
        clock = JoinClock.of(state, ports)
        keyed = [self.matching.keyed(port.flows) for port in ports]
        turn.report.took(ports[LEFT].flows.source if self.spec.outer else keyed[LEFT].source)
        turn.report.took(keyed[RIGHT].source)
        left, right = map(SideTurn.of, keyed)
        lefts, rights = SideState(state, self.spec, LEFT), SideState(state, self.spec, RIGHT)
        rights.close(right.closes)
        held: int = INFINITY
        pieces = Flows.none(self.spec.fields)
        if self.spec.outer:
            parts = UndecidedLefts(state, self.spec, self.matching, rights, clock)
            pieces, held = parts.turn(SideTurn.of(ports[LEFT].flows), right)
        out = clock.out(held)
        lefts.close(left.closes)
        counting = MatchRule(self.spec, turn.report.failures)
        rows = [pieces, *self._pairs(OpenPairs(state, self.spec), counting, (left, right), (lefts, rights), out)]
        until = clock.low if self.spec.outer else clock.ctis[LEFT]
        lefts.add(left.events, clock.ctis[RIGHT])
        rights.add(right.events, until)
        clock.remember(state, out)
        flows = released(rows, state, out, turn)
        passed = clock.passed(ports, out, held if self.spec.outer else INFINITY)
        return NodeOutput(flows, passed, max(port.horizon for port in ports))

    def _pairs(
        self,
        waiting: OpenPairs,
        matching: MatchRule,
        turns: tuple[SideTurn, SideTurn],
        known: tuple[SideState, SideState],
        out: int,
    ) -> Iterator[Flows]:
        left, right = turns
        yield from waiting.settle(left.closes, right.closes, out)
        others = known[RIGHT].of(known[RIGHT].slots(left.events))
        yield from self._made(waiting, matching, left.events, concat_flows([right.events, others]), out)
        yield from self._made(waiting, matching, known[LEFT].of(known[LEFT].slots(right.events)), right.events, out)

    def _made(self, waiting: OpenPairs, matching: MatchRule, left: Flows, right: Flows, out: int) -> Iterator[Flows]:
        opens = is_open(left.flag, len(left)), is_open(right.flag, len(right))
        edges = bool(opens[LEFT].any() or opens[RIGHT].any())
        for pairs in matching.pairs(left, right):
            rows = self._rows(left, right, pairs)
            if not edges:
                yield rows
                continue
            unsettled = opens[LEFT][pairs.left] | opens[RIGHT][pairs.right]
            yield rows.where(~unsettled)
            at = np.flatnonzero(unsettled)
            sides = PairSide.of(left, pairs.left[at]), PairSide.of(right, pairs.right[at])
            yield from waiting.take(PairRows(rows.take(at), *sides), out)

    def _rows(self, left: Flows, right: Flows, pairs: MatchedPairs) -> Flows:
        """Return the whole rows, as far as they are known."""
        mine, theirs = pairs.left, pairs.right
        columns = pairs.columns
        stamp = None
        if left.stamp is not None or right.stamp is not None:
            stamp = np.maximum(left.stamps[mine], right.stamps[theirs])
        return Flows(
            start=np.maximum(left.start[mine], right.start[theirs]),
            end=np.minimum(left.end[mine], right.end[theirs]),
            columns=self.matching.joined(left, mine, right, theirs) if columns is None else columns,
            late_at=latest_of(picked(left.late_at, mine), picked(right.late_at, theirs)),
            stamp=stamp,
        )


def released(rows: Sequence[Flows], state: NodeState, out: int, turn: TurnContext) -> Flows:
    """Return the rows that may leave at the CTI `out`, of these and of waiting ones; the others wait on `state`."""
    every = concat_flows(rows)
    if every.late_at is not None and (every.late_at == NO_CTI).all():
        every = Flows(every.start, every.end, every.columns, every.flag, every.id, None, every.stamp)
    return WaitingEvents(state).turn(every, late_or_due(every), out, turn.report)
