"""An explanation as text for a terminal."""

from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import AdvanceTimeSettings
from streaming.planning.explain import explain, explain_text
from tests.definition.checks.graphs import CARS, OUT, STREAMS, around, graph, node, window
from tests.planning.explain.test_truth import KIND
from tests.reference.drawn.cases import Scope, cases

SPEEDING = """\
QUERY q
  Events meet by `plate`, so a dedicated carrier uses one bucket per core.
  A row of `out` that starts at t is emitted, at the latest, when the CTI of `cars` reaches t + 5m.
  Its clock reaches that with an event 5m5s after t on each lane.

STAGES
  0  feed: reads events, applies the late policy, and runs all stateless nodes
     nodes      cars, fast (event by event, in the order of the lanes)
     folds      for w, so that only aggregated slices are sent
     lanes      cars: the lanes of the adapter
     shared     1 partition of the carrier's feed, together with lanes of other bindings
     dedicated  1 partition per core, each with a set of lanes
  1  operators: events that meet are in the same bucket
     nodes      w (by `plate`)
     lanes      cars: the lanes of the adapter
     shared     1 bucket
     dedicated  1 bucket per core
"""
HOPPING = """\
  w  (hopping window, stage 1)
     Computes `n = count(*)` for each `plate` in each hopping window of 5m, one every 1m.
     One row for each group when the window closes.
     reads      fast: plate string, speed double, n long, at timestamp, tags array<string>
     output     plate string, n long
     lifetimes  intervals of at most 5m
     slices     each window merges 5 slices of 1m; an event is in 5 windows
     CTI out    start of the earliest window [k x 1m, + 5m) that ends after c
                at least 4m and less than 5m behind
     state      partial results of each slice, for each group (`plate`) and slice
                until window end <= c for all windows over it
                groups x slices of 1m after c - 5m: freed by CTIs
"""


def test_the_text_of_a_small_query() -> None:
    fast = node("filter", where="speed > 120") | {"id": "fast"}
    hopping = window(input="fast", group_by=["plate"], window={"kind": "hopping", "size": "5m", "hop": "1m"})
    query = QueryGraph.model_validate(graph(CARS, fast, hopping, OUT))
    text = explain_text(explain(query, STREAMS, {"cars": AdvanceTimeSettings(preset="watermark(5s)")}))
    assert text.startswith(SPEEDING)
    assert HOPPING in text
    assert text.endswith("reaches t + 5m.\n")


@given(kind=KIND, data=st.data())
def test_no_line_is_longer_than_a_terminal_is_wide(kind: str, data: st.DataObject) -> None:
    case = data.draw(cases(kind, Scope(imports=True)))
    lines = explain_text(explain(case.graph, case.streams, case.advance)).split("\n")
    assert max(map(len, lines)) <= 100
    assert all(line == line.rstrip() for line in lines)
    assert "\n\n\n" not in "\n".join(lines)
    assert lines[-1] == ""


def test_control_characters_are_escaped() -> None:
    query = QueryGraph.model_validate(around(node("filter", where="plate = '\x1b[2J\u202e\x07'")))
    text = explain_text(explain(query, STREAMS, {}))
    assert "\\x1b[2J\\u202e\\x07" in text
    assert all(each.isprintable() or each == "\n" for each in text)
