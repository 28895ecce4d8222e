"""Random elements at one port of a window, as flows of the reference and of the engine, cut into turns anywhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from streaming.engine.columns.flows import CLOSE, ENDLESS, OPEN, WHOLE, Flows
from streaming.engine.operators.kernel import PortInput
from streaming.engine.state.node_state import NodeState
from streaming.reference.flow import ElementId, Flow
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick

FIELDS = ("k", "v")


@dataclass(frozen=True)
class Element:
    """A flow or, where `cti` is set, a CTI."""

    flag: int = WHOLE
    start: int = 0
    end: int = 0
    k: str | None = None
    v: int = 0
    id: int = 0
    late_at: int | None = None
    cti: int | None = None

    @property
    def flow(self) -> Flow:
        """Return the reference's flow; an edge end has the number of its start, and is another received row."""
        return Flow(
            id=self.id,
            start=Tick(self.start),
            end=Tick(self.end),
            payload={"k": self.k, "v": self.v},
            sources=frozenset([ElementId("s", self.source, self.id)]),
            stamp=Tick(self.start),
            late_at=None if self.late_at is None else Tick(self.late_at),
            opens=self.flag in (OPEN, ENDLESS),
            closes=self.flag == CLOSE,
            never_closes=self.flag == ENDLESS,
        )

    @property
    def source(self) -> str:
        """Return the source for the report."""
        return f"{'end' if self.flag == CLOSE else 'row'} {self.id}"


def flows_of(elements: Sequence[Element]) -> Flows:
    """Return the flows among `elements`, in columns."""
    rows = [each for each in elements if each.cti is None]
    lates = [NO_CTI if row.late_at is None else row.late_at for row in rows]
    edges = [str(row.id) if row.flag != WHOLE else None for row in rows]
    return Flows(
        start=np.array([row.start for row in rows], np.int64),
        end=np.array([row.end for row in rows], np.int64),
        columns={
            "k": pa.array([row.k for row in rows], pa.string()),
            "v": pa.array([row.v for row in rows], pa.int64()),
        },
        flag=np.array([row.flag for row in rows], np.int8) if any(edges) else None,
        id=pa.array(edges, pa.string()) if any(edges) else None,
        late_at=np.array(lates, np.int64) if set(lates) - {NO_CTI} else None,
        source=pa.array([row.source for row in rows], pa.string()),
    )


def turns_of(elements: Sequence[Element], cuts: set[int]) -> list[Sequence[Element]]:
    """Return the elements of each turn."""
    bounds = [0, *sorted(cut for cut in cuts if 0 < cut < len(elements)), len(elements)]
    return [elements[begin:stop] for begin, stop in pairwise(bounds)]


def ports_of(elements: Sequence[Element], cuts: set[int]) -> list[PortInput]:
    """Return the turns that end before the elements at `cuts` and at the end.

    The horizon is that of all finite times.
    """
    ports, at, horizon = [], int(NO_CTI), int(NO_CTI)
    for turn in turns_of(elements, cuts):
        ctis = tuple(each.cti for each in turn if each.cti is not None)
        horizon = horizon_of(turn, horizon)
        at = ctis[-1] if ctis else at
        ports.append(PortInput(flows_of(turn), ctis, at, horizon))
    return ports


def horizon_of(elements: Sequence[Element], before: int) -> int:
    """Return the largest finite time of the elements and `before` (T4)."""
    times = [time for each in elements for time in ((each.start, each.end) if each.cti is None else (each.cti,))]
    return max([before, *(time for time in times if time != INFINITY)])


def again(state: NodeState) -> NodeState:
    """Return the state after a restart: only written data remain."""
    stored = dict(state.written)
    return NodeState(stored.get, dict(state.head), stored)


@st.composite
def arriving(draw: st.DrawFn, *, edges: bool, lates: bool = True, points: bool = False) -> list[Element]:
    """Draw elements of two groups on several lanes, seen from a node: CTIs rise, and only violations are late_kept.

    The lane of a late one may be ahead of the node (T14). All ends with infinity.
    """
    found: list[Element] = []
    opened: list[Element] = []
    cti = draw(st.integers(0, 10))
    begun = False
    for number in range(draw(st.integers(0, 20))):
        choice = draw(st.integers(0, 5))
        if choice < 2:
            cti, begun = cti + draw(st.integers(1, 12)), True
            found.append(Element(cti=cti))
            continue
        late_at = cti + draw(st.integers(0, 8)) if lates and begun and draw(st.integers(0, 2)) == 0 else None
        sync = draw(st.integers(late_at - 15, late_at - 1)) if late_at is not None else draw(st.integers(cti, cti + 15))
        if edges and opened and choice < 4:
            edge = opened.pop(draw(st.integers(0, len(opened) - 1)))
            found.append(Element(CLOSE, edge.start, sync, edge.k, edge.v, edge.id, late_at))
            continue
        k, v = draw(st.sampled_from(("x", "y", None))), draw(st.integers(0, 5))
        if edges and choice < 5:
            flag = ENDLESS if draw(st.integers(0, 9)) == 0 else OPEN
            found.append(Element(flag, sync, INFINITY, k, v, number, late_at))
            opened += [found[-1]] if flag == OPEN else []
            continue
        length = 1 if points else draw(st.integers(1, 15))
        found.append(Element(WHOLE, sync, sync + length, k, v, number, late_at))
    return [*found, Element(cti=INFINITY)]
