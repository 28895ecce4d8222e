"""anti_join: the pieces of left lifetimes during which no matching right event lives."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from streaming.reference.flow import Flow
from streaming.reference.operators.joins.matching import PortMatching
from streaming.reference.operators.joins.pieces import TickSpan, span, uncovered
from streaming.temporal.ticks import INFINITY, Tick


def free_pieces(left: Flow, rights: Sequence[Flow]) -> Sequence[TickSpan]:
    """Return the maximal pieces of the left outside all `rights`."""
    return uncovered(span(left), map(span, rights))


def piece_of(left: Flow, piece: TickSpan) -> Flow:
    """Return the row of one of several pieces of `left`.

    At infinity an unfinished one keeps `[start, infinity)` (T4).
    """
    opens = left.opens and piece.end == INFINITY
    return replace(left, id=(left.id, piece.start), start=piece.start, end=piece.end, opens=opens, pane=None)


@dataclass(frozen=True)
class AntiJoin:
    """The rule of one anti join. Right events only remove lifetime; no row contains them."""

    matching: PortMatching
    needs_right: bool = False

    @property
    def left_without(self) -> str:
        """Explain that right events covered all of the left event."""
        return f"events of {self.matching.right!r} that match it were alive during all of it"

    @property
    def right_never(self) -> str:
        """Explain that a right event only removes lifetime."""
        matching = self.matching
        return f"anti join {matching.node!r} only takes it away from events of {matching.left!r}"

    def pieces(self, left: Flow, rights: Sequence[Flow]) -> Sequence[TickSpan]:
        """Return the parts that the rights leave."""
        return free_pieces(left, rights)

    def final(self, piece: TickSpan, left: Flow, right_cti: Tick) -> bool:
        """Return true if the piece is final: a right event that starts at its end does not change it."""
        del left
        return piece.end <= right_cti

    def row(self, left: Flow, piece: TickSpan, rights: Sequence[Flow]) -> Flow:
        """Return the left event for as long as the piece."""
        del rights
        return piece_of(left, piece)
