"""chop: cuts every lifetime at `offset + k * period` (T40); the pieces of an edge are edges."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from streaming.reference.flow import Flow, FlowId, FreedFlows, TraceRecorder
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, NO_CTI, ONE_TICK, Tick
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT, HoppingWindows


@dataclass
class ChoppedEdge:
    """An edge without an end: the piece from `start` is open; `cut_off` once its pieces were too many (T24)."""

    flow: Flow
    start: Tick
    cut_off: bool = False


@dataclass
class Chop:
    """One chop node: the cuts are the starts of the tumbling windows `pieces`; a cut at an end cuts nothing.

    The piece of an open edge from b on appears once the CTI is above b, because until then the edge may end at b. At
    infinity the last piece is the one that contains the horizon (T4).
    """

    node: str
    pieces: HoppingWindows
    cti: Tick = NO_CTI
    edges: dict[FlowId, ChoppedEdge] = field(default_factory=dict)

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Return the pieces of a whole lifetime at once; of an edge those that are certain."""
        del port
        if flow.closes:
            return list(self._end(flow, witness))
        if flow.opens:
            edge = ChoppedEdge(flow, flow.start)
            self.edges[flow.id] = edge
            return [self._opened(edge), *self._cut(edge, self.cti, witness)]
        if flow.end == INFINITY or len(self.pieces.indices(flow.start, flow.end)) > MAX_WINDOWS_PER_EVENT:
            witness.refused(self.node, flow, Reason.TOO_MANY_WINDOWS, self._too_many())
            return ()
        cuts = list(self._cuts(flow.start, flow.end))
        return [_piece(flow, start, end) for start, end in zip([flow.start, *cuts], [*cuts, flow.end], strict=True)]

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: TraceRecorder) -> FreedFlows:
        """Return the pieces of open edges that the CTI makes certain."""
        del port
        self.cti = cti
        until = Tick(horizon + ONE_TICK) if cti == INFINITY else cti
        return FreedFlows(
            [row for edge in self.edges.values() for row in self._cut(edge, until, witness)], cti, horizon
        )

    def boundary(self, witness: TraceRecorder) -> Sequence[Flow]:
        """Return no rows."""
        del witness
        return ()

    def _cut(self, edge: ChoppedEdge, until: Tick, witness: TraceRecorder) -> Iterator[Flow]:
        """Yield the end of the open piece and the start of the next one for each cut before `until`."""
        first = self.pieces.first_index(edge.flow.start)
        for cut in self._cuts(edge.start, until):
            if edge.cut_off:
                return
            yield _closed(edge, cut, edge.flow)
            if self.pieces.first_index(cut) - first >= MAX_WINDOWS_PER_EVENT:
                edge.cut_off = True
                witness.refused(self.node, edge.flow, Reason.TOO_MANY_WINDOWS, self._too_many())
                return
            edge.start = cut
            yield self._opened(edge)

    def _end(self, end: Flow, witness: TraceRecorder) -> Iterator[Flow]:
        """Yield the last pieces of the edge that `end` closes.

        Pieces before the last cut that its lane's CTI had passed are final, so a late_kept end leaves them whole, and
        retracts only the piece that begins there.
        """
        edge = self.edges.pop(end.id)
        last = end.end
        if end.late_at is not None:
            last_cut, _ = self.pieces.bounds(self.pieces.last_index(end.late_at))
            last = max(last, last_cut, edge.flow.start)
        yield from self._cut(edge, last, witness)
        if edge.cut_off:
            witness.removed(self.node, end, self._too_many())
            return
        yield replace(_closed(edge, last, end), late_at=end.late_at)

    def _cuts(self, start: Tick, end: Tick) -> Iterator[Tick]:
        """Yield the cuts strictly between `start` and `end`."""
        return (self.pieces.bounds(index)[0] for index in self.pieces.indices(start, end)[1:])

    def _opened(self, edge: ChoppedEdge) -> Flow:
        return replace(_piece(edge.flow, edge.start, INFINITY), opens=True)

    def _too_many(self) -> str:
        return f"{self.node!r} would cut it into more than {MAX_WINDOWS_PER_EVENT} pieces"


def _piece(flow: Flow, start: Tick, end: Tick) -> Flow:
    """Return the piece `[start, end)` of `flow`, late_kept only if it starts before the CTI that the flow met."""
    late_at = flow.late_at if flow.late_at is not None and start < flow.late_at else None
    piece = replace(flow, id=(flow.id, start), late_at=late_at, opens=False, never_closes=False, pane=None)
    return piece.lasting(start, end)


def _closed(edge: ChoppedEdge, at: Tick, by: Flow) -> Flow:
    """Return the end at `at` of the open piece of `edge`; the flow `by` brought it, or the edge itself at a cut."""
    late_at = by.late_at if by.late_at is not None and at < by.late_at else None
    return replace(_piece(edge.flow, edge.start, at), closes=True, sources=by.sources, stamp=by.stamp, late_at=late_at)
