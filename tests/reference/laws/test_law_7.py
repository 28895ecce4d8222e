"""Law 7: a stronger CTI sequence never changes a value, only when it is released or which events are late."""

from dataclasses import replace

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from streaming.reference.execution import finished_run, run_case
from streaming.wire.execution.case import Case, CaseRow, EndMode
from tests.reference.batch.lives import let_through
from tests.reference.drawn.cases import KINDS, Scope, cases, each_operator
from tests.reference.drawn.readable import ReadableCase
from tests.reference.drawn.rows import sync
from tests.reference.laws.runs import late, net

FLUSHED = Scope(wall=False, odd=False, ends=(EndMode.FLUSH,))


@pytest.mark.parametrize("kind", KINDS)
@each_operator
@given(data=st.data())
def test_stronger_ctis_change_no_value(kind: str, data: st.DataObject) -> None:
    case = data.draw(cases(kind, FLUSHED))
    stronger = data.draw(with_harmless_ctis(case))
    note(ReadableCase(case))
    note(ReadableCase(stronger))
    before, after = run_case(case), run_case(stronger)
    assert late(after) == late(before)
    assert net(after.events) == net(before.events)


@st.composite
def with_harmless_ctis(draw: st.DrawFn, case: Case) -> Case:
    """Draw `case` with more CTIs, none above a later event of its lane, so that no more events are late.

    Not if CTIs are generated with a minimum gap: an additional one makes the next one later (T9, SPL).
    """
    seen = {name: lives.horizon for name, lives in let_through(finished_run(case), case).items()}
    rows: list[CaseRow] = []
    for place, row in enumerate(case.rows):
        preset = case.streams[row.stream].advance.preset or ""
        if not preset.startswith("spl_event_time") and draw(st.booleans()):
            at = highest(case, place, seen[row.stream]) - draw(st.sampled_from((0, 1, 6)))
            rows.append(CaseRow(row.stream, row.lane, row.batch, {"cti": at}))
        rows.append(row)
    return replace(case, rows=tuple(rows))


def highest(case: Case, place: int, seen: int) -> int:
    """Return the largest harmless CTI before the row at `place`, on its lane.

    With substreams later rows of other lanes count too: the first of a key starts at the CTI of the input (T15). None
    is above `seen`, the largest time that the stream sees anyway, or an open edge would be in more windows (T4).
    """
    row = case.rows[place]
    stream = case.streams[row.stream]
    lanes = {row.lane} if stream.advance.over is None else set(stream.lanes or ())
    ahead = [each for each in case.rows[place:] if each.stream == row.stream and each.lane in lanes]
    return min([seen, *(sync(each.fields) for each in ahead if "cti" not in each.fields)])
