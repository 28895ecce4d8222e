"""The formats of an export: each writes the same rows, a chunk at a time."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, BinaryIO, Final, Literal, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from streaming.definition.payload.spreadsheets import AS_TEXT, FORMULA_STARTS
from streaming.definition.payload.types import Boolean, DecimalOf, String, Timestamp, Type
from webapp.monitoring.exporting.columns import ExportTable, Values, cell_text

ExportFormat = Literal["csv", "json_lines", "parquet", "arrow", "xlsx"]
ROWS_IN_A_GROUP: Final = 65_536
"""Rows in a row group of Parquet."""


class ExportWriter(Protocol):
    """Writes rows to a file."""

    def write(self, rows: Sequence[Values]) -> None:
        """Append `rows`. Raises `OSError`, and `ExportProblem` for a value that the format cannot hold."""

    def close(self) -> None:
        """Complete the file; does not close the file object below. Raises `OSError`."""

    def abandon(self) -> None:
        """Release everything that is open, because the file is not completed."""


class CsvWriter:
    """CSV in UTF-8: times are ISO 8601; a text that a spreadsheet would compute starts with an apostrophe."""

    def __init__(self, file: BinaryIO, table: ExportTable) -> None:
        self._file = file
        self._cells = [_csv_cell(column.of) for column in table.columns]
        self._write_lines([[column.name for column in table.columns]])

    def write(self, rows: Sequence[Values]) -> None:
        """Append `rows`."""
        self._write_lines(
            [
                "" if value is None else value if cell is None else cell(value)
                for cell, value in zip(self._cells, row, strict=True)
            ]
            for row in rows
        )

    def close(self) -> None:
        """Nothing follows the last row."""

    def abandon(self) -> None:
        """Nothing is open."""

    def _write_lines(self, lines: Any) -> None:
        text = io.StringIO(newline="")
        csv.writer(text).writerows(lines)
        self._file.write(text.getvalue().encode())


def _csv_cell(of: Type) -> Callable[[Any], Any] | None:
    if isinstance(of, String):
        return lambda text: f"{AS_TEXT}{text}" if text.startswith(FORMULA_STARTS) else text
    if isinstance(of, Boolean):
        return lambda value: "true" if value else "false"
    if isinstance(of, DecimalOf):
        return plain_decimal
    return cell_text(of)


def plain_decimal(value: Any) -> str:
    """Return a decimal with all its digits and without an exponent."""
    return f"{Decimal(value):f}"


class JsonLinesWriter:
    """One JSON object a line, with the values as results store them: decimals are texts with all digits."""

    def __init__(self, file: BinaryIO, table: ExportTable) -> None:
        self._file = file
        self._names = [column.name for column in table.columns]
        self._cells = [cell_text(column.of) if isinstance(column.of, Timestamp) else None for column in table.columns]
        self._encode = json.JSONEncoder(ensure_ascii=False).encode

    def write(self, rows: Sequence[Values]) -> None:
        """Append `rows`."""
        lines = []
        for row in rows:
            values = [
                value if value is None or cell is None else cell(value)
                for cell, value in zip(self._cells, row, strict=True)
            ]
            lines.append(self._encode(dict(zip(self._names, values, strict=True))))
        self._file.write("".join(f"{line}\n" for line in lines).encode())

    def close(self) -> None:
        """Nothing follows the last row."""

    def abandon(self) -> None:
        """Nothing is open."""


class ArrowWriter:
    """An Arrow IPC stream."""

    def __init__(self, file: BinaryIO, table: ExportTable) -> None:
        self._table = table
        self._schema = table.arrow_schema()
        self._writer = pa.ipc.new_stream(file, self._schema)

    def write(self, rows: Sequence[Values]) -> None:
        """Append `rows` as a batch."""
        self._writer.write_table(self._table.arrow_table(rows, self._schema))

    def close(self) -> None:
        """Write the end of the stream: a torn stream has none."""
        self._writer.close()

    def abandon(self) -> None:
        """Close the stream."""
        self._writer.close()


class ParquetFileWriter:
    """A Parquet file with groups of `ROWS_IN_A_GROUP` rows, compressed with Zstandard."""

    def __init__(self, file: BinaryIO, table: ExportTable) -> None:
        self._table = table
        self._schema = table.arrow_schema()
        self._writer = pq.ParquetWriter(file, self._schema, compression="zstd")
        self._waiting: list[pa.Table] = []

    def write(self, rows: Sequence[Values]) -> None:
        """Append `rows`."""
        self._waiting.append(self._table.arrow_table(rows, self._schema))
        if sum(each.num_rows for each in self._waiting) >= ROWS_IN_A_GROUP:
            self._write_group()

    def close(self) -> None:
        """Write the last group and the footer."""
        self._write_group()
        self._writer.close()

    def abandon(self) -> None:
        """Close the library's writer, which otherwise writes when it is collected."""
        self._writer.close()

    def _write_group(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.concat_tables(self._waiting), row_group_size=2 * ROWS_IN_A_GROUP)
            self._waiting.clear()
