"""What a user sets for results that go to a table of PostgreSQL."""

from typing import Annotated, Literal

from pydantic import Field

from streaming.adapters.postgresql.connection_options import PostgreSQLConnectionOptions

Identifier = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,62}$")]
"""A name in PostgreSQL that is the same with quotes and to its letters; longer ones would be cut."""


class PostgreSQLOutputOptions(PostgreSQLConnectionOptions):
    """Results as rows of a PostgreSQL table (15 or newer), kept up to date: each window and group is one row."""

    schema_name: Annotated[Identifier, Field(title="Schema", description="It must exist.")] = "public"
    table: Annotated[Identifier, Field(title="Table")]
    create: Annotated[
        bool,
        Field(title="Make the table", description="If it is not there. One that is there is checked and not changed."),
    ] = True
    mode: Annotated[
        Literal["upsert", "append"],
        Field(
            title="Rows",
            description="upsert: a row for each window and group, which a later result replaces, or deletes when it is "
            "taken back. append: every result is a new row, those that take one back are marked as deleted.",
        ),
    ] = "upsert"
    key: Annotated[
        list[str],
        Field(
            max_length=30,
            title="Key",
            description="The fields that tell the rows of one window apart, usually those of GROUP BY, as "
            'JSON such as ["car"]. Start and end are always in the key. Used by upsert alone.',
        ),
    ] = Field(default_factory=list)
    start_column: Annotated[Identifier, Field(title="Column of the start")] = "window_start"
    end_column: Annotated[
        Identifier, Field(title="Column of the end", description="An end that is open is 'infinity' there.")
    ] = "window_end"
