"""A proposal for an input can be accepted unchanged: its rows are then readable."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.adapters.contract import AdapterError
from streaming.temporal.events import Shape
from streaming.temporal.ticks import tick_of
from tests.inference.proposals import WRITERS, Record, csv, json_lines, malformed, proposed

BEGIN = datetime(2026, 3, 1, 8, tzinfo=UTC)
MOMENTS = st.integers(0, 10**7).map(lambda seconds: BEGIN + timedelta(seconds=seconds))
UNITS: dict[str, Callable[[datetime], Any]] = {
    "iso": lambda at: at.isoformat(),
    "s": lambda at: int(at.timestamp()),
    "ms": lambda at: int(at.timestamp()) * 1_000,
    "us": tick_of,
    "ns": lambda at: tick_of(at) * 1_000,
}
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=8)
VALUES = {
    "long": st.integers(-(10**8), 10**8),
    "double": st.floats(allow_nan=False, allow_infinity=False, width=32).map(lambda each: each + 0.5),
    "boolean": st.booleans(),
    "string": TEXTS.map(lambda text: f"x{text}"),
}
NAMES = st.sampled_from(["speed", "Plate No.", "über", "1st", "ts2", "a.b", "kind", "x y"])


def written(**after: int) -> str:
    return (BEGIN + timedelta(**after)).isoformat()


@st.composite
def tables(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Rows of some columns of drawn types, any of them empty at times, with the time in a drawn unit."""
    columns = draw(st.dictionaries(NAMES, st.sampled_from(sorted(VALUES)), max_size=4))
    write = UNITS[draw(st.sampled_from(sorted(UNITS)))]
    row = st.fixed_dictionaries(
        {"seen_at": MOMENTS.map(write), **{name: st.none() | VALUES[of] for name, of in columns.items()}}
    )
    rows = draw(st.lists(row, min_size=2, max_size=8, unique_by=lambda each: each["seen_at"]))
    return [{**row, "plate": f"ZH {number}"} for number, row in enumerate(rows)]


@pytest.mark.parametrize("form", sorted(WRITERS))
@settings(max_examples=25)
@given(rows=tables())
def test_rows_are_read_as_soon_as_the_proposal_is_accepted(
    form: str, rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("files")
    WRITERS[form](root / f"cars.{form}", rows)
    proposal = proposed(root, f"cars.{form}")
    assert proposal.records == len(rows)
    assert proposal.times[0].start.column == "seen_at"
    assert malformed(root, f"cars.{form}", proposal) == []


@pytest.mark.parametrize("unit", sorted(UNITS))
@settings(max_examples=10)
@given(at=MOMENTS)
def test_the_unit_of_times_is_found(unit: str, at: datetime, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("files")
    csv(root / "f.csv", [{"ts": UNITS[unit](at + timedelta(seconds=late))} for late in (0, 60, 30)])
    [candidate] = proposed(root, "f.csv").times
    assert candidate.start.unit == unit
    assert candidate.first == tick_of(at)
    assert candidate.last == tick_of(at + timedelta(seconds=60))


def test_the_time_of_the_event_precedes_the_time_of_writing_even_if_that_is_in_order(tmp_path: Path) -> None:
    seen = [0, 3, 1, 5, 6, 7, 8]
    rows = [{"received_at": written(seconds=2 * at), "seen_at": written(seconds=seen[at])} for at in range(7)]
    csv(tmp_path / "f.csv", rows)
    first, second = proposed(tmp_path, "f.csv").times
    assert (first.start.column, second.start.column) == ("seen_at", "received_at")
    assert "go back in time" in first.reason
    assert "written or received" in second.reason


def test_a_second_time_that_ends_what_the_first_begins_makes_intervals(tmp_path: Path) -> None:
    rows = [{"departed_at": written(hours=at), "landed_at": written(hours=at + 1)} for at in (0, 3, 2)]
    csv(tmp_path / "f.csv", rows)
    proposal = proposed(tmp_path, "f.csv")
    assert proposal.times[0].shape is Shape.INTERVAL
    assert proposal.times[0].end is not None
    assert proposal.times[0].end.column == "landed_at"
    assert malformed(tmp_path, "f.csv", proposal) == []


def test_a_column_of_starts_and_ends_makes_edges(tmp_path: Path) -> None:
    at = [written(hours=hour) for hour in range(4)]
    rows: list[Record] = [
        {"begin": at[0], "kind": "start", "until": None, "port": 1},
        {"begin": at[1], "kind": "start", "until": None, "port": 2},
        {"begin": at[0], "kind": "end", "until": at[2], "port": 1},
        {"begin": at[1], "kind": "end", "until": at[3], "port": 2},
    ]
    csv(tmp_path / "f.csv", rows)
    proposal = proposed(tmp_path, "f.csv")
    first = proposal.times[0]
    assert (first.start.column, first.shape, first.edge) == ("begin", Shape.EDGE, "kind")
    assert malformed(tmp_path, "f.csv", proposal) == []


def test_times_inside_of_objects_are_found_by_their_path(tmp_path: Path) -> None:
    json_lines(tmp_path / "f.jsonl", [{"car": {"seen_at": UNITS["iso"](BEGIN), "speed": speed}} for speed in (1, 2.5)])
    proposal = proposed(tmp_path, "f.jsonl")
    assert proposal.times[0].start.column == "car.seen_at"
    assert [each.type for each in proposal.fields] == ["struct<seen_at: string, speed: double>"]
    assert malformed(tmp_path, "f.jsonl", proposal) == []


@pytest.mark.parametrize("written", ["007", "+41791234567", "12345678901234567890", "1e999"])
def test_digits_that_are_not_a_number_stay_text(written: str, tmp_path: Path) -> None:
    csv(tmp_path / "f.csv", [{"ts": 1_700_000_000, "code": written}])
    assert {each.name: each.type for each in proposed(tmp_path, "f.csv").fields}["code"] == "string"


def test_a_few_values_that_do_not_fit_are_counted_and_reported(tmp_path: Path) -> None:
    rows: list[Record] = [{"ts": 1_700_000_000 + at, "speed": "fast" if at == 7 else at} for at in range(100)]
    csv(tmp_path / "f.csv", rows)
    proposal = proposed(tmp_path, "f.csv")
    speed = next(each for each in proposal.fields if each.name == "speed")
    assert (speed.type, speed.misfits) == ("long", 1)
    assert len(malformed(tmp_path, "f.csv", proposal)) == 1
    assert proposal.notes == [
        "1 value of 'speed' would not fit the type long: rows that are malformed. Choose string to take all."
    ]


@pytest.mark.parametrize(
    ("values", "of"),
    [([*range(119), "x"], "long"), ([*({"a": number} for number in range(119)), 7], "struct<a: long>")],
)
def test_string_is_advised_for_cells_of_text_alone(values: Sequence[Any], of: str, tmp_path: Path) -> None:
    json_lines(tmp_path / "f.jsonl", [{"ts": 1_700_000_000 + at, "v": value} for at, value in enumerate(values)])
    [note] = [note for note in proposed(tmp_path, "f.jsonl").notes if "would not fit" in note]
    assert note.startswith(f"1 value of 'v' would not fit the type {of}: rows that are malformed. Correct them, or")


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_another_delimiter_is_found(delimiter: str, tmp_path: Path) -> None:
    csv(tmp_path / "f.csv", [{"ts": 1_700_000_000, "name": "a,b", "speed": 3}], delimiter)
    proposal = proposed(tmp_path, "f.csv")
    assert proposal.options == {"delimiter": delimiter}
    assert malformed(tmp_path, "f.csv", proposal) == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"ts,a\n1,\x00\n", "null bytes"),
        (b"ts,ts\n1,2\n", "contains 'ts' twice"),
        (b"x" * 10_000_000, "longer than 1,048,576 bytes"),
        (b"", "These files are empty"),
    ],
)
def test_unreadable_content_is_refused_with_a_sentence(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_bytes(content)
    with pytest.raises(AdapterError, match=words):
        proposed(tmp_path, "f.csv")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("1,2026-01-01T00:00:00Z,3\n2,2026-01-01T00:00:01Z,4\n", "contains values instead of names"),
        ("when,a\nthe 31st,1\n", "'when' has the name of a time"),
        ("ts,door\n1700000000,open\n1700000001,close\n", "write start and end there"),
        ("ts,a\n1700000000,1\n1700000000\n", "1 row of the sample could not be read"),
        ("ts,a\n", "nothing is proposed"),
    ],
)
def test_findings_are_reported(content: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text(content)
    assert any(words in note for note in proposed(tmp_path, "f.csv").notes)


def test_without_a_column_of_times_none_is_proposed(tmp_path: Path) -> None:
    csv(tmp_path / "f.csv", [{"a": 1, "b": "x"}])
    assert proposed(tmp_path, "f.csv").times == []
