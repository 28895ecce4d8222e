"""semi_join: the pieces of left lifetimes during which some matching right event lives."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from streaming.reference.flow import Flow
from streaming.reference.operators.joins.anti_join import piece_of
from streaming.reference.operators.joins.matching import PortMatching, made_by
from streaming.reference.operators.joins.pieces import TickSpan, covered, span
from streaming.temporal.ticks import INFINITY, Tick


@dataclass(frozen=True)
class SemiJoin:
    """The rule of one semi join. A row is made of the left event and all right events that cover the piece."""

    matching: PortMatching
    right_never: None = None
    needs_right: bool = True

    @property
    def left_without(self) -> str:
        """Explain that no right event covered the left event."""
        return f"{self.matching.nothing_of(self.matching.right)} was alive during it"

    def pieces(self, left: Flow, rights: Sequence[Flow]) -> Sequence[TickSpan]:
        """Return the parts that the rights cover; adjacent parts are one piece."""
        return covered(span(left), map(span, rights))

    def final(self, piece: TickSpan, left: Flow, right_cti: Tick) -> bool:
        """Return true if the piece is final.

        A right event that starts at its end prolongs it, unless the left event ends there.
        """
        return piece.end < right_cti or piece.end == left.end <= right_cti

    def row(self, left: Flow, piece: TickSpan, rights: Sequence[Flow]) -> Flow:
        """Return the left event for as long as the piece."""
        row = made_by(piece_of(left, piece), rights)
        opens = piece.end == INFINITY and (left.opens or any(right.opens for right in rights))
        return replace(row, opens=opens)
