"""Which committed batches were taken, and how many elements each has: what makes a position mean the same for ever."""

from streaming.adapters.entry_journal import EntryJournal, JournalEntry


class TakenBatch(JournalEntry):
    """A batch that was taken: its elements are the positions `[first, first + elements)` of the lane.

    They are those of its `rows`, in their order, and then, where it is not None, the CTI `cti` in ticks (INFINITY at
    the end of everything). `run` made it, where that is known.
    """

    batch: int
    rows: int
    elements: int
    cti: int | None
    run: str | None

    @property
    def end(self) -> int:
        """The position behind its last element."""
        return self.first + self.elements


class BatchJournal(EntryJournal[TakenBatch]):
    """The batches that a reader has taken."""

    file_name = "batches.jsonl"
    model = TakenBatch
