"""Law 1: permuting events between two CTIs, when none becomes a violation, changes nothing."""

from collections import defaultdict, deque
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from streaming.reference.execution import run_case
from streaming.wire.execution.case import Case, CaseRow
from tests.reference.drawn.cases import KINDS, Scope, cases, each_operator
from tests.reference.drawn.readable import ReadableCase
from tests.reference.laws.runs import late, net

EXPLICIT = Scope(explicit=True, wall=False, odd=False)
"""With explicit CTIs alone no order of events makes a violation."""


@pytest.mark.parametrize("kind", KINDS)
@each_operator
@given(data=st.data(), seed=st.randoms(use_true_random=False))
def test_the_order_of_events_between_two_ctis_changes_nothing(kind: str, data: st.DataObject, seed: Random) -> None:
    case = data.draw(cases(kind, EXPLICIT))
    other = permuted(case, seed)
    note(ReadableCase(case))
    note(ReadableCase(other))
    before, after = run_case(case), run_case(other)
    assert net(after.events) == net(before.events)
    assert after.ctis == before.ctis
    assert late(after) == late(before)


def permuted(case: Case, seed: Random) -> Case:
    """Return events of all streams in another order, between any two CTIs; micro-batches end at the same places."""
    found: list[CaseRow] = []
    segment: list[CaseRow] = []
    for row in case.rows:
        if "cti" in row.fields:
            found += [*shuffled(segment, seed), row]
            segment = []
        else:
            segment.append(row)
    found += shuffled(segment, seed)
    batches = [row.batch for row in case.rows]
    return replace(case, rows=tuple(replace(row, batch=batch) for row, batch in zip(found, batches, strict=True)))


def shuffled(rows: list[CaseRow], seed: Random) -> list[CaseRow]:
    """Return `rows` in another order, in which possible starts and ends of one edge keep theirs."""
    names = [f"{row.stream} {row.lane} {row.fields['start']} {row.fields['payload']}" for row in rows]
    queues: dict[str, deque[CaseRow]] = defaultdict(deque)
    for name, row in zip(names, rows, strict=True):
        queues[name].append(row)
    seed.shuffle(names)
    return [queues[name].popleft() for name in names]
