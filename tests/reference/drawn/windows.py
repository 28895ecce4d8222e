"""Random window and top_k nodes: every kind of window, emit mode, grace, filling of empty windows, aggregate."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from tests.reference.batch.window_kinds import FIXED, SPECS

Node = dict[str, Any]

GRACES = (None, 0, 4, 15)
UNBOUNDED = "3285000d"
"""Nine thousand years: no window ever closes before the end."""
LONGS = ({"function": "count"}, {"function": "sum", "of": "v"}, {"function": "sum", "of": "v", "filter": "v > 0"})
OTHERS: tuple[Mapping[str, Any], ...] = (
    {"function": "count", "of": "v"},
    {"function": "count", "filter": "k is not null"},
    *({"function": name, "of": "v"} for name in ("avg", "min", "max", "first", "last", "count_distinct")),
    *({"function": name, "of": "k"} for name in ("min", "max", "first", "last", "collect", "count_distinct")),
    *({"function": name, "of": "v"} for name in ("stddev", "stddev_pop", "variance", "variance_pop")),
    *({"function": name, "of": "v"} for name in ("approx_count_distinct", "collect", "collect_distinct")),
    *({"function": name, "of": "v", "fraction": 0.5} for name in ("percentile_disc", "approx_percentile")),
    *({"function": "percentile_cont", "of": "v", "fraction": fraction} for fraction in (0.0, 0.3, 0.9, 1.0)),
    *({"function": "ewma", "of": "v", "fraction": fraction} for fraction in (0.0, 0.3, 1.0)),
    *({"function": name, "of": "v", "k": 2} for name in ("topk", "maxk", "mink", "maxk_unique", "mink_unique")),
    {"function": "collect", "of": "v", "filter": "v % 2 = 0"},
)
WEIGHTED: tuple[Mapping[str, Any], ...] = (
    {"function": "time_weighted_avg", "of": "v"},
    {"function": "time_weighted_sum", "of": "v"},
)


@st.composite
def aggregates(draw: st.DrawFn, *, weighted: bool) -> list[Node]:
    """A long `v`, a count `n`, and up to two others."""
    found = [{"name": "v", **draw(st.sampled_from(LONGS))}, {"name": "n", "function": "count"}]
    choice = OTHERS + (WEIGHTED if weighted else ())
    for number, aggregate in enumerate(draw(st.lists(st.sampled_from(choice), max_size=2))):
        found.append({"name": f"a{number}", **aggregate})
    return found


@st.composite
def windows(draw: st.DrawFn, kind: str, *, provisional: bool, unbounded: bool) -> Node:
    """A window node without its id and input; provisional rows only where they may pass."""
    spec = draw(SPECS[kind]())
    node: Node = {"kind": "window", "group_by": draw(st.sampled_from((["k"], []))), "window": spec}
    grace = UNBOUNDED if unbounded else draw(st.sampled_from(GRACES))
    if grace is not None:
        if kind == "time_interval":
            spec["discard_age"] = grace
        else:
            node["grace"] = grace
    if provisional:
        node["emit"] = draw(st.sampled_from(("final", "on_complete", "running")))
        if node["emit"] != "final" and draw(st.booleans()):
            node["retract"] = True
    if kind in FIXED and node.get("emit", "final") == "final" and draw(st.integers(0, 2)) == 2:
        node |= {"empty": "default", "empty_gap": f"{draw(st.integers(1, 60))}us"}
        if node["group_by"]:
            node["empty_groups"] = draw(st.sampled_from(([{"k": "a"}], [{"k": "b"}, {"k": None}])))
    node["aggregates"] = draw(aggregates(weighted=kind != "snapshot"))
    return node


@st.composite
def top_ks(draw: st.DrawFn, *, unbounded: bool) -> Node:
    """A top_k node without its id and input."""
    kinds = [kind for kind in SPECS if kind != "calendar"]  # nodes after the ranks have windows of some ticks (T24)
    spec = draw(SPECS[draw(st.sampled_from(kinds))]())
    if unbounded and spec["kind"] == "time_interval":
        spec["discard_age"] = UNBOUNDED
    by = draw(st.sampled_from(("v", "v * 2", "6 % v")))
    group_by = draw(st.sampled_from((["k"], [])))
    return {"kind": "top_k", "window": spec, "group_by": group_by, "by": by, "k": draw(st.integers(1, 3))}
