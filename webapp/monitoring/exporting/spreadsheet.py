"""Excel workbooks, written row by row with constant memory: formulas stay text, and no digit is lost.

A cell holds a number with at most 15 digits, a time to the millisecond since March 1900, and 32,767 characters. Numbers
and times that don't fit are texts with all their digits, as a note at the head of such a column says. A longer text
is an error, because there is no such cell.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from streaming.definition.counts import counted
from streaming.definition.payload.types import (
    TIMESTAMP,
    Boolean,
    DecimalOf,
    Double,
    Long,
    Timestamp,
    Type,
)
from webapp.monitoring.exporting.columns import ExportColumn, ExportTable, Values, cell_text, exact_values
from webapp.monitoring.exporting.formats import plain_decimal
from webapp.monitoring.exporting.problems import ExportProblem

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

ROWS_IN_A_SHEET: Final = 1_048_575
"""The rows of a sheet below its head."""
MOST_COLUMNS: Final = 16_384
LONGEST_TEXT: Final = 32_767
MOST_DIGITS: Final = 15
OTHER: Final = "Choose CSV, Parquet, Arrow or JSON lines."
DIGITS_NOTE: Final = (
    "Numbers with more than 15 digits are texts in this column: as numbers, a spreadsheet would round them."
)
TIME_NOTE: Final = (
    "Times in UTC. Those with microseconds, or outside the years 1900 to 9999, are texts in this column: a spreadsheet "
    "would change them."
)
_EPOCH_DAYS: Final = 25_569
"""Days between 30 December 1899, day 0 of spreadsheets, and 1970."""
_FIRST_DAY: Final = 61
"""1 March 1900: spreadsheets count a day before it that never was."""
_END_DAY: Final = 2_958_466
_DAY_MS: Final = 86_400_000
_TIME_FORMAT: Final = "yyyy-mm-dd hh:mm:ss.000"
_WIDTHS: Final[dict[type[Type], int]] = {Timestamp: 24, Boolean: 10, Double: 14, Long: 14}
_SHEET: Final = "Results"


class SpreadsheetWriter:
    """Writes rows to a workbook at `path`; after `rows_in_a_sheet` rows follows a further sheet with the same head."""

    def __init__(self, path: Path, table: ExportTable, *, rows_in_a_sheet: int = ROWS_IN_A_SHEET) -> None:
        import xlsxwriter

        if len(table.columns) > MOST_COLUMNS:
            raise ExportProblem(f"A sheet has {MOST_COLUMNS:,} columns, and these results have more.", OTHER)
        options = {"constant_memory": True, "tmpdir": str(path.parent), "default_date_format": _TIME_FORMAT}
        self._book = xlsxwriter.Workbook(str(path), options)
        self._book.use_zip64()
        self._head: Format = self._book.add_format({"bold": True})
        self._columns = table.columns
        self._rows_in_a_sheet = rows_in_a_sheet
        self._cells = [_cell(column, self._book.add_format) for column in table.columns]
        self._sheets = self._row = 0
        self._sheet: Worksheet = self._next_sheet()

    def write(self, rows: Sequence[Values]) -> None:
        """Append `rows`. Raises `ExportProblem` for a text that no cell can hold."""
        for row in rows:
            if self._row == self._rows_in_a_sheet:
                self._sheet = self._next_sheet()
            self._row += 1
            for place, (cell, value) in enumerate(zip(self._cells, row, strict=True)):
                if value is not None:
                    cell(self._sheet, self._row, place, value)

    def close(self) -> None:
        """Assemble the workbook."""
        self._book.close()

    def abandon(self) -> None:
        """Close the temporary file of each sheet."""
        for sheet in self._book.worksheets():
            sheet.row_data_fh.close()

    def _next_sheet(self) -> "Worksheet":
        self._sheets += 1
        self._row = 0
        sheet: Worksheet = self._book.add_worksheet(
            _SHEET if self._sheets == 1 else f"{_SHEET} {self._sheets}", _exact_worksheet()
        )
        sheet.freeze_panes(1, 0)
        for place, column in enumerate(self._columns):
            sheet.set_column(place, place, _WIDTHS.get(type(column.of), 16))
        for place, column in enumerate(self._columns):
            sheet.write_string(0, place, column.name, self._head)
            if (note := _note(column.of)) is not None:
                sheet.write_comment(0, place, note, {"x_scale": 2})
        return sheet


WriteCell = Callable[["Worksheet", int, int, Any], None]
"""Writes a value into a sheet at row and column."""


def _note(of: Type) -> str | None:
    """Return the note at the head of a column in which a spreadsheet would change some values."""
    if isinstance(of, Timestamp):
        return TIME_NOTE
    return DIGITS_NOTE if isinstance(of, Long) or (isinstance(of, DecimalOf) and of.precision > MOST_DIGITS) else None


def _exact_worksheet() -> type:
    from xlsxwriter.worksheet import Worksheet

    class ExactWorksheet(Worksheet):  # type: ignore[misc]  # the library has no types
        """Writes doubles with all their digits, not 16 as the library does, and every text as a text.

        The library writes a text between <r> and </r> as markup, so a value could break the workbook.
        """

        def _xml_number_element(self, number: Any, attributes: Any = ()) -> None:
            shown = "".join(f' {name}="{value}"' for name, value in attributes)
            self.fh.write(f"<c{shown}><v>{number!r}</v></c>")

        def _xml_rich_inline_string(self, string: str, attributes: Any = ()) -> None:
            self._xml_inline_string(string, True, attributes)

    return ExactWorksheet


def _cell(column: ExportColumn, add_format: Callable[[dict[str, Any]], Any]) -> WriteCell:
    of = column.of
    if isinstance(of, Long):
        return _write_long
    if isinstance(of, Double):
        return _write_double
    if isinstance(of, Boolean):
        return _write_boolean
    if isinstance(of, Timestamp):
        return _time_cell(add_format({"num_format": _TIME_FORMAT}))
    if isinstance(of, DecimalOf):
        return _decimal_cell(add_format({"num_format": f"0.{'0' * of.scale}" if of.scale else "0"}))
    shown = cell_text(of) or str

    def write(sheet: "Worksheet", row: int, place: int, value: Any) -> None:
        text = shown(value)
        if sheet.write_string(row, place, text) < 0:
            raise ExportProblem(
                f"A text in the column {column.name} has {counted(len(text), 'character')}. "
                f"A cell holds {LONGEST_TEXT:,}.",
                OTHER,
            )

    return write


def _write_long(sheet: "Worksheet", row: int, place: int, value: int) -> None:
    if len(str(abs(value))) > MOST_DIGITS:
        sheet.write_string(row, place, str(value))
    else:
        sheet.write_number(row, place, value)


def _write_double(sheet: "Worksheet", row: int, place: int, value: float) -> None:
    sheet.write_number(row, place, float(value))


def _write_boolean(sheet: "Worksheet", row: int, place: int, value: bool) -> None:
    sheet.write_boolean(row, place, value)


def _decimal_cell(shown: Any) -> WriteCell:
    def write(sheet: "Worksheet", row: int, place: int, value: Any) -> None:
        text = plain_decimal(value)
        if len(text.lstrip("-").replace(".", "").strip("0")) > MOST_DIGITS:
            sheet.write_string(row, place, text)
        else:
            sheet.write_number(row, place, float(Decimal(text)), shown)

    return write


def _time_cell(shown: Any) -> WriteCell:
    written = cell_text(TIMESTAMP)

    def write(sheet: "Worksheet", row: int, place: int, value: Any) -> None:
        [tick] = exact_values([value], TIMESTAMP)
        if tick % 1_000 == 0 and _FIRST_DAY <= (day := tick / 1_000 / _DAY_MS + _EPOCH_DAYS) < _END_DAY:
            sheet.write_number(row, place, day, shown)
        else:
            sheet.write_string(row, place, str(value if written is None else written(value)))

    return write
