"""The operators over lifetimes: their results for sets of events, the limits of their CTIs, their waiting rows."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streaming.reference.executor import ReferenceRun
from streaming.reference.output import OutputRow
from streaming.temporal.events import Cti, EdgeKind
from streaming.temporal.ticks import INFINITY, NO_CTI
from tests.reference.operators.lifetime_runs import A_ENDS, A, Drawn, Net, edges, inputs, net, rows_of, run_of

BY = st.integers(-12, 12)


def mapped(rows: Iterable[OutputRow], move: Callable[[int, int], tuple[int, int]]) -> Net:
    """Return the set of lifetimes with `move` applied to each; empty ones are dropped."""
    found: Net = Counter()
    for row in rows:
        start, end = move(row.flow.start, row.flow.end)
        if start < end:
            found[start, end, repr(row.flow.payload)] += 1
    return found


def plus(at: int, by: int) -> int:
    return at if at == INFINITY else at + by


@given(drawn=inputs(), by=BY)
def test_shift_moves_every_lifetime(drawn: Drawn, by: int) -> None:
    run = run_of(drawn, {"kind": "shift", "by": by})
    assert net(rows_of(run, "out")) == mapped(rows_of(run, "raw"), lambda start, end: (start + by, plus(end, by)))


@given(drawn=inputs(), by=BY)
def test_extend_moves_every_end_and_removes_what_is_empty(drawn: Drawn, by: int) -> None:
    run = run_of(drawn, {"kind": "extend", "by": by})
    assert net(rows_of(run, "out")) == mapped(rows_of(run, "raw"), lambda start, end: (start, plus(end, by)))


@given(drawn=inputs())
def test_point_at_end_has_a_point_for_whatever_ends(drawn: Drawn) -> None:
    run = run_of(drawn, {"kind": "point_at_end"})
    ended = [row for row in rows_of(run, "raw") if row.flow.end != INFINITY]
    assert net(rows_of(run, "out")) == mapped(ended, lambda start, end: (end, end + 1))


@given(drawn=inputs(), kind=st.sampled_from(("to_intervals", "order_edges")))
def test_to_intervals_and_order_edges_change_no_lifetime(drawn: Drawn, kind: str) -> None:
    run = run_of(drawn, {"kind": kind})
    assert net(rows_of(run, "out")) == net(rows_of(run, "raw"))


@given(drawn=inputs(), length=st.integers(1, 25))
def test_set_duration_reads_every_start_and_no_end(drawn: Drawn, length: int) -> None:
    run = run_of(drawn, {"kind": "set_duration", "duration": length})
    started = [row for row in run.released if row.output == "raw" and not row.flow.closes]
    assert net(rows_of(run, "out")) == mapped(started, lambda start, end: (start, start + length))


@given(drawn=inputs())
def test_set_duration_from_the_payload_removes_what_lasts_no_time(drawn: Drawn) -> None:
    run = run_of(drawn, {"kind": "set_duration", "expression": "v * 3"})
    started = [row for row in run.released if row.output == "raw" and not row.flow.closes]
    expected: Net = Counter()
    for row in started:
        length = (row.flow.payload["v"] or 0) * 3
        if length > 0:
            expected[row.flow.start, row.flow.start + length, repr(row.flow.payload)] += 1
    assert net(rows_of(run, "out")) == expected


def held(cti: int, oldest: int) -> int:
    return min(cti, oldest)


def free(cti: int, oldest: int) -> int:
    del oldest
    return cti


def held_from(log: Iterable[OutputRow | Cti]) -> Iterator[int]:
    """Return from when each open edge limits a CTI: its start, or the CTI that was there when it came."""
    cti, opened = NO_CTI, defaultdict[tuple[int, str], deque[int]](deque)
    for each in log:
        if isinstance(each, Cti):
            cti = max(cti, each.at)
        elif each.edge is EdgeKind.START:
            opened[each.flow.start, repr(each.flow.payload)].append(max(each.flow.start, cti))
        elif each.edge is EdgeKind.END:
            opened[each.flow.start, repr(each.flow.payload)].popleft()
    return chain.from_iterable(opened.values())


@pytest.mark.parametrize(
    ("node", "rule"),
    [
        ({"kind": "shift", "by": 7}, lambda cti, oldest: cti + 7),
        ({"kind": "shift", "by": -7}, lambda cti, oldest: cti - 7),
        ({"kind": "set_duration", "duration": 3}, free),
        ({"kind": "set_duration", "expression": "v"}, free),
        ({"kind": "extend", "by": 4}, free),
        ({"kind": "extend", "by": -4}, held),
        ({"kind": "point_at_end"}, free),
        ({"kind": "to_intervals"}, held),
        ({"kind": "order_edges"}, free),
    ],
    ids=lambda each: str(each) if isinstance(each, dict) else "bound",
)
@given(drawn=inputs())
@example(drawn=edges("keep", {"cti": 0}, A, {"cti": 1}, A, A, A_ENDS, {"cti": 2}))
def test_the_cti_that_leaves_is_that_of_the_table(drawn: Drawn, node: dict[str, Any], rule: Any) -> None:
    """Section 5: it moves only when the input's does, and never back.

    A late_kept event limits it from the CTI it met.
    """
    expected: list[int] = []
    seen = [NO_CTI]

    def watch(run: ReferenceRun) -> None:
        cti = max(run.output_ctis["raw"], default=NO_CTI)
        if cti == seen[0]:
            return
        seen[0] = cti
        after = rule(cti, min(held_from(run.logs["raw"]), default=INFINITY))
        if after > max(expected, default=NO_CTI):
            expected.append(after)

    run = run_of(drawn, node, watch=watch)
    assert run.output_ctis["out"] == expected
    assert run.logs["out"][-1] == Cti(INFINITY)


@given(drawn=inputs(), by=st.integers(-12, -1), kind=st.sampled_from(("to_intervals", "extend")))
def test_what_waits_for_its_end_comes_out_whole(drawn: Drawn, by: int, kind: str) -> None:
    run = run_of(drawn, {"kind": "to_intervals"} if kind == "to_intervals" else {"kind": "extend", "by": by})
    for row in run.released:
        assert row.output == "raw" or row.edge is None


@given(drawn=inputs())
def test_order_edges_releases_in_order_of_time(drawn: Drawn) -> None:
    """Except for late_kept rows, no row is before one that left earlier; all up to a CTI leave before it."""
    run = run_of(drawn, {"kind": "order_edges"})
    latest = NO_CTI
    for entry in run.logs["out"]:
        if isinstance(entry, Cti):
            latest = max(latest, entry.at)
        elif entry.flow.late_at is None:
            sync = entry.flow.end if entry.flow.closes else entry.flow.start
            assert sync >= latest
            latest = sync


@given(drawn=inputs())
def test_order_edges_waits_for_the_cti_and_for_nothing_else(drawn: Drawn) -> None:

    def watch(run: ReferenceRun) -> None:
        cti = max(run.output_ctis["raw"], default=NO_CTI)
        out = Counter(identity(row) for row in run.released if row.output == "out")
        raw = [row for row in run.released if row.output == "raw"]
        due = [row for row in raw if (row.flow.end if row.flow.closes else row.flow.start) <= cti]
        assert out == Counter(map(identity, due))

    run_of(drawn, {"kind": "order_edges"}, watch=watch)


def identity(row: OutputRow) -> tuple[object, bool]:
    return row.flow.id, row.flow.closes
