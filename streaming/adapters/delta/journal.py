"""Which files of which versions were taken, in which order, with how many rows."""

from pydantic import Field

from streaming.adapters.entry_journal import EntryJournal, JournalEntry


class TakenPart(JournalEntry):
    """A piece of `version` of the table with the id `table`, written at `at` (ticks); `closed`: its last one.

    It is a file of `rows` rows, with the columns `values` (text, as the log writes it) of the types `types` beside it;
    or, without a `path`, one row that says (`told`) what could not be read; or nothing, where a version holds no rows.
    With `snapshot` it is one of all files that the table had as of that version.
    """

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
    told: str = ""

    @property
    def end(self) -> int:
        """The position behind its last row."""
        return self.first + self.rows


class PartJournal(EntryJournal[TakenPart]):
    """The parts of a table that an input has taken."""

    file_name = "parts.jsonl"
    model = TakenPart
