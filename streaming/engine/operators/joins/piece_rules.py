"""The pieces of left lifetimes that are rows, and the decided ones: left outer, anti join, semi join and clip."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from streaming.engine.columns.flows import OPEN, Flows, Mask
from streaming.engine.operators.joins.coverage import Coverage, LifetimeSpans, covered, firsts, least, most, uncovered
from streaming.engine.operators.joins.matching import MatchRule
from streaming.engine.operators.joins.overlaps import composites
from streaming.engine.operators.joins.side_turn import JoinClock, is_open
from streaming.planning.plan import MatchSpec
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.rows.arrived import Int64s


@dataclass(frozen=True, slots=True)
class LeftEvents:
    """Left events, row by row, with their stored state.

    Nothing before `since` is undecided. `piece` is the start of the first piece that is not decided, INFINITY if none
    is known. `seen` is the largest stamp among the rights that cover that piece (semi join), NO_CTI without any.
    """

    events: Flows
    since: Int64s
    piece: Int64s
    seen: Int64s

    def take(self, rows: Int64s) -> "LeftEvents":
        """The rows by index."""
        return LeftEvents(self.events.take(rows), self.since[rows], self.piece[rows], self.seen[rows])


@dataclass(frozen=True, slots=True)
class DecidedPieces:
    """The decided pieces, as spans `rows` of the `lefts`; which lefts still wait, and until when at most.

    `stamps` are the largest stamps of the rights that make a piece; `opens` marks pieces with an endless right.
    """

    lefts: LeftEvents
    rows: LifetimeSpans
    opens: Mask
    stamps: Int64s | None
    waits: Mask
    due: Int64s


@dataclass(frozen=True, slots=True)
class _LeftPieces:
    """All known pieces, in order; for a semi join with their origins."""

    spans: LifetimeSpans
    stamps: Int64s | None = None
    opens: Mask | None = None


def decide(spec: MatchSpec, matching: MatchRule, lefts: LeftEvents, rights: Flows, clock: JoinClock) -> DecidedPieces:
    """Decide `lefts` at the CTIs of `clock`; `rights` are all events that may affect them, matching or not.

    A right edge that may still vanish, because the CTI is not after its start, does not count yet.
    """
    if spec.kind == "clip":
        pieces, again = _clipped(matching, lefts, rights, clock)
        return _decided(spec, lefts, pieces, again, clock)
    semi = spec.kind == "semi_join"
    spans, theirs, again = _matches(matching, lefts, rights, clock)
    if not semi:
        covers = covered(spans)
        pieces = _LeftPieces(uncovered(lefts.since, lefts.events.end, covers.pieces))
        return _decided(spec, lefts, pieces, again, clock)
    spans, stamps, opens = _with_seen(lefts, spans, rights, theirs, clock)
    covers = covered(spans)
    count = len(covers.pieces.of)
    whole = _LeftPieces(
        covers.pieces, most(count, covers.piece, stamps, NO_CTI), most(count, covers.piece, opens, 0) > 0
    )
    found = _decided(spec, lefts, whole, again, clock)
    return _remembering(found, spans, covers, stamps, opens, clock)


def _matches(
    matching: MatchRule, lefts: LeftEvents, rights: Flows, clock: JoinClock
) -> tuple[LifetimeSpans, Int64s, Int64s]:
    """Return the spans of matching rights over undecided time, and the rights by span.

    Also return by left when a right becomes certain.
    """
    events = replace(lefts.events, start=lefts.since, stamp=lefts.events.stamps)
    codes = matching.codes(events, rights)
    codes[0] = np.where(lefts.since < events.end, codes[0], -1)
    found = list(matching.pairs(events, rights, codes))
    mine = _joined([pairs.left for pairs in found])
    theirs = _joined([pairs.right for pairs in found])
    again = np.full(len(events), INFINITY)
    if rights.flag is not None:
        unsure = (rights.flag == OPEN) & (rights.start >= clock.ctis[1])
        if unsure.any():
            which = unsure[theirs]
            again = least(len(events), mine[which], rights.start[theirs[which]] + 1, INFINITY)
            mine, theirs = mine[~which], theirs[~which]
    start = np.maximum(rights.start[theirs], lefts.since[mine])
    return LifetimeSpans(mine, start, np.minimum(rights.end[theirs], events.end[mine])), theirs, again


def _with_seen(
    lefts: LeftEvents, spans: LifetimeSpans, rights: Flows, theirs: Int64s, clock: JoinClock
) -> tuple[LifetimeSpans, Int64s, Int64s]:
    """Return the spans with those of removed rights, which cover an unfinished piece up to the CTIs that passed.

    Also the stamp of each, and true for a right without an end.
    """
    until = np.minimum(lefts.events.end, clock.low_before)
    under_way = np.flatnonzero(lefts.piece < until)
    start = np.maximum(lefts.piece, lefts.since)[under_way]
    whole = LifetimeSpans(
        np.concatenate([spans.of, under_way]),
        np.concatenate([spans.start, start]),
        np.concatenate([spans.end, until[under_way]]),
    )
    opens = is_open(rights.flag, len(rights))[theirs].astype(np.int64)
    stamps = np.concatenate([rights.stamps[theirs], lefts.seen[under_way]])
    return whole, stamps, np.concatenate([opens, np.zeros(len(under_way), np.int64)])


def _decided(spec: MatchSpec, lefts: LeftEvents, pieces: _LeftPieces, again: Int64s, clock: JoinClock) -> DecidedPieces:
    spans, end = pieces.spans, lefts.events.end
    left_cti, right_cti = clock.ctis
    unended = is_open(lefts.events.flag, len(end))
    until = np.where(unended, left_cti, INFINITY)
    if spec.kind == "semi_join":
        final = (spans.end < right_cti) | ((spans.end == end[spans.of]) & (spans.end <= right_cti))
        wanted = np.where((spans.end == end[spans.of]) | (spans.end == INFINITY), spans.end, spans.end + 1)
    else:
        final, wanted = spans.end <= right_cti, spans.end
    final = final & (spans.end <= until[spans.of])
    rows = LifetimeSpans(spans.of[final], spans.start[final], spans.end[final])
    rest = np.flatnonzero(~final)
    first = rest[firsts(spans.of[rest])]
    piece = np.full(len(end), INFINITY)
    piece[spans.of[first]] = spans.start[first]
    due = np.minimum(again, end)
    due[spans.of[first]] = np.minimum(due[spans.of[first]], wanted[first])
    since = np.maximum(lefts.since, most(len(end), rows.of, rows.end, NO_CTI))
    waits = end > np.minimum(right_cti, until)
    if spec.kind == "clip":
        waits = piece != INFINITY
    stamps = None if pieces.stamps is None else pieces.stamps[final]
    opens = np.zeros(len(rows.of), np.bool_) if pieces.opens is None else pieces.opens[final]
    return DecidedPieces(replace(lefts, since=since, piece=piece), rows, opens, stamps, waits, due)


def _remembering(
    found: DecidedPieces, spans: LifetimeSpans, covers: Coverage, stamps: Int64s, opens: Int64s, clock: JoinClock
) -> DecidedPieces:
    """Add the stamps of rights that surely cover the unfinished pieces.

    An open right covers up to the CTI; no more is sure. An open left may end at its own CTI. Later time is decided once
    it is sure.
    """
    at = np.flatnonzero(covers.pieces.start[covers.piece] == found.lefts.piece[spans.of])
    end = np.where(opens[at] > 0, np.minimum(spans.end[at], clock.ctis[1]), spans.end[at])
    events = found.lefts.events
    until = np.where(is_open(events.flag, len(events)), clock.ctis[0], INFINITY)
    sure = np.flatnonzero((spans.start[at] < end) & (spans.start[at] < until[spans.of[at]]))
    parts = covered(LifetimeSpans(spans.of[at][sure], spans.start[at][sure], end[sure]))
    begun = parts.pieces.start == found.lefts.piece[parts.pieces.of]
    inside = begun[parts.piece]
    rows = len(found.due)
    seen = most(rows, spans.of[at][sure[inside]], stamps[at][sure[inside]], NO_CTI)
    later = np.ones(len(at), np.bool_)
    later[sure[inside]] = False
    due = np.minimum(found.due, least(rows, spans.of[at][later], spans.start[at][later] + 1, INFINITY))
    return replace(found, lefts=replace(found.lefts, seen=seen), due=due)


def _clipped(matching: MatchRule, lefts: LeftEvents, rights: Flows, clock: JoinClock) -> tuple[_LeftPieces, Int64s]:
    """Return `[s, min(e, r))`, r being the first certain right start after s.

    And when an uncertain one becomes certain.
    """
    events = lefts.events
    end, again = events.end, np.full(len(events), INFINITY)
    if len(rights):
        code, others = matching.codes(events, rights)
        unsure = np.zeros(len(rights), np.bool_)
        if rights.flag is not None:
            unsure = (rights.flag == OPEN) & (rights.start >= clock.ctis[1])
        end = np.minimum(end, _next(code, events.start, others[~unsure], rights.start[~unsure]))
        if unsure.any():
            later = _next(code, events.start, others[unsure], rights.start[unsure])
            again = np.where(later < INFINITY, later + 1, INFINITY)
    return _LeftPieces(LifetimeSpans(np.arange(len(events)), events.start, end)), again


def _next(code: Int64s, start: Int64s, codes: Int64s, starts: Int64s) -> Int64s:
    """Return for each start the first of `starts` with the same code that is later; INFINITY without one."""
    found = np.full(len(code), INFINITY)
    mine, theirs = np.flatnonzero(code >= 0), np.flatnonzero(codes >= 0)
    if not len(mine) or not len(theirs):
        return found
    place, placed = composites(code, start, codes, starts)
    order = theirs[np.argsort(placed[theirs], kind="stable")]
    at = np.searchsorted(placed[order], place[mine], side="right")
    row = order[np.minimum(at, len(order) - 1)]
    same = (at < len(order)) & (codes[row] == code[mine])
    found[mine[same]] = starts[row[same]]
    return found


def _joined(parts: Sequence[Int64s]) -> Int64s:
    return np.concatenate(parts) if parts else np.empty(0, np.int64)
