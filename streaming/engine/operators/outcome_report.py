"""What kernels say of received rows whose outcome is still open: taken, kept waiting, or refused (T12, T24)."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa

from streaming.temporal.outcomes import Reason
from streaming.wire.failures import FailureTally

ALSO: Final = "\x1f"
"""Between the sources of a flow that two received rows have made: the start and the end of an edge."""


@dataclass
class OutcomeReport:
    """The sources that kernels spoke of in a turn.

    Only rows that the feed watches have a source: late_kept ones, and those that may be in too many windows. A node
    that makes a row of a flow, or keeps it for one, says `took`: from then on no window decides its outcome, and the
    node passes no source on. One that only passes a flow on later (union, held edges) says `waits` in each turn in
    which it still has it, and keeps the source. A window that refuses says so; whoever drops a flow for another cause
    says nothing. `open_edges`: in how many windows more, or fewer, than before the turn an edge stands open, each of
    which may still cut it off; `cut`: those that one did. `failures`: where expressions of the turn failed (T5).
    """

    taken: set[str] = field(default_factory=set)
    waiting: set[str] = field(default_factory=set)
    refusals: dict[str, Reason] = field(default_factory=dict)
    open_edges: Counter[str] = field(default_factory=Counter)
    cut: set[str] = field(default_factory=set)
    failures: FailureTally = field(default_factory=FailureTally)

    def took(self, sources: pa.Array | None) -> None:
        """A node has the flows with these `sources` in a row, or will; nulls say nothing."""
        self.taken.update(_named(sources))

    def opens(self, sources: pa.Array | None) -> None:
        """A window took the open edges with these `sources`, and may cut them off before their ends come (T24)."""
        self.took(sources)
        self.open_edges.update(_named(sources))

    def ends(self, sources: pa.Array | None) -> None:
        """The ends came of edges that a window said to stand open, or no end will."""
        self.open_edges.subtract(_named(sources))

    def cuts(self, sources: pa.Array | None) -> None:
        """The open edges with these `sources` are in too many windows: malformed although a window took them (T24)."""
        self.cut.update(_named(sources))
        self.refused(sources, Reason.TOO_MANY_WINDOWS)

    def waits(self, sources: pa.Array | None) -> None:
        """The flows with these `sources` wait in a node for a CTI, and will pass on then."""
        self.waiting.update(_named(sources))

    def refused(self, sources: pa.Array | None, reason: Reason) -> None:
        """A window refused the flows with these `sources`; TOO_MANY_WINDOWS outweighs WINDOW_CLOSED (T12)."""
        for source in _named(sources):
            if self.refusals.get(source) is not Reason.TOO_MANY_WINDOWS:
                self.refusals[source] = reason


def _named(sources: pa.Array | None) -> list[str]:
    if sources is None or sources.null_count == len(sources):
        return []
    return [each for named in sources.drop_null().to_pylist() for each in named.split(ALSO)]
