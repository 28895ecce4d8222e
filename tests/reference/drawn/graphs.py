"""Random graphs around one operator: the nodes before and after it, and those of its second port."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hypothesis import strategies as st

from tests.reference.batch.meanings import CONDITIONS, PAIR_CONDITIONS
from tests.reference.batch.window_kinds import SPECS
from tests.reference.drawn.rows_in_order import analytic_nodes
from tests.reference.drawn.windows import top_ks, windows

Node = dict[str, Any]

SHIFTS = st.sampled_from((3, 1, -4, 17, -30))
NULLABLE_KEYS = st.sampled_from((["k"], []))
PER_EVENT: Final = ("filter", "project", "shift", "set_duration", "set_duration_by_payload", "extend", "point_at_end")
"""The kinds through which provisional rows may pass."""


def _columns(value: str, name: str = "v", key: str = "k") -> list[Node]:
    return [{"name": "k", "of": key}, {"name": name, "of": value}]


def _project(draw: st.DrawFn) -> Node:
    return {"kind": "project", "columns": _columns(draw(st.sampled_from(("v * 2", "6 % v", "v * 3 + 1"))))}


def _join(draw: st.DrawFn, kind: str, **more: Any) -> Node:
    node = {"kind": kind, "keys": draw(NULLABLE_KEYS), **more}
    if draw(st.integers(0, 2)) == 2:
        node["where"] = draw(st.sampled_from(tuple(PAIR_CONDITIONS)))
    return node


ONE_INPUT: Final[Mapping[str, Callable[[st.DrawFn], Node]]] = {
    "filter": lambda draw: {"kind": "filter", "where": draw(st.sampled_from(tuple(CONDITIONS)))},
    "project": _project,
    "shift": lambda draw: {"kind": "shift", "by": draw(SHIFTS)},
    "set_duration": lambda draw: {"kind": "set_duration", "duration": draw(st.integers(1, 15))},
    "set_duration_by_payload": lambda draw: {
        "kind": "set_duration",
        "expression": draw(st.sampled_from(("v", "v * 3 + 1", "6 % v"))),
    },
    "extend": lambda draw: {"kind": "extend", "by": draw(st.integers(1, 15))},
    "extend_by_less": lambda draw: {"kind": "extend", "by": draw(st.integers(-15, -1))},
    "point_at_end": lambda draw: {"kind": "point_at_end"},
    "to_intervals": lambda draw: {"kind": "to_intervals"},
    "order_edges": lambda draw: {"kind": "order_edges"},
    "chop": lambda draw: {"kind": "chop", "period": draw(st.integers(1, 9)), "offset": draw(st.integers(-4, 4))},
    "stitch": lambda draw: {"kind": "stitch"},
    "analytic": lambda draw: draw(analytic_nodes()),
}
"""From a kind to a node without its id and input; all read and emit the fields k and v."""
TWO_INPUTS: Final[Mapping[str, Callable[[st.DrawFn], Node]]] = {
    "clip": lambda draw: {"kind": "clip", "keys": ["k"]},
    "union": lambda draw: {"kind": "union"},
    "join": lambda draw: _join(draw, "join"),
    "left_outer_join": lambda draw: _join(draw, "join", type="left_outer"),
    "anti_join": lambda draw: _join(draw, "anti_join"),
    "semi_join": lambda draw: _join(draw, "semi_join"),
    "asof_join": lambda draw: {"kind": "asof_join", "keys": draw(NULLABLE_KEYS)},
    "left_outer_asof_join": lambda draw: {"kind": "asof_join", "keys": draw(NULLABLE_KEYS), "type": "left_outer"},
}
"""The same with two inputs: the left has the fields k and v, the right k and w."""
WIDER: Final = ("join", "left_outer_join", "asof_join", "left_outer_asof_join")
"""The kinds that emit the fields k, v and w."""
KINDS: Final = (*ONE_INPUT, *TWO_INPUTS, *SPECS, "top_k")
"""Every operator, windows by their kind, and some variants with another rule."""


FOLLOWING: Final = tuple(kind for kind in KINDS if kind != "calendar")
"""The kinds after another operator: rows of calendar windows live too long for windows of some ticks (T24)."""
NEW_KEYS: Final = ("cast(v % 2 as string)", "coalesce(k, 'b')", "coalesce(k, 'b')")
"""Computed keys, so that those of the previous node have no relation to them."""
MEETING: Final = tuple(kind for kind in FOLLOWING if kind not in (*ONE_INPUT, "union"))
"""The kinds that match events by a key."""


@dataclass
class Drawing:
    """A graph in the making: `last` is the node that passes the fields `fields` to the next."""

    draw: st.DrawFn
    unbounded: bool = False
    nodes: list[Node] = field(default_factory=list)
    last: str = "s"
    fields: str = "kv"

    def add(self, name: str, node: Node, fields: str = "kv") -> None:
        """Add `node` after the last."""
        self.nodes.append({"id": name, "input": self.last, **node})
        self.last, self.fields = name, fields

    def operator(self, name: str, kind: str, *, provisional: bool = False) -> None:
        """Add an operator of `kind` after the last, and an input for its second port if it has one."""
        if self.fields != "kv":
            self._project(f"{name}_fields", "k" if "k" in self.fields else "'a'")
        if kind in SPECS:
            node = self.draw(windows(kind, provisional=provisional, unbounded=self.unbounded))
            self.add(name, node, "kvn" if node["group_by"] else "vn")
        elif kind == "top_k":
            self.add(name, self.draw(top_ks(unbounded=self.unbounded)))
        elif kind == "analytic":
            self.add(name, self.draw(analytic_nodes(unbounded=self.unbounded)), "kvn")
        elif kind in ONE_INPUT:
            self.add(name, ONE_INPUT[kind](self.draw))
        else:
            self._joined(name, kind, TWO_INPUTS[kind](self.draw))

    def rekeyed(self, name: str) -> None:
        """Add a project after the last node that recomputes k."""
        keys = NEW_KEYS if "k" in self.fields else NEW_KEYS[:1]
        self._project(name, self.draw(st.sampled_from(keys)))

    def _project(self, name: str, key: str) -> None:
        numbers = {"w": "v + w", "n": "v + n"}
        value = next((numbers[each] for each in numbers if each in self.fields), "v")
        self.add(name, {"kind": "project", "columns": _columns(value, key=key)})

    def _joined(self, name: str, kind: str, node: Node) -> None:
        keyless = "keys" in node and not node["keys"] and (kind in WIDER or "where" in node)
        right = self._right(name, "v" if kind == "union" else "w", keyless)
        left, self.last = self.last, name
        ends = {"union": {"inputs": [left, right]}, "clip": {"input": left, "by": right}}
        self.nodes.append({"id": name, **node, **ends.get(kind, {"left": left, "right": right})})
        self.fields = "kvw" if kind in WIDER else "kv"

    def _right(self, name: str, wanted: str, keyless: bool) -> str:
        """Return the second stream, or the first once more; its number is called `wanted`, `keyless` without the k."""
        source, number = self.draw(st.sampled_from((("r", "w"), ("r", "w"), ("r", "w"), ("s", "v"))))
        if source == "r" and all(node["id"] != "r" for node in self.nodes):
            self.nodes.insert(0, {"id": "r", "kind": "input", "stream": "r"})
        if self.draw(st.integers(0, 2)) == 2:
            self.nodes.append({"id": f"{name}_moved", "input": source, "kind": "shift", "by": self.draw(SHIFTS)})
            source = f"{name}_moved"
        if number == wanted and not keyless:
            return source
        columns = _columns(number, wanted)[1 if keyless else 0 :]
        self.nodes.append({"id": f"{name}_right", "input": source, "kind": "project", "columns": columns})
        return f"{name}_right"


@st.composite
def graphs(draw: st.DrawFn, kind: str, *, unbounded: bool, alone: bool, chained: bool) -> dict[str, Any]:
    """Draw an operator of `kind` between inputs and outputs, now and then with others before and after it.

    `unbounded`: every window has a grace that never ends. `alone`: no other operator is before or after the operator.
    `chained`: after it is a second one that matches events by another key.
    """
    drawing = Drawing(draw, unbounded)
    if not alone and draw(st.integers(0, 2)) == 2:
        drawing.operator("before", draw(st.sampled_from(("filter", "shift", "project"))))
    others = st.one_of(st.just([]), st.just([]), st.lists(st.sampled_from(FOLLOWING), max_size=2))
    last = alone or kind == "calendar"
    behind = [] if last else draw(others)
    final = [] if last or not chained else [draw(st.sampled_from(MEETING))]
    drawing.operator("op", kind, provisional=all(each in PER_EVENT for each in (*final, *behind)))
    for each in final:
        if draw(st.integers(0, 2)) == 2:
            drawing.nodes.append({"id": "early", "kind": "output", "input": drawing.last})
        drawing.rekeyed("anew")
        drawing.operator("again", each, provisional=all(later in PER_EVENT for later in behind))
    for number, each in enumerate(behind):
        drawing.operator(f"then{number}", each, provisional=all(later in PER_EVENT for later in behind[number + 1 :]))
    timestamps = ("lifetime", "lifetime", "lifetime", "point_at_end", "latest_input")
    timestamp = "lifetime" if alone else draw(st.sampled_from(timestamps))
    drawing.nodes.append({"id": "out", "kind": "output", "input": drawing.last, "timestamp": timestamp})
    if not alone and draw(st.integers(0, 4)) == 4:
        drawing.nodes.append({"id": "raw", "kind": "output", "input": "s"})
    nodes = [{"id": "s", "kind": "input", "stream": "s"}, *drawing.nodes]
    return {"version": 1, "name": "drawn", "nodes": nodes}
