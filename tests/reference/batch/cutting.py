"""chop and stitch over all lifetimes at once, by going through the cuts, or through the starts, in order."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from streaming.definition.graph import ChopNode, StitchNode
from tests.reference.batch.lives import FOREVER, Life, Lives, ticks


def chop(node: ChopNode, lives: Lives) -> Lives:
    """Return the pieces; a lifetime without an end is cut up to the piece with the horizon (T4)."""
    period, offset = ticks(node.period), ticks(node.offset)
    pieces = []
    for life in lives.all:
        until = lives.horizon + 1 if life.end == FOREVER else life.end
        cuts = [at for at in range(life.start + 1, until) if (at - offset) % period == 0]
        spans = zip([life.start, *cuts], [*cuts, life.end], strict=True)
        pieces += [replace(life, start=start, end=end, open=life.open and end == FOREVER) for start, end in spans]
    return Lives(pieces, lives.horizon, lives.vanished)


def stitch(node: StitchNode, lives: Lives) -> Lives:
    """Return the chains of each payload; an edge that vanishes is in none, because a chain waits for its end."""
    del node
    by_payload: dict[str, list[Life]] = defaultdict(list)
    for life in lives.all:
        by_payload[json.dumps(life.payload, sort_keys=True)].append(life)
    found = [chain for same in by_payload.values() for chain in _chains(same)]
    return Lives(found, lives.horizon)


def _chains(lives: Sequence[Life]) -> list[Life]:
    """Let every piece, in order of start and end, continue the waiting chain of the earliest start."""
    closed: list[Life] = []
    for life in sorted(lives, key=lambda each: (each.start, each.end)):
        meeting = [chain for chain in closed if chain.end == life.start]
        if not meeting:
            closed.append(life)
            continue
        first = min(meeting, key=lambda chain: chain.start)
        closed.remove(first)
        closed.append(replace(life, start=first.start, stamp=max(first.stamp, life.stamp)))
    return closed
