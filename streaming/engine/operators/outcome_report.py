"""Reports of kernels on received rows with an open outcome: taken, waiting, or refused (T12, T24)."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa

from streaming.engine.exchange.envelopes import SETTLED, TAKEN
from streaming.temporal.outcomes import Reason
from streaming.wire.execution.failures import FailureTally

ALSO: Final = "\x1f"
"""Separates the sources of a flow from two received rows: the start and the end of an edge."""


@dataclass
class OutcomeReport:
    """The sources that kernels reported in a turn.

    Only rows that the feed watches have a source: late_kept ones, and those that may be in too many windows. A node
    that makes a row of a flow, or stores it for one, reports `took`: from then on no window decides its outcome, and
    the node passes no source on. A node that only passes a flow on later (union, held edges) reports `waits` in each
    turn while it has it, and keeps the source. A window that refuses reports that; a node that drops a flow for another
    cause reports nothing. `open_edges`: the change in the number of windows with an open edge that they may still cut
    off; `cut`: edges that a window cut off. `settled`: rows of tables without further versions (T48).
    `failures`: where expressions of the turn failed (T5).
    """

    taken: set[str] = field(default_factory=set)
    waiting: set[str] = field(default_factory=set)
    refusals: dict[str, Reason] = field(default_factory=dict)
    open_edges: Counter[str] = field(default_factory=Counter)
    cut: set[str] = field(default_factory=set)
    settled: set[str] = field(default_factory=set)
    failures: FailureTally = field(default_factory=FailureTally)

    def receive(self, reports: pa.Table) -> None:
        """Record the reports of the feed about rows of tables (REPORT_SCHEMA)."""
        for source, report in zip(*(column.to_pylist() for column in reports.columns), strict=True):
            if report == TAKEN:
                self.taken.add(source)
            elif report == SETTLED:
                self.settled.add(source)
            elif self.refusals.get(source) is not Reason.TOO_MANY_WINDOWS:
                self.refusals[source] = Reason(report)

    def took(self, sources: pa.Array | None) -> None:
        """Record that a node has the flows with these `sources` in a row, or will; nulls have no effect."""
        self.taken.update(_named(sources))

    def opens(self, sources: pa.Array | None) -> None:
        """Record that a window took the open edges with these `sources`.

        The window may cut them off before their ends come (T24).
        """
        self.took(sources)
        self.open_edges.update(_named(sources))

    def opens_here(self, sources: pa.Array | None) -> None:
        """Record that a node passed on the open edges with these `sources`, and may cut them off later (T24)."""
        self.open_edges.update(_named(sources))

    def ends(self, sources: pa.Array | None) -> None:
        """Record the ends of edges that a window reported as open, or that they will never end."""
        self.open_edges.subtract(_named(sources))

    def cuts(self, sources: pa.Array | None) -> None:
        """Record open edges that are in too many windows: malformed although a window took them (T24)."""
        self.cut.update(_named(sources))
        self.refused(sources, Reason.TOO_MANY_WINDOWS)

    def waits(self, sources: pa.Array | None) -> None:
        """Record flows that wait in a node for a CTI, and will pass on then."""
        self.waiting.update(_named(sources))

    def refused(self, sources: pa.Array | None, reason: Reason) -> None:
        """Record flows that a window refused; TOO_MANY_WINDOWS outweighs WINDOW_CLOSED (T12)."""
        for source in _named(sources):
            if self.refusals.get(source) is not Reason.TOO_MANY_WINDOWS:
                self.refusals[source] = reason


def _named(sources: pa.Array | None) -> list[str]:
    if sources is None or sources.null_count == len(sources):
        return []
    return [each for named in sources.drop_null().to_pylist() for each in named.split(ALSO)]
