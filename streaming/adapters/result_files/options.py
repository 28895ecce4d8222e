"""What outputs that write files have in common."""

from typing import Annotated, Literal

from pydantic import Field

ResultFormat = Literal["json_lines", "csv", "parquet"]
ResultFormatOption = Annotated[
    ResultFormat,
    Field(
        title="Format",
        description="JSON lines can be read again as an input. CSV and Parquet have columns, named as in Delta Lake "
        "tables: the lifetime (an open end is empty), the fields, then what says that a row corrects another.",
    ),
]
ByDayOption = Annotated[
    bool,
    Field(
        title="Partition by day",
        description="A folder for each day of the start, in UTC, such as day=2026-11-25, as Spark, DuckDB, Athena and "
        "others read it.",
    ),
]
