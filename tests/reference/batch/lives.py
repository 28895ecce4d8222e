"""Lifetimes as the batch query sees them, and those that the late policies of a finished run admitted."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from streaming.reference.executor import ReferenceRun
from streaming.reference.flow import ElementId
from streaming.temporal.clock import JudgedElement
from streaming.temporal.events import EdgeKind
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import INFINITY
from streaming.wire.execution.case import Case

FOREVER: Final = INFINITY
BEFORE_ALL: Final = -1_000_000
"""The horizon of an input that has seen no time."""


@dataclass(frozen=True)
class Life:
    """One event: `stamp` is the latest start among the events that made it; an `open` one is an edge without an end."""

    start: int
    end: int
    payload: Mapping[str, Any]
    stamp: int
    open: bool = False


@dataclass(frozen=True)
class Lives:
    """All events of a node, and the largest finite time that it has seen (T4).

    `vanished` are the edges with no lifetime after the late policy: only nodes that read starts alone show them.
    """

    all: Sequence[Life]
    horizon: int
    vanished: Sequence[Life] = ()


def ticks(duration: int | str | None) -> int:
    """Return a drawn duration, which is a count of ticks."""
    assert isinstance(duration, int)
    return duration


def let_through(run: ReferenceRun, case: Case) -> dict[str, Lives]:
    """Return the events that the late policies admitted, by input node, each edge with its end (T11).

    Also return the horizon.
    """
    judged: dict[str, dict[ElementId, JudgedElement]] = {name: {} for name in case.streams}
    for element, each in run.judged.items():
        judged[element.input][element] = each
    found = {}
    for name, of in judged.items():
        lives = _lives(of)
        living, vanished = ([life for life in lives if (life.end > life.start) is lasts] for lasts in (True, False))
        found[name] = Lives(living, _horizon(name, of, case), vanished)
    return found


def _lives(judged: Mapping[ElementId, JudgedElement]) -> list[Life]:
    found: dict[ElementId, Life] = {}
    waiting: dict[object, list[ElementId]] = defaultdict(list)
    for element, each in judged.items():
        original, event = each.original, each.event
        if original is None or each.reason is Reason.AFTER_END or each.outcome is Outcome.MALFORMED:
            continue
        name = (element.lane, original.start, sorted(original.payload.items(), key=repr).__repr__())
        if original.edge is EdgeKind.END:
            if event is not None or each.reason is Reason.START_DROPPED:
                opened = waiting[name].pop(0)
            if event is not None:
                found[opened] = replace(found[opened], end=event.end, open=False)
            continue
        if event is not None:
            edge = original.edge is EdgeKind.START
            found[element] = Life(event.start, event.end, event.payload, event.start, open=edge)
        if original.edge is EdgeKind.START:
            waiting[name].append(element)
    return list(found.values())


def _horizon(name: str, judged: Mapping[ElementId, JudgedElement], case: Case) -> int:
    """Return the largest time of an event that was not malformed, dropped ones included, or of a finite CTI."""
    syncs = [
        each.original.sync
        for each in judged.values()
        if each.original is not None and each.reason is not Reason.AFTER_END and each.outcome is not Outcome.MALFORMED
    ]
    ctis = [each.cti_after for each in judged.values() if each.cti_after != INFINITY]
    return max([*syncs, *ctis, *explicit_ctis(name, case)], default=BEFORE_ALL)


def explicit_ctis(name: str, case: Case, lane: str | None = None) -> list[int]:
    """Return the finite CTI rows of a stream, or of one lane of it, without those after an infinity of their lane."""
    ended: set[str] = set()
    found: list[int] = []
    for row in case.rows:
        if row.stream != name or "cti" not in row.fields or row.lane in ended or lane not in (None, row.lane):
            continue
        at = row.fields["cti"]
        if at is None:
            ended.add(row.lane)
        elif isinstance(at, int):
            found.append(at + bool(row.fields.get("strict")))
    return found
