"""Pieces of lifetimes: the part of a span that a set of spans covers, and the rest."""

from collections.abc import Iterable
from dataclasses import dataclass

from streaming.reference.flow import Flow
from streaming.temporal.ticks import Tick


@dataclass(frozen=True, slots=True, order=True)
class TickSpan:
    """The ticks `[start, end)` (T2); empty unless `start < end`."""

    start: Tick
    end: Tick

    def __bool__(self) -> bool:
        return self.start < self.end

    def within(self, other: "TickSpan") -> "TickSpan":
        """Return the ticks of both."""
        return TickSpan(max(self.start, other.start), min(self.end, other.end))


def span(flow: Flow) -> TickSpan:
    """Return the lifetime of `flow`."""
    return TickSpan(flow.start, flow.end)


def overlap(one: Flow, other: Flow) -> bool:
    """Return true if some tick is in both lifetimes, which are not empty."""
    return one.start < other.end and other.start < one.end


def covered(whole: TickSpan, others: Iterable[TickSpan]) -> list[TickSpan]:
    """The maximal pieces of `whole` inside the union of `others`, in order.

    >>> covered(Span(0, 9), [Span(1, 3), Span(3, 4), Span(7, 20)])
    [Span(start=1, end=4), Span(start=7, end=9)]
    """
    found: list[TickSpan] = []
    for each in sorted(other.within(whole) for other in others):
        if not each:
            continue
        if found and each.start <= found[-1].end:
            found[-1] = TickSpan(found[-1].start, max(found[-1].end, each.end))
        else:
            found.append(each)
    return found


def uncovered(whole: TickSpan, others: Iterable[TickSpan]) -> list[TickSpan]:
    """The maximal pieces of `whole` outside the union of `others`, in order.

    >>> uncovered(Span(0, 9), [Span(1, 3), Span(3, 4), Span(7, 20)])
    [Span(start=0, end=1), Span(start=4, end=7)]
    """
    taken = covered(whole, others)
    starts = [whole.start, *(each.end for each in taken)]
    ends = [*(each.start for each in taken), whole.end]
    return [piece for piece in map(TickSpan, starts, ends) if piece]
