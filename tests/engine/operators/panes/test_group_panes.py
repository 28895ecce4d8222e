"""Sessions, snapshots and count windows of the engine are those of the reference, however the events are cut."""

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.engine.operators.windows.group_panes import GroupPaneSource
from streaming.engine.operators.windows.pane_assigners import CountAssigner, SessionAssigner, SnapshotAssigner
from streaming.engine.operators.windows.pane_rule import PaneAssigner
from streaming.reference.windows.group_panes import GroupedPanes as ReferencePanes
from streaming.reference.windows.pane_rules import CountPaneRule, SessionPaneRule
from streaming.temporal.ticks import Ticks
from tests.engine.operators.panes.kernels import SourceRun
from tests.engine.operators.panes.streams import Truth, cuts, rules, streams

GRACES = st.sampled_from((0, 0, 3, 10))


def engine_rule(rule: Any) -> PaneAssigner:
    if isinstance(rule, SessionPaneRule):
        return SessionAssigner(rule.gap, rule.max)
    return CountAssigner(rule.n) if isinstance(rule, CountPaneRule) else SnapshotAssigner()


def runs(rule: Any, grace: int, *, one_clock: bool) -> tuple[Truth, SourceRun]:
    truth = Truth(ReferencePanes("w", rule, Ticks(grace), one_clock))
    return truth, SourceRun(GroupPaneSource(engine_rule(rule), grace, ["k"], ["k", "v"], one_clock))


@pytest.mark.parametrize("edges", [False, True])
@pytest.mark.parametrize("one_clock", [False, True])
@given(data=st.data(), rule=rules(), grace=GRACES)
def test_the_same_panes_refusals_and_last_cti_however_cut(
    data: st.DataObject, rule: Any, grace: int, one_clock: bool, edges: bool
) -> None:
    elements = data.draw(streams(lanes=1 if one_clock else 2, edges=edges))
    truth, run = runs(rule, grace, one_clock=one_clock)
    for turn in data.draw(cuts(elements, ordered=one_clock)):
        for element in turn:
            truth.take(element)
        run.turn(turn)
    assert run.closed == truth.closed
    assert run.ctis[-1] == truth.ctis[-1]
    assert {int(source.split()[1]) for source in run.report.refusals} == truth.heard.refused_
    late = {element.number for element in elements if element.late_at is not None and element.kind != "close"}
    opened = {int(source.split()[1]) for source in run.report.taken if not source.startswith("close")}
    assert opened == late - truth.heard.refused_
    head = json.loads(run.stored.head)
    assert (head["segments"], run.stored.tables) == ([], {})


@pytest.mark.parametrize("edges", [False, True])
@given(data=st.data(), rule=rules(), grace=GRACES, one_clock=st.booleans())
def test_element_by_element_ctis_and_open_panes_are_the_same(
    data: st.DataObject, rule: Any, grace: int, one_clock: bool, edges: bool
) -> None:
    elements = data.draw(streams(lanes=1 if one_clock else 2, edges=edges))
    truth, run = runs(rule, grace, one_clock=one_clock)
    for element in elements:
        truth.take(element)
        asked = data.draw(st.booleans())
        run.turn([element], known=asked)
        assert run.closed == truth.closed
        assert run.known == (truth.open_members if asked else Counter())
    assert run.ctis == truth.ctis
