"""What a user sets for results that go to a Delta Lake table."""

from typing import Annotated, Literal

from pydantic import Field

from streaming.adapters.kinds import shown_with
from streaming.definition.strict import Strict


class DeltaOutputOptions(Strict):
    """Results as a Delta Lake table in the organisation's folder, which Spark, DuckDB, Polars and others read."""

    path: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1_024,
            title="Folder of the table",
            description="Inside `files/` of the organisation's folder. The table is made when it is not there.",
        ),
    ]
    mode: Annotated[
        Literal["upsert", "append"],
        Field(
            title="Corrections",
            description="upsert: the table holds what is true now; a corrected row replaces the one before, a row "
            "that was taken back goes. append: every row is kept as it came; one with the result_key of an earlier row "
            "takes its place, or takes it back where `deleted` is true.",
        ),
    ] = "upsert"
    key: Annotated[
        list[str],
        Field(
            title="Key",
            description="For upsert: the fields that tell rows of the same time apart, such as those of GROUP BY: "
            '["car", "lane"].',
            json_schema_extra=shown_with({"mode": ["upsert"]}),
        ),
    ] = Field(default_factory=list)
    by_day: Annotated[
        bool,
        Field(title="Partition by day", description="The column `day` (of the start, in UTC) divides the table."),
    ] = True
