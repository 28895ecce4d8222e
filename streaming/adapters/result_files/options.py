"""Options shared by outputs that write files."""

from typing import Annotated, Literal

from pydantic import Field

from streaming.adapters.kinds import shown_with

Formulas = Literal["as_is", "text"]
FormulasOption = Annotated[
    Formulas,
    Field(
        title="Formula-like texts",
        description="CSV: a spreadsheet computes a text that begins with = + - @, a tab or a line end. as_is: texts "
        "are not changed, for programs that read the file. text: an apostrophe before such a text prevents the "
        "computation. Numbers are never changed.",
        json_schema_extra=shown_with({"format": ["csv"]}),
    ),
]
ResultFormat = Literal["json_lines", "csv", "parquet"]
ResultFormatOption = Annotated[
    ResultFormat,
    Field(
        title="Format",
        description="JSON lines can be read again by an input. CSV and Parquet have columns named as in Delta Lake "
        "tables: the lifetime (an open end is empty), the fields, then the columns that mark corrections.",
    ),
]
ByDayOption = Annotated[
    bool,
    Field(
        title="Partition by day",
        description="A folder for each day of the start, in UTC, for example day=2026-11-25, readable by Spark, "
        "DuckDB, "
        "Athena and others.",
    ),
]
