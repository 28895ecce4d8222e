"""join, left_outer: the pairs, and the pieces of left lifetimes without a partner, with nulls for the right."""

from collections.abc import Sequence
from dataclasses import dataclass

from streaming.reference.flow import Flow
from streaming.reference.operators.joins.anti_join import free_pieces, piece_of
from streaming.reference.operators.joins.matching import PortMatching
from streaming.reference.operators.joins.pieces import TickSpan
from streaming.temporal.ticks import Tick


@dataclass(frozen=True)
class WithoutPartner:
    """The rule of those pieces: an anti join's. Every left event is in some row; the join reports the right events."""

    matching: PortMatching
    left_without: None = None
    right_never: None = None
    needs_right: bool = False

    def pieces(self, left: Flow, rights: Sequence[Flow]) -> Sequence[TickSpan]:
        """Return the parts that the rights leave."""
        return free_pieces(left, rights)

    def final(self, piece: TickSpan, left: Flow, right_cti: Tick) -> bool:
        """Return true if the piece is final: a right event that starts at its end does not change it."""
        del left
        return piece.end <= right_cti

    def row(self, left: Flow, piece: TickSpan, rights: Sequence[Flow]) -> Flow:
        """Return the left event with nulls, for as long as the piece."""
        del rights
        return piece_of(left, piece).with_payload(self.matching.payload(left.payload, None))
