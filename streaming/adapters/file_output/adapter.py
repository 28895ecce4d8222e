"""The `file` output: idempotent part files. Starts and ends are ticks, timestamps in payloads ISO 8601 or Arrow's."""

import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

from streaming.adapters.contract import AdapterError
from streaming.adapters.file_output.options import FileOutputOptions
from streaming.adapters.places import DataFolder
from streaming.adapters.result_files.content import flat
from streaming.definition.types import Timestamp
from streaming.temporal.ticks import INFINITY
from streaming.wire.arrow_types import arrow_schema, fields_of
from streaming.wire.payload_json import payload_to_json

_PART: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,200}", re.ASCII)
_SUFFIX: Final = {"json_lines": ".jsonl", "csv": ".csv", "parquet": ".parquet"}


class FileOutput:
    """Writes the rows of an output with `fields` (name to type) into a folder inside `root`."""

    def __init__(self, options: FileOutputOptions, fields: Mapping[str, str], root: Path) -> None:
        self._options = options
        self._fields = fields_of(fields)
        self._folder = DataFolder(root)

    def write(self, part: str, rows: pa.Table) -> str:
        """Write the part, replacing what an interrupted attempt left, and return its path in the folder.

        `rows` has the columns start and end (int64 ticks, INFINITY for open) and the fields. Raises `AdapterError`
        for a part name that is no file name or for other columns, `OSError` when the disk refuses.
        """
        if not _PART.fullmatch(part):
            raise AdapterError(f"'{part}' is not a name of a part.", domain="internal")
        if rows.column_names != ["start", "end", *self._fields]:
            raise AdapterError(
                f"The results have the columns {', '.join(rows.column_names)}, but the output's fields are "
                f"{', '.join(self._fields) or 'none'}; change the output stream or the query."
            )
        path = str(Path(self._folder.inside(self._options.path), f"{part}{_SUFFIX[self._options.format]}"))
        self._folder.write(path, self._content(rows))
        return path

    def _content(self, rows: pa.Table) -> bytes:
        if self._options.format == "json_lines":
            return self._json_lines(rows)
        table = self._for_columns(rows)
        buffer = io.BytesIO()
        if self._options.format == "parquet":
            pq.write_table(table, buffer)
        else:
            arrow_csv.write_csv(flat(table), buffer)
        return buffer.getvalue()

    def _json_lines(self, rows: pa.Table) -> bytes:
        lines = []
        for row in rows.to_pylist():
            start, end = row.pop("start"), row.pop("end")
            shown: dict[str, Any] = {"start": start, "end": None if end == INFINITY else end}
            lines.append(json.dumps({**shown, "payload": payload_to_json(row, self._fields)}, ensure_ascii=False))
        return "".join(f"{line}\n" for line in lines).encode()

    def _for_columns(self, rows: pa.Table) -> pa.Table:
        end = rows.column("end")
        columns = {"start": rows.column("start"), "end": pc.if_else(pc.equal(end, INFINITY), None, end)}
        for field, of in zip(arrow_schema(self._fields), self._fields.values(), strict=True):
            column = rows.column(field.name).cast(field.type)
            columns[field.name] = column.cast(pa.timestamp("us", "UTC")) if isinstance(of, Timestamp) else column
        return pa.table(columns)
