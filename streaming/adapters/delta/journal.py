"""The files of each version that were read, in order, with their number of rows."""

from pydantic import ConfigDict, Field

from streaming.adapters.entry_journal import EntryJournal, JournalEntry


class TakenPart(JournalEntry):
    """A piece of `version` of the table with the id `table`, written at `at` (ticks); `closed`: its last piece.

    It is one of three things. A file of `rows` rows, with the columns `values` (text, in the log's notation) of the
    types `types` that the log holds for it. Or, without a `path`, one row with the `reason` why rows could not be read.
    Or nothing, if a version holds no rows. With `snapshot` it is one of all files that the table had at that version.
    """

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    table: str
    version: int
    number: int
    closed: bool
    at: int
    rows: int
    snapshot: bool = False
    path: str | None = None
    size: int = 0
    values: dict[str, str | None] = Field(default_factory=dict)
    types: dict[str, str] = Field(default_factory=dict)
    reason: str = Field(default="", alias="told")

    @property
    def end(self) -> int:
        """The position after its last row."""
        return self.first + self.rows


class PartJournal(EntryJournal[TakenPart]):
    """The parts of a table that an input has read."""

    file_name = "parts.jsonl"
    model = TakenPart
