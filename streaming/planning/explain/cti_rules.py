"""The CTI that leaves each operator (TEMPORAL.md section 5): one table, quoted by the pages and read by tests.

`c` is the CTI that came in, of the last port that spoke; "min" is over all ports, and no CTI until each port has one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class CtiRule:
    """What leaves (`out`) when the CTI `c` came in, and why no less would do and no more is safe."""

    out: str
    why: str


_AS_IT_IS: Final = CtiRule("c", "Each event becomes at most one, with the same start, and waits for nothing.")

NODE_RULES: Final[Mapping[str, CtiRule]] = {
    "input": CtiRule(
        "min over the lanes of the input",
        "What one lane has promised, another may not have: the slowest that is not idle decides (T14, T16).",
    ),
    "filter": _AS_IT_IS,
    "project": _AS_IT_IS,
    "shift": CtiRule("c + by", "All starts move by the same length, and so does what is final."),
    "set_duration": _AS_IT_IS,
    "extend": CtiRule(
        "c; with a negative `by` min(c, oldest open start)",
        "The end of an open edge that is shortened may turn out to lie before its start, so its start must wait.",
    ),
    "clip": CtiRule(
        "min of both, held to the oldest undecided start",
        "Where a lifetime ends is known once its own end, and every clipping start before it, is final.",
    ),
    "point_at_end": CtiRule("c", "An end that is not final yet is not before `c`, and the point stands there."),
    "to_intervals": CtiRule(
        "min(c, oldest open start)",
        "The interval of an open edge will start where the edge started. What is late_kept holds it from the CTI that "
        "it met: no window before takes it (T19).",
    ),
    "order_edges": CtiRule("c", "Starts and ends wait here until `c` passes them, and then leave in order."),
    "union": CtiRule("min of the inputs", "Rows of the slowest input are still to come."),
    "join": CtiRule(
        "min of the inputs", "A pair starts where the later of the two starts, which is not before both CTIs."
    ),
    "anti_join": CtiRule(
        "min of both, held to the oldest undecided start",
        "A piece of a left lifetime that no right event has covered so far may still be covered.",
    ),
    "semi_join": CtiRule(
        "min of both, held to the oldest undecided start",
        "A piece of a left lifetime may still grow together with the next one.",
    ),
    "asof_join": CtiRule(
        "min of both, held to the oldest undecided start",
        "A left event is decided once the right CTI is beyond its start: until then a later right start may come.",
    ),
    "window": CtiRule("that of its windows", "See the page of the kind of windows."),
    "top_k": CtiRule("that of its windows", "See the page of the kind of windows."),
    "output": _AS_IT_IS,
}
