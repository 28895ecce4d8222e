"""What a user sets for the `postgresql_changes` adapter."""

from typing import Annotated, Literal

from pydantic import Field

from streaming.adapters.file.options import Columns
from streaming.adapters.postgresql.options import PostgreSQLTableOptions, RelationName


class PostgreSQLChangesOptions(PostgreSQLTableOptions):
    """The life of each row of a PostgreSQL table (15 or newer), or each row that is written as an event, by its log."""

    table: Annotated[
        RelationName,
        Field(
            title="Table",
            description="A table with a primary key, partitioned or not. Letters count as they are stored.",
        ),
    ]
    publication: Annotated[
        RelationName,
        Field(
            title="Publication",
            description="What makes the server tell changes of the table. Its owner makes one with: "
            "CREATE PUBLICATION punctual FOR TABLE name. Where it leaves out columns or rows, so does this input.",
        ),
    ] = "punctual"
    columns: Columns = Field(default_factory=dict)
    when_lost: Annotated[
        Literal["fail", "compare"],
        Field(
            title="When changes are lost",
            description="The server may drop changes that were not read for long, or somebody the replication slot. "
            "fail: the binding stops and says so. compare: what differs in the table then ends and begins at that time "
            "(_change is 'compared'); a row in quarantine says from when to when changes are missing.",
        ),
    ] = "fail"
    poll_s: Annotated[
        int,
        Field(ge=1, le=86_400, title="Ask again after (s)", description="So often the server is asked for changes."),
    ] = 2
    idle_cti_s: Annotated[
        int,
        Field(
            ge=1,
            le=86_400,
            title="CTI without changes after (s)",
            description="While nothing changes, a CTI at the server's clock is given so often, and the server need not "
            "keep its log for this input any longer.",
        ),
    ] = 10

    @property
    def cti_column(self) -> str:
        """Which column of a kept line makes it a CTI."""
        return "_cti"

    @property
    def cti_strict(self) -> bool:
        """CTIs are kept as they are meant."""
        return False
