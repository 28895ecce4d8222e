"""Options of the `postgresql` adapter."""

from typing import Annotated

from pydantic import AfterValidator, Field

from streaming.adapters.file.options import Columns
from streaming.adapters.postgresql.connection_options import PostgreSQLConnectionOptions

MOST_NAME_BYTES = 63


def _fits(name: str) -> str:
    if len(name.encode()) > MOST_NAME_BYTES:
        raise ValueError(
            f"a name in PostgreSQL has at most {MOST_NAME_BYTES} bytes; write it as it is stored in the database"
        )
    return name


RelationName = Annotated[str, Field(min_length=1, max_length=63, pattern=r"^[^\x00-\x1f]+$"), AfterValidator(_fits)]
"""The name of a schema, table or column exactly as it is stored, with quotes and capital letters."""


class PostgreSQLTableOptions(PostgreSQLConnectionOptions):
    """The schema of the table to read."""

    schema_name: Annotated[
        RelationName, Field(title="Schema", description="The schema of the table, usually public.")
    ] = "public"


class PostgreSQLOptions(PostgreSQLTableOptions):
    """Rows of a PostgreSQL table (15 or newer), in the order of a growing column; the table is polled for new ones."""

    table: Annotated[
        RelationName,
        Field(title="Table", description="A table, partitioned or not; not a view. Names are case-sensitive."),
    ]
    cursor: Annotated[
        RelationName,
        Field(
            title="Cursor column",
            description="A column that is larger in every new row: a number from a sequence (bigserial, "
            "identity), or a "
            "timestamp with time zone that the database sets (now()). An update that raises it makes the row a new "
            "one. Other changes and deletions are not noticed.",
        ),
    ]
    key: Annotated[
        list[RelationName],
        Field(
            max_length=30,
            title="Key",
            description='Columns that distinguish rows with the same cursor, as JSON, for example ["id"]. Empty: those '
            "of the primary key.",
        ),
    ] = Field(default_factory=list)
    columns: Columns = Field(default_factory=dict)
    begin_after: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=100,
            pattern=r"^[^\x00-\x1f]+$",
            title="Start after",
            description="Only rows with a larger cursor are read, for example 1000 or 2026-11-23T08:00:00Z. Empty: "
            "all.",
        ),
    ] = None
    poll_s: Annotated[
        int,
        Field(ge=1, le=86_400, title="Polling interval (s)", description="The time between two queries for new rows."),
    ] = 5
    margin_s: Annotated[
        int,
        Field(
            ge=0,
            le=86_400,
            title="Margin for clocks (s)",
            description="For a cursor that is a time: rows are read only when they are this old by the database's "
            "clock. Set it to the largest difference between the clocks that set the cursor. Running transactions are "
            "always waited for.",
        ),
    ] = 10
    cti_column: Annotated[
        RelationName | None,
        Field(
            title="CTI column",
            description="A row in which this column is not null is a CTI. The column holds its time, or infinity at "
            "the end of all data.",
        ),
    ] = None
    cti_strict: Annotated[
        bool,
        Field(title="Strict CTIs", description="On: no later event starts even at the CTI's own time."),
    ] = False
