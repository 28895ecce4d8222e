"""Each format holds every value of its type; a spreadsheet computes nothing and rounds nothing."""

import csv
import gzip
import io
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.webapp.exports.stored import FORMATS, StoredResults, exact, final_row
from webapp.monitoring.exporting import spreadsheet
from webapp.monitoring.exporting.formats import ExportFormat
from webapp.monitoring.exporting.job import FILE

LARGE = 2**63 - 1
TYPES = {"n": "long", "x": "double", "d": "decimal(38,9)", "t": "timestamp", "s": "string", "b": "boolean"}
VALUES: dict[str, Any] = {
    "n": LARGE,
    "x": 0.1 + 0.2,
    "d": "12345678901234567890.123456789",
    "t": "2026-11-26T10:00:00.000001Z",
    "s": "Zürich 👍 ",
    "b": True,
}
EXACT = {
    "n": LARGE,
    "x": 0.1 + 0.2,
    "d": Decimal("12345678901234567890.123456789"),
    "t": 1_795_687_200_000_001,
    "s": "Zürich 👍 ",
    "b": True,
}


@pytest.fixture
def results(tmp_path: Path) -> StoredResults:
    return StoredResults(tmp_path / "rows", TYPES)


def written(results: StoredResults, form: ExportFormat, **changed: Any) -> Path:
    outcome = results.outcome(form, **changed)
    assert outcome.problem is None, outcome.problem
    return Path(results.work().scratch) / FILE


def workbook(results: StoredResults) -> openpyxl.Workbook:
    return openpyxl.load_workbook(io.BytesIO(written(results, "xlsx").read_bytes()))


@pytest.mark.parametrize("form", FORMATS)
def test_every_value_is_exact(results: StoredResults, form: ExportFormat) -> None:
    results.commit([final_row(0, VALUES), final_row(10, dict.fromkeys(TYPES))])
    first, second = results.exported(form)
    assert {name: exact(form, first[name], of) for name, of in TYPES.items()} == EXACT
    assert [second[name] for name in TYPES] == [None] * len(TYPES)
    assert list(first) == ["start", "end", "op", *TYPES, "final", "dropped", "repaired", "incomplete"]
    assert [exact(form, first[name], "timestamp") for name in ("start", "end")] == [0, 10]
    marks = {name: exact(form, first[name], "boolean") for name in ("final", "repaired")}
    assert (first["op"], first["dropped"], marks) == ("insert", None, {"final": True, "repaired": False})


@pytest.mark.parametrize("form", FORMATS)
def test_an_export_without_rows_has_its_columns(results: StoredResults, form: ExportFormat) -> None:
    results.commit([])
    assert results.exported(form) == []


def test_arrow_and_parquet_have_the_types_of_the_result_and_times_with_a_zone(results: StoredResults) -> None:
    results.commit([final_row(0, VALUES)])
    instant = pa.timestamp("us", "UTC")
    types = [pa.int64(), pa.float64(), pa.decimal128(38, 9), instant, pa.string(), pa.bool_()]
    with pa.ipc.open_stream(written(results, "arrow").read_bytes()) as stream:
        assert [stream.schema.field(name).type for name in ("start", "end", *TYPES)] == [instant, instant, *types]
    schema = pq.read_schema(written(results, "parquet"))
    assert [schema.field(name).type for name in ("start", "end", *TYPES)] == [instant, instant, *types]


def test_polars_and_duckdb_read_the_same_rows(results: StoredResults) -> None:
    results.commit([final_row(number, {**VALUES, "n": LARGE - number}) for number in range(100)])
    path = written(results, "parquet")
    numbers = list(range(LARGE, LARGE - 100, -1))
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT n, d, s FROM read_parquet('{path}') ORDER BY start").fetchall()
    assert found == [(number, EXACT["d"], EXACT["s"]) for number in numbers]
    assert pl.read_parquet(path)["n"].to_list() == numbers
    frame = pl.read_ipc_stream(written(results, "arrow").read_bytes())
    assert (frame["n"].to_list(), frame["d"].to_list()[0]) == (numbers, EXACT["d"])


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "<r><t>x</t></r>", "https://punctual.example", "_x0041_"]


def test_a_text_stays_a_text_in_a_spreadsheet(results: StoredResults) -> None:
    results.commit([final_row(number, {**VALUES, "s": text}) for number, text in enumerate(FORMULAS)])
    assert [row["s"] for row in results.exported("xlsx")] == FORMULAS
    sheet = workbook(results).active
    assert {sheet.cell(row, 7 + 1).data_type for row in range(2, len(FORMULAS) + 2)} == {"s"}
    text = written(results, "csv").read_bytes().decode()
    cells = [row["s"] for row in csv.DictReader(io.StringIO(text, newline=""))]
    assert cells == [f"'{text}" if number < 6 else text for number, text in enumerate(FORMULAS)]


def test_csv_times_are_iso_and_negative_numbers_are_numbers(results: StoredResults) -> None:
    results.commit([final_row(0, {**VALUES, "n": -5, "x": -0.5, "d": "-0.000000001"})])
    [row] = csv.DictReader(io.StringIO(written(results, "csv").read_text(), newline=""))
    assert (row["start"], row["end"]) == ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000010Z")
    assert (row["n"], row["x"], row["d"], row["t"]) == ("-5", "-0.5", "-0.000000001", "2026-11-26T10:00:00.000001Z")


def test_excel_shows_what_it_would_round_as_text_with_a_note(results: StoredResults) -> None:
    small = {**VALUES, "n": 10**15 - 1, "d": "1.500000000", "t": "2026-11-26T10:00:00.123Z"}
    results.commit([final_row(0, small), final_row(0, VALUES)])
    sheet = workbook(results).active
    shown = {sheet.cell(1, place).value: place for place in range(1, sheet.max_column + 1)}
    assert [sheet.cell(2, shown[name]).data_type for name in "ndt"] == ["n", "n", "d"]
    assert [sheet.cell(3, shown[name]).value for name in "ndt"] == [str(LARGE), VALUES["d"], VALUES["t"]]

    notes = {name: sheet.cell(1, shown[name]).comment for name in TYPES}
    assert {name for name, note in notes.items() if note is not None} == {"n", "d", "t"}
    assert sheet.freeze_panes == "A2"


def test_more_rows_than_a_sheet_holds_continue_on_the_next_one(
    results: StoredResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spreadsheet.SpreadsheetWriter.__init__, "__kwdefaults__", {"rows_in_a_sheet": 4})
    results.commit([final_row(number, {**VALUES, "n": number}) for number in range(10)])
    book = workbook(results)
    assert [(sheet.title, sheet.max_row) for sheet in book.worksheets] == [
        ("Results", 5),
        ("Results 2", 5),
        ("Results 3", 3),
    ]
    assert [row["n"] for row in results.exported("xlsx")] == list(range(10))


def test_a_text_that_no_cell_holds_is_a_sentence(results: StoredResults) -> None:
    results.commit([final_row(0, {**VALUES, "s": "x" * 32_767})])
    assert len(results.exported("xlsx")[0]["s"]) == 32_767
    results.commit([final_row(0, {**VALUES, "s": "👍" * 16_384})])
    outcome = results.outcome("xlsx")
    assert outcome.problem is not None
    assert "in the column s has 16,384 characters. A cell holds 32,767." in outcome.problem
    assert outcome.remedy == spreadsheet.OTHER
    assert len(results.exported("csv")[1]["s"]) == 16_384


def test_a_workbook_has_no_formula_and_no_link(results: StoredResults) -> None:
    results.commit([final_row(0, {**VALUES, "s": text}) for text in FORMULAS])
    with zipfile.ZipFile(written(results, "xlsx")) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert "hyperlink" not in sheet


def test_a_field_keeps_its_name_where_ours_has_the_same(tmp_path: Path) -> None:
    results = StoredResults(tmp_path / "rows", {"final": "string", "_FINAL": "long", "Start": "long"})
    results.commit([final_row(7, {"final": "mine", "_FINAL": 1, "Start": 2})])
    [row] = results.exported()
    assert (row["final"], row["_FINAL"], row["Start"], row["__final"]) == ("mine", 1, 2, True)
    assert row["_start"] == "1970-01-01T00:00:00.000007Z"


@pytest.mark.parametrize("form", FORMATS)
def test_a_field_with_several_types_is_text(tmp_path: Path, form: ExportFormat) -> None:
    results = StoredResults(tmp_path / "rows", {"n": "long", "a": "long"})
    results.commit([final_row(0, {"n": LARGE, "a": 1})])
    results.run, results.fields = "two", {"n": "double", "b": "array<long>"}
    results.commit([final_row(1, {"n": 0.5, "b": [1, None]})])
    rows = results.exported(form, run=None)
    assert [(row["run"], row["n"], exact(form, row["a"], "long")) for row in rows] == [
        ("one", str(LARGE), 1),
        ("two", "0.5", None),
    ]
    assert [exact(form, row["b"], "array") for row in rows] == [None, [1, None]]


@pytest.mark.parametrize("form", ["csv", "json_lines", "arrow"])
def test_a_packed_file_has_the_same_content(results: StoredResults, form: ExportFormat) -> None:
    results.commit([final_row(number, VALUES) for number in range(100)])
    plain = written(results, form).read_bytes()
    outcome = results.outcome(form, gzip=True)
    packed = written(results, form, gzip=True).read_bytes()
    assert gzip.decompress(packed) == plain
    assert outcome.bytes == len(plain)
    assert len(packed) < len(plain)


def test_a_file_larger_than_its_room_is_a_sentence(results: StoredResults) -> None:
    results.commit([final_row(number, VALUES) for number in range(100)])
    outcome = results.outcome("csv", most_bytes=1_000)
    assert outcome.problem is not None
    assert outcome.problem.startswith("This export needs more storage than the organisation has left")
