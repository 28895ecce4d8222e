"""Options of the `postgresql_changes` adapter."""

from typing import Annotated, Literal

from pydantic import Field

from streaming.adapters.file.options import Columns
from streaming.adapters.postgresql.options import PostgreSQLTableOptions, RelationName


class PostgreSQLChangesOptions(PostgreSQLTableOptions):
    """The lifetime of each row of a PostgreSQL table (15 or newer), or an event for each written row, from its log."""

    table: Annotated[
        RelationName,
        Field(
            title="Table",
            description="A table with a primary key, partitioned or not. Names are case-sensitive.",
        ),
    ]
    publication: Annotated[
        RelationName,
        Field(
            title="Publication",
            description="The publication with which the server reports changes of the table. Its owner creates it with "
            "CREATE PUBLICATION punctual FOR TABLE name. Columns or rows that it excludes are missing here too.",
        ),
    ] = "punctual"
    columns: Columns = Field(default_factory=dict)
    when_lost: Annotated[
        Literal["fail", "compare"],
        Field(
            title="When changes are lost",
            description="The server may discard changes that were not read for long, or the replication slot may be "
            "dropped. fail: the binding stops with an error. compare: rows that differ in the table end or begin at "
            "that time (_change is 'compared'), and a row in quarantine reports the period of the missing changes.",
        ),
    ] = "fail"
    poll_s: Annotated[
        int,
        Field(ge=1, le=86_400, title="Polling interval (s)", description="The time between two queries for changes."),
    ] = 2
    idle_cti_s: Annotated[
        int,
        Field(
            ge=1,
            le=86_400,
            title="CTI without changes after (s)",
            description="While nothing changes, a CTI at the server's clock is emitted at this interval, and "
            "the server "
            "can discard its log for this input.",
        ),
    ] = 10
