"""The text for a terminal."""

from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.streams import AdvanceTimeSettings
from streaming.planning.explain import explain, explain_text
from tests.definition.graphs import CARS, OUT, STREAMS, around, graph, node, window
from tests.planning.explain.test_truth import KIND
from tests.reference.drawn import Scope, cases

SPEEDING = """\
QUERY q
  Events meet by `plate`: a dedicated carrier uses one bucket for each core.
  A row of `out` that starts at t has left, at the latest, when the CTI of `cars` reaches t + 5m.
  Its clock gets there with an event 5m5s after t on each lane.

STAGES
  0  feed: reads, judges what is late, and does all that looks at one event
     nodes      cars, fast (event by event, as lanes bring them)
     folds      for w, so that only folded slices travel
     lanes      cars: one for each lane of the adapter
     shared     1 partition of the carrier's feed, with the lanes of others
     dedicated  1 partition for each core, each a set of lanes
  1  operators: events that meet are in one bucket
     nodes      w (by `plate`)
     lanes      cars: one for each lane of the adapter
     shared     1 bucket
     dedicated  1 bucket for each core
"""
HOPPING = """\
  w  (hopping window, stage 1)
     Gives `n = count(*)` for each `plate` in each hopping window of 5m, one every 1m.
     One row for each group when the window closes.
     reads      fast: plate string, speed double, n long, at timestamp, tags array<string>
     gives      plate string, n long
     lifetimes  intervals of at most 5m
     slices     each window merges 5 slices of 1m; an event is in 5 windows
     CTI out    start of the earliest window [k x 1m, + 5m) that ends after c
                at least 4m and less than 5m behind
     keeps      folded values of each slice, for each group (`plate`) and slice
                until window end <= c for all windows over it
                groups x slices of 1m after c - 5m: CTIs free it
"""


def test_it_reads_well() -> None:
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


def test_what_moves_a_cursor_is_shown_and_not_sent() -> None:
    query = QueryGraph.model_validate(around(node("filter", where="plate = '\x1b[2J\u202e\x07'")))
    text = explain_text(explain(query, STREAMS, {}))
    assert "\\x1b[2J\\u202e\\x07" in text
    assert all(each.isprintable() or each == "\n" for each in text)
