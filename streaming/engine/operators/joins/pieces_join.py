"""anti join, semi join and clip: pieces of left lifetimes that the right removes, keeps, or ends."""

from collections.abc import Sequence
from dataclasses import dataclass

from streaming.engine.operators.joins.join import released
from streaming.engine.operators.joins.matching import MatchKernel, MatchRule
from streaming.engine.operators.joins.side_state import LEFT, RIGHT, SideState
from streaming.engine.operators.joins.side_turn import JoinClock, SideTurn
from streaming.engine.operators.joins.undecided_lefts import UndecidedLefts
from streaming.engine.operators.kernel import NodeOutput, PortInput, TurnContext
from streaming.engine.state.node_state import NodeState


@dataclass(frozen=True)
class PiecesKernel(MatchKernel):
    """An anti join, semi join or clip node. Its CTI is the minimum over both ports, at most the oldest undecided start.

    A piece leaves once the CTI of the right has reached its end (a semi join's: passed it, because a right that starts
    there prolongs it, unless the left ends there). The rows of an anti join and a clip consist of the left alone, those
    of a semi join also of the covering rights. Null keys equal nothing: a left with one is whole, and in no row of a
    semi join.
    """

    def turn(self, ports: Sequence[PortInput], state: NodeState, turn: TurnContext) -> NodeOutput:
        """Return all pieces that are decided now."""
        clock = JoinClock.of(state, ports)
        semi = self.spec.kind == "semi_join"
        lefts = self.matching.keyed(ports[LEFT].flows) if semi else ports[LEFT].flows
        keyed = self.matching.keyed(ports[RIGHT].flows)
        turn.report.took(lefts.source)
        if semi:
            turn.report.took(keyed.source)
        left, right = SideTurn.of(lefts), SideTurn.of(keyed)
        rights = SideState(state, self.spec, RIGHT)
        rights.close(right.closes)
        rows, held = UndecidedLefts(state, self.spec, MatchRule(self.spec, turn.report.failures), rights, clock).turn(
            left, right
        )
        rights.add(right.events, clock.low)
        out = clock.out(held)
        clock.remember(state, out)
        flows = released([rows], state, out, turn)
        return NodeOutput(flows, clock.passed(ports, out, held), max(port.horizon for port in ports))
