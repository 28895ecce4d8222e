"""clip: ends every left lifetime at the first later start of a matching right event."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from streaming.reference.flow import Flow
from streaming.reference.operators.joins.matching import PortMatching
from streaming.reference.operators.joins.pieces import TickSpan
from streaming.temporal.ticks import INFINITY, Tick


@dataclass(frozen=True)
class ClipRule:
    """The rule of one clip node: one piece for each left event. Right events only end others; no row contains them."""

    matching: PortMatching
    left_without: None = None
    needs_right: bool = False

    @property
    def right_never(self) -> str:
        """Explain that a right event only ends left events."""
        matching = self.matching
        return f"clip {matching.node!r} only ends events of {matching.left!r} by it"

    def pieces(self, left: Flow, rights: Sequence[Flow]) -> Sequence[TickSpan]:
        """Return `[s, min(e, r))`, where r is the first right start after s: one at s clips nothing."""
        later = (right.start for right in rights if right.start > left.start)
        return [TickSpan(left.start, min(left.end, min(later, default=INFINITY)))]

    def final(self, piece: TickSpan, left: Flow, right_cti: Tick) -> bool:
        """Return true if the piece is final: a right event that starts at its end does not change it."""
        del left
        return piece.end <= right_cti

    def row(self, left: Flow, piece: TickSpan, rights: Sequence[Flow]) -> Flow:
        """Return the left event, clipped."""
        del rights
        return replace(left, end=piece.end, opens=left.opens and piece.end == INFINITY, pane=None)
