"""The committed batches that were read, and their number of elements: this gives a position its fixed meaning."""

from streaming.adapters.entry_journal import EntryJournal, JournalEntry


class TakenBatch(JournalEntry):
    """A batch that was read: its elements are the positions `[first, first + elements)` of the lane.

    The elements are its `rows`, in their order, and then the CTI `cti` in ticks unless it is None (INFINITY at the end
    of everything). `run` made it; None if that is not recorded.
    """

    batch: int
    rows: int
    elements: int
    cti: int | None
    run: str | None

    @property
    def end(self) -> int:
        """The position after its last element."""
        return self.first + self.elements


class BatchJournal(EntryJournal[TakenBatch]):
    """The batches that a reader has read."""

    file_name = "batches.jsonl"
    model = TakenBatch
