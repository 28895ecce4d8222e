"""Sessions, which a pause of their group ends."""

from collections.abc import Iterator
from typing import Final

from streaming.definition.graph import SessionWindow
from streaming.planning.explain.cti_rules import CtiRule
from streaming.planning.explain.facts import ANY_LENGTH, Facts, LifetimeBound
from streaming.planning.explain.held import HoldBound, moved_by
from streaming.planning.explain.model import ExplainedState
from streaming.planning.explain.windows.kind import Windowed, WindowKind, needed_events, per_group, plus
from streaming.planning.explain.words import spoken, spoken_length
from streaming.temporal.ticks import Ticks, parse_duration


def _window(node: Windowed) -> SessionWindow:
    if not isinstance(node.window, SessionWindow):
        raise TypeError(f"{node.id!r} has no sessions")
    return node.window


def _life(node: Windowed, before: LifetimeBound) -> LifetimeBound:
    del before
    cap = _window(node).max
    return ANY_LENGTH if cap is None else LifetimeBound(parse_duration(cap))


def _hold(node: Windowed, grace: Ticks, life: LifetimeBound) -> HoldBound:
    del life
    formula = f"min({moved_by('c', Ticks(-grace))}, start of the earliest open session)"
    cap = _window(node).max
    if cap is None:
        gap = spoken(parse_duration(_window(node).gap))
        because = f"a session stays open for as long as its group never pauses for {gap}, and no `max` ends it"
        return HoldBound.unbounded(formula, because, grace)
    return HoldBound(formula, grace, Ticks(grace + parse_duration(cap) - 1))


def _state(node: Windowed, facts: Facts) -> Iterator[ExplainedState]:
    gap, grace = parse_duration(_window(node).gap), facts.grace(node)
    closing = f"{plus('last start + ' + spoken(gap), grace)} <= c"
    cap = _window(node).max
    if cap is not None:
        yield ExplainedState(
            what=needed_events(node),
            per=f"{per_group(node)}open session",
            until=f"{closing}, at most {cap} of events",
            formula=f"events of open sessions, none longer than {spoken(parse_duration(cap))}",
            bounded_by="cti",
        )
        return
    paused = f"{closing}: its group has paused for {spoken(gap)}"
    yield ExplainedState(
        what=needed_events(node),
        per=f"{per_group(node)}open session",
        until=f"{paused}; unbounded while it does not, for `max` caps no session",
        formula="events of open sessions",
        bounded_by="pause",
    )


def _words(of: SessionWindow) -> str:
    cap = "" if of.max is None else f", {spoken_length(of.max)} long at most"
    return f"session that a gap of {spoken_length(of.gap)} ends{cap}"


SESSION: Final = WindowKind(
    _words,
    _life,
    CtiRule(
        "min(c minus the grace, start of the earliest session that is not closed)",
        "A session that is open may still grow, and its row will start where it started.",
    ),
    _hold,
    _state,
)
