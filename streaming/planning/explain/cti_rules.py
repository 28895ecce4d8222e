"""The output CTI of each operator (TEMPORAL.md section 5): one table, used by the pages and the tests.

`c` is the input CTI of the last port that received one. "min" is over all ports, once each port has a CTI.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class CtiRule:
    """The output CTI (`out`) for the input CTI `c`, and `why` neither a smaller nor a larger one is right."""

    out: str
    why: str


_AS_IT_IS: Final = CtiRule("c", "Each event becomes at most one event with the same start, without delay.")

NODE_RULES: Final[Mapping[str, CtiRule]] = {
    "input": CtiRule(
        "min over the lanes of the input",
        "A CTI of one lane is no promise of another: the slowest lane that isn't idle determines it (T14, T16).",
    ),
    "filter": _AS_IT_IS,
    "project": _AS_IT_IS,
    "shift": CtiRule("c + by", "All starts move by the same length, and the CTI moves with them."),
    "set_duration": _AS_IT_IS,
    "extend": CtiRule(
        "c; with a negative `by` min(c, oldest open start)",
        "A shortened open edge may turn out to end before its start, so its start must wait.",
    ),
    "clip": CtiRule(
        "min of both, but at most the oldest undecided start",
        "The end of a lifetime is known once its own end, and every clipping start before it, is final.",
    ),
    "point_at_end": CtiRule("c", "An end that is not final yet is not before `c`, and the point is at the end."),
    "to_intervals": CtiRule(
        "min(c, oldest open start)",
        "The interval of an open edge starts where the edge started. A late_kept edge delays the CTI only from the CTI "
        "at its arrival on: no earlier window accepts it (T19).",
    ),
    "order_edges": CtiRule("c", "Starts and ends wait here until `c` passes them, then leave in order."),
    "chop": CtiRule("c", "The piece of an edge after a cut appears once `c` is after the cut, not sooner."),
    "stitch": CtiRule(
        "min(c, start of the oldest chain that is not closed)",
        "A chain leaves as one interval from its start, once the CTI is after its end.",
    ),
    "union": CtiRule("min of the inputs", "Later rows of the slowest input may still arrive."),
    "join": CtiRule(
        "min of the inputs", "A pair starts with the later of its two events, which is not before both CTIs."
    ),
    "anti_join": CtiRule(
        "min of both, but at most the oldest undecided start",
        "A later right event may still cover a part of a left lifetime that is uncovered so far.",
    ),
    "semi_join": CtiRule(
        "min of both, but at most the oldest undecided start",
        "A part of a left lifetime may still be joined with the next part.",
    ),
    "asof_join": CtiRule(
        "min of both, but at most the oldest undecided start",
        "A left event is decided once the right CTI is after its start: until then, a later right start may arrive.",
    ),
    "window": CtiRule("that of its windows", "See the page about the kind of windows."),
    "top_k": CtiRule("that of its windows", "See the page about the kind of windows."),
    "match_recognize": CtiRule(
        "min(c, start of the earliest result that the known rows could still give)",
        "A match that is not complete holds nothing back: what is missing starts at `c` or later. With all rows, span, "
        "skip to a variable, or NEXT in DEFINE: min(c, start of the row where the search is).",
    ),
    "analytic": CtiRule(
        "min(c - grace, start of the oldest undecided row)",
        "A row leaves once nothing can come before it any more and the rows ahead that it sees are known.",
    ),
    "output": _AS_IT_IS,
}
