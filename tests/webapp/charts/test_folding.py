"""A chart is a group-by over the rows of the export with the same parameters, and says what it leaves out."""

import tempfile
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.temporal.ticks import parse_instant
from tests.webapp.charts.charted import charted
from tests.webapp.exports.stored import Row, StoredResults, final_row
from webapp.monitoring.charting import folding, reducing
from webapp.monitoring.charting.folding import ChartPoint
from webapp.monitoring.charting.reducing import reduced

FIELDS = {"gate": "string", "n": "long", "fee": "decimal(38,3)", "speed": "double", "at": "timestamp"}
MEASURES: Mapping[str, Any] = {
    "sum": sum,
    "mean": lambda values: sum(values) / len(values),
    "min": min,
    "max": max,
}
some = settings(max_examples=max(20, settings.default.max_examples // 4), deadline=None)


@pytest.fixture
def results(tmp_path: Path) -> StoredResults:
    return StoredResults(tmp_path / "rows", FIELDS)


@st.composite
def payloads(draw: st.DrawFn) -> dict[str, Any]:
    fee = draw(st.none() | st.decimals(-(10**34), 10**34, places=3, allow_nan=False))
    return {
        "gate": draw(st.sampled_from(["G1", "G2", None])),
        "n": draw(st.none() | st.integers(-(2**63), 2**63 - 1)),
        "fee": None if fee is None else str(fee),
        "speed": draw(st.none() | st.floats(-1e9, 1e9)),
        "at": draw(st.sampled_from([None, "2026-11-26T13:00:00Z", "2026-11-26T13:01:30Z"])),
    }


@st.composite
def batches(draw: st.DrawFn) -> list[list[Row]]:
    rows = []
    for number in range(draw(st.integers(0, 20))):
        row = final_row(draw(st.integers(0, 60)), draw(payloads()))
        pane = draw(st.none() | st.sampled_from(["first", "second"]))
        if pane is not None:
            shown = {"start": 0, "end": 9, "timing": "early", "index": number, "is_last": False}
            row |= {"key": pane, "deleted": draw(st.booleans()), "pane": shown}
        rows.append(row)
    cut = draw(st.integers(0, len(rows)))
    return [rows[:cut], rows[cut:]]


def exact(name: str, value: Any) -> Any:
    if value is None or name in ("gate", "start", "end"):
        return value
    if name == "at":
        return parse_instant(value)
    return Decimal(value) if name == "fee" else value


def tick(row: Row, name: str) -> int | None:
    value = row[name]
    return None if value is None else parse_instant(value) if isinstance(value, str) else value


def expected(rows: Sequence[Row], chosen: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Group the rows of an export in the plainest way."""
    groups: dict[tuple[Any, Any], list[Row]] = {}
    for row in rows:
        x = tick(row, chosen["x"]) if chosen["x"] in ("start", "end", "at") else row[chosen["x"]]
        if chosen["bucket"] is not None and x is not None:
            x -= x % int(chosen["bucket"].removesuffix("tick"))
        groups.setdefault((x, None if chosen["group"] is None else row[chosen["group"]]), []).append(row)
    found = []
    for (x, group), own in groups.items():
        values = [row[chosen["of"]] for row in own] if chosen["of"] else []
        numbers = [Fraction(exact(chosen["of"], value)) for value in values if value is not None]
        if chosen["measure"] == "count":
            value: Any = Fraction(len(numbers) if chosen["of"] else len(own))
        else:
            value = MEASURES[chosen["measure"]](numbers) if numbers else None
        found.append((x, group, value, len(own), sum(row["final"] is False for row in own)))
    return found


@some
@given(
    given_batches=batches(),
    cti=st.none() | st.integers(0, 70),
    x=st.sampled_from(["start", "end", "at", "gate", "n"]),
    bucket=st.sampled_from([None, "7tick", "1000000tick"]),
    measure=st.sampled_from(["count", *MEASURES]),
    of=st.sampled_from(["n", "fee", "speed"]),
    group=st.sampled_from([None, "gate"]),
    where=st.sampled_from([{}, {"gate": "G1"}, {"gate": None}]),
    begin=st.sampled_from([None, 20]),
)
def test_a_chart_is_a_group_by_over_the_exported_rows(
    given_batches: list[list[Row]], cti: int | None, where: Any, begin: int | None, **chosen: Any
) -> None:
    if chosen["x"] not in ("start", "end", "at"):
        chosen["bucket"] = None
    if chosen["group"] == chosen["x"]:
        chosen["group"] = None
    with tempfile.TemporaryDirectory() as folder:
        results = StoredResults(Path(folder) / "rows", FIELDS)
        for rows in given_batches:
            results.commit(rows, cti=cti)
        outcome = charted(results, where=where, begin=begin, **chosen)
        exported = results.exported(where=where, begin=begin)
    assert outcome.problem is None
    assert outcome.rows == len(exported)
    wanted = {(x, group): rest for x, group, *rest in expected(exported, chosen)}
    assert len(outcome.points) == len(wanted)
    for point in outcome.points:
        x = point.at if outcome.is_time else point.category
        if chosen["x"] == "n" and x is not None:
            x = int(x)
        value, rows, provisional = wanted[x, point.group]
        assert (point.rows, point.provisional) == (rows, provisional)
        assert_same(point.value, value, chosen)


def assert_same(text: str | None, value: Fraction | None, chosen: Mapping[str, Any]) -> None:
    """Sums, smallest and largest values are exact; a mean, and sums of doubles, are rounded once."""
    if value is None:
        assert text is None
        return
    assert text is not None
    if chosen["measure"] == "mean" and chosen["of"] == "fee":
        assert abs(Fraction(Decimal(text)) - value) * 2 <= Fraction(1, 10**7)
    elif chosen["measure"] == "mean" or (chosen["of"] == "speed" and chosen["measure"] != "count"):
        assert float(text) == float(value)
    else:
        assert Fraction(Decimal(text)) == value


def test_numbers_keep_all_their_digits(results: StoredResults) -> None:
    long, fee = 2**63 - 1, "12345678901234567890123456789012345.678"
    results.commit([final_row(0, {"n": long, "fee": fee}), final_row(0, {"n": long, "fee": fee})])
    assert [each.value for each in charted(results, measure="sum", of="n").points] == [str(2 * long)]
    assert [each.value for each in charted(results, measure="sum", of="fee").points] == [
        "24691357802469135780246913578024691.356"
    ]
    assert [each.value for each in charted(results, measure="max", of="fee").points] == [fee]


def test_a_point_says_what_is_provisional_repaired_and_incomplete(results: StoredResults) -> None:
    pane = {"start": 0, "end": 10, "timing": "early", "index": 0, "is_last": False}
    results.commit(
        [
            final_row(0, {"n": 1}, key="pane", pane=pane),
            final_row(0, {"n": 2}, repair="5e2d0000-0000-4000-8000-000000000000"),
            final_row(0, {"n": 3}, incomplete=True),
        ],
        cti=5,
    )
    [point] = charted(results).points
    assert (point.rows, point.provisional, point.repaired, point.incomplete) == (3, 1, 1, 1)
    assert point.dropped is None


def test_a_single_value_has_one_point_and_no_rows_have_none(results: StoredResults) -> None:
    results.commit([])
    assert charted(results).points == []
    results.commit([final_row(n, {"n": n}) for n in range(3)])
    [point] = charted(results, kind="value", measure="sum", of="n").points
    assert (point.at, point.category, point.value) == (None, None, "3")
    nothing = charted(results, where={"gate": "G9"})
    assert (nothing.points, nothing.rows, nothing.rows_stored) == ([], 0, 3)


@pytest.mark.parametrize(
    ("chosen", "parameter", "words"),
    [
        ({"x": "lane"}, "x", "no column 'lane'"),
        ({"measure": "sum", "of": "gate"}, "of", "which has no sum"),
        ({"x": "gate", "bucket": "1m"}, "x", "times"),
        ({"bucket": "soon"}, "bucket", "isn't a length of time above zero"),
        ({"bucket": "0s"}, "bucket", "isn't a length of time above zero"),
        ({"output": "other"}, "output", "no output 'other'"),
        ({"where": {"lane": "7"}}, "where", "no field 'lane'"),
    ],
)
def test_a_definition_that_does_not_fit_names_its_parameter(
    results: StoredResults, chosen: dict[str, Any], parameter: str, words: str
) -> None:
    results.commit([final_row(0, {"n": 1})])
    outcome = charted(results, **chosen)
    assert outcome.parameter == parameter
    assert words in (outcome.problem or "")


def test_a_field_with_two_types_is_neither_measured_nor_filtered(results: StoredResults) -> None:
    results.commit([final_row(0, {"n": 1})])
    results.run, results.fields = "two", {**FIELDS, "n": "string"}
    results.commit([final_row(0, {"n": "1"})])
    assert charted(results, run=None, measure="sum", of="n").parameter == "of"
    assert charted(results, run=None, where={"n": "1"}).parameter == "where"
    assert [each.category for each in charted(results, run=None, x="n").points] == ["1"]


def test_too_many_points_are_refused_with_the_remedy(results: StoredResults, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "MOST_CELLS", 2)
    results.commit([final_row(n, {"n": n}) for n in range(3)])
    assert "longer bucket" in charted(results).remedy


def point(
    at: int, value: str | None, group: str | None = None, category: str | None = None, rows: int = 1
) -> ChartPoint:
    state = {"provisional": 0, "undecided": 0, "repaired": 0, "incomplete": 0, "dropped": None}
    return ChartPoint(at=at, category=category, group=group, value=value, rows=rows, **state)


@some
@given(values=st.lists(st.none() | st.integers(-99, 99).map(str), min_size=1, max_size=60), most=st.integers(4, 12))
def test_a_reduced_series_keeps_its_order_and_each_spike(values: list[str | None], most: int) -> None:
    points = [point(at, value) for at, value in enumerate(values)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reducing, "MOST_POINTS", most)
        left = reduced(points, is_time=True)
    assert len(left.points) <= most
    assert left.points_left_out == len(points) - len(left.points)
    assert [each.at for each in left.points] == sorted(each.at or 0 for each in left.points)
    numbers = [int(value) for value in values if value is not None]
    if numbers:
        kept = [int(each.value) for each in left.points if each.value is not None]
        assert (max(kept), min(kept)) == (max(numbers), min(numbers))


def test_groups_and_categories_with_most_rows_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reducing, "MOST_GROUPS", 2)
    monkeypatch.setattr(reducing, "MOST_CATEGORIES", 1)
    points = [
        point(0, "1", group, category, rows) for group, category, rows in (("a", "x", 1), ("b", "y", 9), ("c", "y", 5))
    ]
    left = reduced(points, is_time=False)
    assert [each.group for each in left.points] == ["b", "c"]
    assert (left.points_left_out, left.categories_left_out, left.groups_left_out) == (1, 0, 1)
