"""Law 7: a stronger CTI sequence never changes a value, only when it is released or what is late."""

from dataclasses import replace

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from streaming.reference.cases import run_case
from streaming.wire.case import Case, CaseRow, EndMode
from tests.reference.drawn import KINDS, Scope, cases, each_operator
from tests.reference.drawn_rows import sync
from tests.reference.readable import transcript
from tests.reference.runs import late, net

FLUSHED = Scope(wall=False, odd=False, ends=(EndMode.FLUSH,))


@pytest.mark.parametrize("kind", KINDS)
@each_operator
@given(data=st.data())
def test_stronger_ctis_change_no_value(kind: str, data: st.DataObject) -> None:
    case = data.draw(cases(kind, FLUSHED))
    stronger = data.draw(with_harmless_ctis(case))
    note(transcript(case))
    note(transcript(stronger))
    before, after = run_case(case), run_case(stronger)
    assert late(after) == late(before)
    assert net(after.events) == net(before.events)


@st.composite
def with_harmless_ctis(draw: st.DrawFn, case: Case) -> Case:
    """`case` with more CTIs: none is above a later event of its lane, nor above all that the stream ever sees.

    So nothing more is late, and an open edge shows no more windows (T4).
    """
    rows: list[CaseRow] = []
    for place, row in enumerate(case.rows):
        if draw(st.booleans()):
            at = highest(case, place, row) - draw(st.sampled_from((0, 1, 6)))
            rows.append(CaseRow(row.stream, row.lane, row.batch, {"cti": at}))
        rows.append(row)
    return replace(case, rows=tuple(rows))


def highest(case: Case, place: int, row: CaseRow) -> int:
    """The largest harmless CTI before the row at `place` on its lane."""
    events = [each for each in case.rows if each.stream == row.stream and "cti" not in each.fields]
    later = [each for each in case.rows[place:] if each.lane == row.lane and each in events]
    return min((sync(each.fields) for each in later), default=max((sync(each.fields) for each in events), default=-20))
