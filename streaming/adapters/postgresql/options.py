"""What a user sets for the `postgresql` adapter."""

from typing import Annotated

from pydantic import AfterValidator, Field

from streaming.adapters.file.options import Columns
from streaming.adapters.postgresql.connection_options import PostgreSQLConnectionOptions

MOST_NAME_BYTES = 63


def _fits(name: str) -> str:
    if len(name.encode()) > MOST_NAME_BYTES:
        raise ValueError(f"a name in PostgreSQL has at most {MOST_NAME_BYTES} bytes; write it as the database does")
    return name


RelationName = Annotated[str, Field(min_length=1, max_length=63, pattern=r"^[^\x00-\x1f]+$"), AfterValidator(_fits)]
"""The name of a schema, table or column just as it is stored: quotes and all, capital letters as they are."""


class PostgreSQLTableOptions(PostgreSQLConnectionOptions):
    """Where a table is that is read."""

    schema_name: Annotated[
        RelationName, Field(title="Schema", description="The schema of the table, most often public.")
    ] = "public"


class PostgreSQLOptions(PostgreSQLTableOptions):
    """Rows of a PostgreSQL table (15 or newer), in the order of a column that grows; new ones are asked for again."""

    table: Annotated[
        RelationName,
        Field(title="Table", description="A table, partitioned or not; no view. Letters count as they are stored."),
    ]
    cursor: Annotated[
        RelationName,
        Field(
            title="Cursor column",
            description="A column that is larger in every new row: a number that a sequence gives (bigserial, "
            "identity), or a timestamp with time zone that the database sets (now()). An update that raises it makes "
            "the row a new one. Changed and deleted rows stay as they were read.",
        ),
    ]
    key: Annotated[
        list[RelationName],
        Field(
            max_length=30,
            title="Key",
            description='Columns that tell rows with the same cursor apart, as JSON such as ["id"]. Empty: those of '
            "the primary key.",
        ),
    ] = Field(default_factory=list)
    columns: Columns = Field(default_factory=dict)
    begin_after: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=100,
            pattern=r"^[^\x00-\x1f]+$",
            title="Begin after",
            description="Only rows whose cursor is larger are read, such as 1000 or 2026-11-23T08:00:00Z. Empty: all.",
        ),
    ] = None
    poll_s: Annotated[
        int,
        Field(ge=1, le=86_400, title="Ask again after (s)", description="So often the table is asked for new rows."),
    ] = 5
    margin_s: Annotated[
        int,
        Field(
            ge=0,
            le=86_400,
            title="Margin for clocks (s)",
            description="Where the cursor is a time: rows are read when they are so old by the database's clock. As "
            "much as clocks that set it may be apart. Transactions that are still running are always waited for.",
        ),
    ] = 10
    cti_column: Annotated[
        RelationName | None,
        Field(
            title="Column of CTIs",
            description="A row in which this column is not null is a CTI, and the column is its time, or infinity at "
            "the end of all.",
        ),
    ] = None
    cti_strict: Annotated[
        bool,
        Field(title="Strict CTIs", description="On: not even at that very time does anything follow."),
    ] = False
