"""Random flows for one node, whole ones, edges and rows that are replaced, with legal CTIs between them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from streaming.reference.flow import ElementId, Flow, Pane, Timing
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, NO_CTI, Tick

FIELDS = {"k": "string", "v": "long"}
PAYLOADS = st.builds(dict, k=st.sampled_from(("a", "b", "", None)), v=st.sampled_from((-1, 0, 1, 2, 5, 2**62, None)))
BASES = st.sampled_from((0, 0, 0, FIRST_TICK, LAST_TICK - 20))
_STARTS = st.integers(0, 20)


@dataclass(frozen=True)
class PortElement:
    """An element of a port: a flow, or a CTI that rises."""

    port: int
    flow: Flow | None = None
    cti: int = NO_CTI


def source(flow_id: str, number: int) -> frozenset[ElementId]:
    """Return the received row of a flow."""
    return frozenset((ElementId("s", flow_id, number),))


@st.composite
def events(draw: st.DrawFn, base: int, *, edges: bool, replaced: bool) -> list[list[Flow]]:
    """Draw up to eight events, each with its flows in their order."""
    kinds = ["whole", "whole", *(["edge"] * 3 if edges else []), *(["rows"] * 2 if replaced else [])]
    found = []
    for number in range(draw(st.integers(0, 8))):
        kind, start = draw(st.sampled_from(kinds)), base + draw(_STARTS)
        end: int = INFINITY if draw(st.integers(0, 5)) == 5 else min(start + draw(st.integers(1, 20)), LAST_TICK + 1)
        stamp = min(start + draw(st.sampled_from((0, 0, 3))), LAST_TICK)
        name = f"e{number}"
        flow = Flow(name, Tick(start), Tick(end), draw(PAYLOADS), source(name, 0), Tick(stamp))
        found.append(_edge(draw, flow) if kind == "edge" else _rows(draw, flow) if kind == "rows" else [flow])
    return found


def _edge(draw: st.DrawFn, flow: Flow) -> list[Flow]:
    """Draw the start; the end unless it never comes; one edge in six vanishes."""
    opened = replace(flow, end=INFINITY, opens=True)
    closing = replace(flow, closes=True, sources=source(str(flow.id), 1), stamp=flow.start)
    if draw(st.integers(0, 5)) == 5:
        closing = replace(closing, end=flow.start)
    return [opened] if flow.end == INFINITY else [opened, closing]


def _rows(draw: st.DrawFn, flow: Flow) -> list[Flow]:
    """Draw rows of one pane, each replacing the previous one; perhaps none remains in the end."""
    rows: list[Flow] = []
    for index in range(draw(st.integers(1, 3))):
        pane = Pane(flow.start, flow.end, draw(st.sampled_from(list(Timing))), index, is_last=False)
        before = replace(rows[-1], replaces=None) if rows else None
        row = replace(flow, payload=draw(PAYLOADS), sources=frozenset(), pane=pane, replaces=before)
        rows.append(replace(row, stamp=Tick(min(flow.stamp + index, LAST_TICK))))
    if draw(st.booleans()):
        rows.append(replace(rows[-1], replaces=None, gone=True))
    return rows


@st.composite
def heard(draw: st.DrawFn, ports: int = 1, *, edges: bool = True, replaced: bool = False) -> list[PortElement]:
    """Draw flows of all ports, those of one event in their order, with CTIs that only late_kept ones violate."""
    base = draw(BASES)
    queues = [(port, event) for port in range(ports) for event in draw(events(base, edges=edges, replaced=replaced))]
    ctis = [int(NO_CTI)] * ports
    steps: list[PortElement] = []
    while pending := [queue for queue in queues if queue[1]]:
        if draw(st.integers(0, 2)) == 2:
            steps.extend(_risen(draw(st.integers(0, ports - 1)), base + draw(st.integers(0, 30)), ctis))
        port, event = draw(st.sampled_from(pending))
        steps.extend(_judged(port, event.pop(0), ctis[port]))
    for port in draw(st.lists(st.integers(0, ports - 1), max_size=3)):
        steps.extend(_risen(port, base + draw(st.integers(0, 45)), ctis))
    if draw(st.booleans()):
        steps.extend(PortElement(port, cti=INFINITY) for port in range(ports))
    return steps


def _risen(port: int, cti: int, ctis: list[int]) -> Iterable[PortElement]:
    cti = min(cti, LAST_TICK + 1)
    if cti > ctis[port]:
        ctis[port] = cti
        yield PortElement(port, cti=cti)


def _judged(port: int, flow: Flow, cti: int) -> Iterable[PortElement]:
    """Yield the flow, late_kept if it violates `cti`; after the CTI no edge vanishes and no row of a pane comes."""
    sync = flow.end if flow.closes else flow.start
    if sync >= cti or flow.pane is not None:
        yield PortElement(port, flow)
    elif not flow.vanishes:
        yield PortElement(port, replace(flow, late_at=Tick(cti)))


@st.composite
def cuts(draw: st.DrawFn, steps: Sequence[Any]) -> list[list[Any]]:
    """Draw `steps` in turns; every fourth time each is its own turn."""
    if draw(st.integers(0, 3)) == 3:
        return [[step] for step in steps]
    places = sorted(draw(st.sets(st.integers(0, len(steps)), max_size=5)))
    bounds = [0, *places, len(steps)]
    return [list(steps[first:end]) for first, end in pairwise(bounds)]
