"""Random analytic nodes over the fields k and v; their first column is n."""

from typing import Any

from hypothesis import strategies as st

FRAMES = st.one_of(
    st.none(),
    st.builds(
        lambda preceding, following: {"unit": "rows", "preceding": preceding, "following": following},
        st.one_of(st.none(), st.integers(0, 3)),
        st.sampled_from((0, 0, 1, 2)),
    ),
    st.builds(
        lambda preceding, following: {"unit": "range", "preceding": preceding, "following": following},
        st.one_of(st.none(), st.integers(0, 9)),
        st.sampled_from((0, 0, 1, 4)),
    ),
)
AGGREGATES = ("count", "sum", "min", "max", "first", "last", "count_distinct")
PLACES = ("first_value", "last_value", "nth_value")
CUSUM = {"of": "v", "target": 1.0, "drift": 0.5, "threshold": 2.0}


@st.composite
def columns(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """Draw a column of any function; the first one of a node, `n`, is a long."""
    function = draw(st.sampled_from(("lag", "lead", "row_number", *PLACES, *AGGREGATES)))
    column: dict[str, Any] = {"name": name, "function": function}
    if function == "row_number":
        return column
    column["of"] = "v"
    if function in ("lag", "lead"):
        column |= {"offset": draw(st.integers(0, 2)), "ignore_nulls": draw(st.booleans())}
        if draw(st.booleans()):
            column["default"] = "6 % v"
        return column
    frame = draw(FRAMES)
    if frame is not None:
        column["frame"] = frame
    if function in PLACES:
        column["ignore_nulls"] = draw(st.booleans())
    return column


@st.composite
def analytic_nodes(draw: st.DrawFn, *, unbounded: bool = False) -> dict[str, Any]:
    """Draw an analytic node; with `unbounded` its grace never ends."""
    node: dict[str, Any] = {"kind": "analytic", "group_by": draw(st.sampled_from((["k"], []))), "columns": []}
    node["columns"] = [draw(columns("n")), *([draw(columns("o"))] if draw(st.booleans()) else [])]
    if draw(st.booleans()):
        node["reach"] = draw(st.integers(1, 12))
    if draw(st.booleans()):
        node["order_by"] = [{"of": draw(st.sampled_from(("v", "6 % v", "k"))), "descending": draw(st.booleans())}]
    if unbounded:
        node["grace"] = 1_000_000
    elif draw(st.booleans()):
        node["grace"] = draw(st.integers(0, 9))
    return node
