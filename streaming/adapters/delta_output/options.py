"""Options of results that are written to a Delta Lake table."""

from typing import Annotated, Literal

from pydantic import Field

from streaming.adapters.kinds import shown_with
from streaming.definition.strict import Strict


class DeltaOutputOptions(Strict):
    """Results as a Delta Lake table in the organisation's folder, readable by Spark, DuckDB, Polars and others."""

    path: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1_024,
            title="Folder of the table",
            description="Inside `files/` of the organisation's folder. The table is created if it does not exist.",
        ),
    ]
    mode: Annotated[
        Literal["upsert", "append"],
        Field(
            title="Corrections",
            description="upsert: the table holds the latest state; a corrected row replaces the previous one, a "
            "retracted row is removed. append: every row is kept as emitted; a row with the result_key of an earlier "
            "row replaces it, or retracts it if `deleted` is true.",
        ),
    ] = "upsert"
    key: Annotated[
        list[str],
        Field(
            title="Key",
            description="For upsert: the fields that distinguish rows of the same time, for example those of GROUP "
            'BY: ["car", "lane"].',
            json_schema_extra=shown_with({"mode": ["upsert"]}),
        ),
    ] = Field(default_factory=list)
    by_day: Annotated[
        bool,
        Field(title="Partition by day", description="Partition the table by the column `day` (of the start, in UTC)."),
    ] = True
