"""Options of results that are written to a PostgreSQL table."""

from typing import Annotated, Literal

from pydantic import Field

from streaming.adapters.postgresql.connection_options import PostgreSQLConnectionOptions

Identifier = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,62}$")]
"""A PostgreSQL name that means the same with and without quotes except for case; longer ones would be truncated."""


class PostgreSQLOutputOptions(PostgreSQLConnectionOptions):
    """Results as rows of a PostgreSQL table (15 or newer), kept up to date: each window and group is one row."""

    schema_name: Annotated[Identifier, Field(title="Schema", description="It must exist.")] = "public"
    table: Annotated[Identifier, Field(title="Table")]
    create: Annotated[
        bool,
        Field(title="Create the table", description="If it does not exist. An existing table is checked, not changed."),
    ] = True
    mode: Annotated[
        Literal["upsert", "append"],
        Field(
            title="Rows",
            description="upsert: a row for each window and group; a later result replaces it, or deletes it if it "
            "retracts it. append: every result is a new row; a row that retracts another is marked as deleted.",
        ),
    ] = "upsert"
    key: Annotated[
        list[str],
        Field(
            max_length=30,
            title="Key",
            description="The fields that distinguish the rows of one window, usually those of GROUP BY, as "
            'JSON, for example ["car"]. Start and end are always in the key. Used only by upsert.',
        ),
    ] = Field(default_factory=list)
    start_column: Annotated[Identifier, Field(title="Start column")] = "window_start"
    end_column: Annotated[Identifier, Field(title="End column", description="An open end is 'infinity'.")] = (
        "window_end"
    )
