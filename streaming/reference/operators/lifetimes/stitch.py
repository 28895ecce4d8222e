"""stitch: joins lifetimes of equal payloads that meet into one (T41)."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from streaming.reference.flow import VANISHED, Flow, FlowId, FreedFlows, TraceRecorder
from streaming.reference.operators.many_ports import in_order
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.temporal.value_order import sort_key

Chain = list[Flow]
"""Pieces of one payload; each starts where the previous one ends."""


@dataclass
class Stitch:
    """One stitch node: `pieces` of each payload that are in no closed chain; an open edge is a piece without an end.

    A chain that ends at t is closed once the CTI is above t, and leaves as one interval. An end that is not known yet
    is not before the CTI, so it decides no chain that is closed by then.
    """

    node: str
    fields: Sequence[str]
    pieces: dict[Any, dict[FlowId, Flow]] = field(default_factory=lambda: defaultdict(dict))
    out: Tick = NO_CTI

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Add the piece; an end closes the piece of its edge, or removes it if nothing is left of it."""
        del port
        pieces = self.pieces[sort_key([flow.payload[name] for name in self.fields])]
        if not flow.closes:
            pieces[flow.id] = flow
            witness.took(self.node, flow)
            return ()
        opened = pieces.pop(flow.id)
        if flow.vanishes:
            witness.removed(self.node, opened, VANISHED)
            witness.removed(self.node, flow, VANISHED)
        else:
            pieces[flow.id] = opened.closed_by(flow)
            witness.took(self.node, flow)
        return ()

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: TraceRecorder) -> FreedFlows:
        """Return the chains that the CTI closes; at infinity all, open ones as `[start, infinity)`."""
        del port, witness
        rows: list[Flow] = []
        held = INFINITY
        for pieces in self.pieces.values():
            for chain in chains(pieces.values()):
                if chain[-1].end < cti or cti == INFINITY:
                    rows.append(_stitched(chain))
                    for piece in chain:
                        del pieces[piece.id]
                else:
                    held = min(held, chain[0].start)
        self.out = max(self.out, min(cti, held))
        return FreedFlows(in_order(rows), self.out, horizon)

    def boundary(self, witness: TraceRecorder) -> Sequence[Flow]:
        """Return no rows."""
        del witness
        return ()


def chains(pieces: Iterable[Flow]) -> list[Chain]:
    """Join `pieces` of one payload, in order of time.

    At t the chains that end there, the one with the earliest start first, continue with the pieces that start there,
    the one with the earliest end first.
    """
    starting: dict[Tick, list[Flow]] = defaultdict(list)
    for piece in pieces:
        starting[piece.start].append(piece)
    found: list[Chain] = []
    for at in sorted(starting):
        ending = sorted((chain for chain in found if chain[-1].end == at), key=lambda chain: chain[0].start)
        coming = sorted(starting[at], key=lambda piece: piece.end)
        for chain, piece in zip(ending, coming, strict=False):
            chain.append(piece)
        found += [[piece] for piece in coming[len(ending) :]]
    return found


def _stitched(chain: Chain) -> Flow:
    """Return the chain as one interval; an edge that is open at infinity gives it no end (T4)."""
    first, last = chain[0], chain[-1]
    return replace(
        first,
        id=(first.id, first.start),
        end=last.end,
        sources=frozenset(element for piece in chain for element in piece.sources),
        stamp=max(piece.stamp for piece in chain),
        opens=last.opens,
        never_closes=last.opens,
        pane=None,
    )
