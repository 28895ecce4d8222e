"""Laws 1 to 7 of the temporal model, on random graphs, settings and inputs; law 8 is tests/engine's."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.advance import to_temporal
from streaming.definition.graph import QueryGraph
from streaming.definition.streams import StreamDefinition
from streaming.reference.cases import run_case
from streaming.reference.executor import ReferenceRun
from streaming.temporal.outcomes import IN_TIME, Outcome
from streaming.temporal.ticks import NO_CTI
from streaming.wire.case import ONLY_LANE, Case, CaseResult, CaseRow, EndMode
from streaming.wire.rows import read_row
from tests.reference.drawn import FIELDS, cases, events, lifetime, windows


def net(result: CaseResult) -> Counter[Any]:
    """The rows of a result as a multiset."""
    return Counter((row.output, row.start, row.end, tuple(sorted(row.payload.items()))) for row in result.events)


def late(result: CaseResult) -> Counter[object]:
    return Counter((row.outcome, row.reason, row.start, row.end, row.edge, row.moved_by) for row in result.late)


def cut(case: Case, boundaries: set[int]) -> Case:
    rows = (replace(row, batch=sum(at <= place for at in boundaries)) for place, row in enumerate(case.rows))
    return replace(case, rows=tuple(rows), restart=True)


@given(case=cases(odd=False, generate=False, lanes=False), seed=st.randoms(use_true_random=False))
def test_law_1_the_order_of_events_between_two_ctis_changes_nothing(case: Case, seed: Random) -> None:
    """With explicit CTIs alone no order makes a violation; an edge's start stays before its end."""
    shuffled: list[CaseRow] = []
    segment: list[CaseRow] = []
    for row in (*case.rows, CaseRow("s", ONLY_LANE, 0, {"cti": "end"})):
        if "cti" not in row.fields:
            segment.append(row)
            continue
        shuffled += _shuffled(segment, seed)
        shuffled.append(row)
        segment = []
    before, after = run_case(case), run_case(replace(case, rows=tuple(shuffled[:-1])))
    assert net(after) == net(before)
    assert after.ctis == before.ctis
    assert late(after) == late(before)


def _shuffled(rows: list[CaseRow], seed: Random) -> list[CaseRow]:
    """`rows` in another order, in which rows that could be start and end of one edge keep theirs."""
    names = [str((row.fields["start"], sorted(row.fields["payload"].items()))) for row in rows]
    queues = {name: [row for other, row in zip(names, rows, strict=True) if other == name] for name in names}
    seed.shuffle(names)
    return [queues[name].pop(0) for name in names]


@given(case=cases(), data=st.data())
def test_laws_2_and_3_cuts_and_restarts_change_nothing(case: Case, data: st.DataObject) -> None:
    whole = run_case(case)
    places = st.sets(st.integers(1, max(len(case.rows), 1)))
    for boundaries in (set(range(1, len(case.rows))), data.draw(places)):
        assert run_case(cut(case, boundaries)) == whole


@given(case=cases())
def test_law_4_every_received_element_has_one_outcome(case: Case) -> None:
    result = run_case(case)
    ctis = sum("cti" in row.fields and row.fields["cti"] != "soon" for row in case.rows)
    assert sum(result.outcomes["s"].values()) == len(case.rows) - ctis
    not_in_time = {outcome: count for outcome, count in result.outcomes["s"].items() if outcome not in IN_TIME}
    assert Counter(row.outcome for row in result.late) == not_in_time


@given(case=cases())
def test_law_5_nothing_starts_before_an_output_cti_that_was_emitted(case: Case) -> None:
    """Kept late events that pass without a window are excepted."""
    stream = case.streams["s"]
    run = ReferenceRun(case.graph, case.streams, {"s": to_temporal(stream.advance)})
    known: set[object] = set()
    reached = dict.fromkeys(run.output_ctis, NO_CTI)
    for row in case.rows:
        run.take("s", row.lane, read_row(row.fields, stream))
        fresh = [each for each in run.outputs if (each.output, each.flow.id) not in known]
        assert all(each.flow.late_at is not None or each.flow.start >= reached[each.output] for each in fresh)
        known |= {(each.output, each.flow.id) for each in fresh}
        for output, ctis in run.output_ctis.items():
            assert all(earlier < later for earlier, later in pairwise(ctis))
            reached[output] = ctis[-1] if ctis else NO_CTI


@given(rows=st.lists(events(), max_size=15), window=windows(), data=st.data())
def test_law_6_without_violations_the_result_is_the_batch_querys(
    rows: list[dict[str, Any]], window: dict[str, Any], data: st.DataObject
) -> None:
    """The batch query looks at every window and every event, without clocks, CTIs or state."""
    stream = StreamDefinition.model_validate({"shape": "interval", "fields": FIELDS, "advance": {"late": "drop"}})
    graph = summing(window)
    taken = [CaseRow("s", ONLY_LANE, 0, row) for row in with_harmless_ctis(rows, data)]
    result = run_case(Case("batch", graph, {"s": stream}, tuple(taken), EndMode.FLUSH))
    expected = Counter[object]()
    size, hop, offset = window["size"], window.get("hop", window["size"]), window["offset"]
    for index in range(-200, 201):
        start = offset + index * hop
        values = [row["payload"].get("v") for row in rows if overlaps(lifetime(row), (start, start + size))]
        positive = [value for value in values if value is not None and value > 0]
        if positive:
            expected["out", start, start + size, (("n", len(positive)), ("v", sum(positive)))] += 1
    assert net(result) == expected
    assert not result.late


def overlaps(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and one[1] > other[0]


def summing(window: dict[str, Any]) -> QueryGraph:
    aggregates = [{"name": "v", "function": "sum", "of": "v"}, {"name": "n", "function": "count"}]
    nodes = [
        {"id": "s", "kind": "input", "stream": "s"},
        {"id": "f", "kind": "filter", "input": "s", "where": "v > 0"},
        {"id": "w", "kind": "window", "input": "f", "window": window, "aggregates": aggregates},
        {"id": "out", "kind": "output", "input": "w"},
    ]
    return QueryGraph.model_validate({"version": 1, "name": "batch", "nodes": nodes})


def with_harmless_ctis(rows: list[dict[str, Any]], data: st.DataObject) -> list[dict[str, Any]]:
    """`rows` and, between them, CTIs that none of the rows that follow violates."""
    found: list[dict[str, Any]] = []
    for place, row in enumerate(rows):
        if data.draw(st.booleans()):
            syncs = [sync(later) for later in rows[place:] if "cti" not in later]
            highest = min(syncs, default=70)
            found.append({"cti": highest - data.draw(st.integers(0, 3))})
        found.append(row)
    return found


def sync(row: Mapping[str, Any]) -> int:
    return row["end"] if row.get("edge") == "end" else row["start"]


@given(case=cases(odd=False, generate=False, lanes=False), data=st.data())
def test_law_7_stronger_ctis_change_no_value(case: Case, data: st.DataObject) -> None:
    """Of an open edge they may show more windows: those up to the largest finite time, CTIs included (T4)."""
    flushed = replace(case, end=EndMode.FLUSH)
    stronger = with_harmless_ctis([dict(row.fields) for row in case.rows], data)
    taken = tuple(CaseRow("s", ONLY_LANE, 0, row) for row in stronger)
    before, after = run_case(flushed), run_case(replace(flushed, rows=taken))
    assert late(after) == late(before)
    unseen = {each.position for each in before.late if each.outcome is Outcome.MALFORMED}
    seen = [row for place, row in enumerate(case.rows) if place not in unseen]
    horizon = max((row.fields.get("cti", sync_or_none(row)) for row in seen), default=0)
    shown = Counter({row: count for row, count in net(after).items() if row[1] <= horizon})
    assert shown == Counter({row: count for row, count in net(before).items() if row[1] <= horizon})


def sync_or_none(row: CaseRow) -> int:
    return NO_CTI if "cti" in row.fields else sync(row.fields)
