"""Delivers batches to a folder of files, each row once.

A file's name contains day, batch and output, so that a repeated batch overwrites the same files. The mark next to them
records the last batch that arrived: it is written after all files of its batch. Files left by a crash are overwritten
by the next attempt. Only if the layout, and with it the names, has changed since then, are the files after the mark
searched and removed.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from pydantic import ValidationError

from streaming.adapters.contract import AdapterError, DeliveredPage, DeliveryBatch
from streaming.adapters.file.found import FoundFile
from streaming.adapters.result_files.content import ResultContent, ResultLayout
from streaming.adapters.result_files.reading import read_back, result_name
from streaming.wire.message import Message
from streaming.wire.rows.arrow_types import fields_of


class DeliveredMark(Message):
    """The mark: the number of the last complete batch, and the layout of all files written from then on."""

    delivered: int | None
    layout: str


class ResultStore(Protocol):
    """A folder of files: each is complete or absent, and a repeated put replaces the previous file."""

    def put(self, name: str, content: bytes) -> None:
        """Put a file. Raises `AdapterError`."""

    def folders(self) -> Sequence[str]:
        """The direct subfolders, without slashes, and the empty name for the folder itself. Raises `AdapterError`."""

    def files(self, folder: str) -> Sequence[FoundFile]:
        """The files in a folder, without those in its subfolders. Raises `AdapterError`."""

    def names(self) -> Iterator[str]:
        """The names of all files, at any depth, possibly including the mark. Raises `AdapterError`."""

    def remove(self, name: str) -> None:
        """Remove a file, if it exists. Raises `AdapterError`."""

    def read_mark(self, name: str) -> bytes | None:
        """Read the mark, None if it does not exist yet. Raises `AdapterError`."""

    def write_mark(self, name: str, content: bytes) -> None:
        """Replace the mark if it is still the one that was read or written last. Raises `AdapterError`."""

    def check(self) -> None:
        """Check that files can be put and removed. Raises `AdapterError`."""

    def close(self) -> None:
        """Release everything that is open; never raises."""


class FilesDelivery:
    """One output's rows as files of `store`."""

    def __init__(self, store: ResultStore, identity: str, fields: Mapping[str, str], layout: ResultLayout) -> None:
        """Raise `AdapterError` if a field has the name of one of our columns."""
        self._store = store
        self._identity = identity
        self._layout = layout
        self._content = ResultContent(fields_of(fields), layout, identity)
        self._mark: DeliveredMark | None = None

    @property
    def mark_name(self) -> str:
        """The name of the mark: inputs that read the folder skip names with this prefix."""
        return f"_punctual-{self._identity}.json"

    def delivered(self) -> int | None:
        """Return the number of the last complete batch. Raises `AdapterError`."""
        found = self._store.read_mark(self.mark_name)
        mark = DeliveredMark(delivered=None, layout=self._layout.name) if found is None else self._read(found)
        if found is not None and mark.layout != self._layout.name:
            self._remove_after(mark.delivered)
        if found is None or mark.layout != self._layout.name:
            mark = self._write(mark.delivered)  # before the first file, so that a later layout knows about this one
        self._mark = mark
        return mark.delivered

    def deliver(self, batches: Sequence[DeliveryBatch]) -> None:
        """Put the files of all batches, then write the mark. Raises `AdapterError`."""
        mark = self._mark
        if mark is None:
            self.delivered()
            mark = self._mark
        last = None if mark is None else mark.delivered
        if last is not None and last >= batches[0].number:
            raise AdapterError("Another process delivers the same batches.", domain="external")
        if not any(batch.rows for batch in batches):
            return  # an unstored number is delivered again, and has no rows then either
        for batch in batches:
            for file in self._content.files(batch):
                self._store.put(file.name, file.content)
        self._mark = self._write(batches[-1].number)

    def delivered_rows(self, limit: int, before: str | None) -> DeliveredPage:
        """The rows of the complete batches, newest days and batches first. Raises `AdapterError`."""
        found = self._store.read_mark(self.mark_name)
        last = None if found is None else self._read(found).delivered
        if last is None:
            return DeliveredPage([], None)
        return read_back(self._store, (self._identity, last), limit, before)

    def check(self) -> None:
        """Try everything that the first delivery needs. Raises `AdapterError`, which says what failed."""
        found = self._store.read_mark(self.mark_name)
        if found is not None:
            self._read(found)
        self._store.check()

    def close(self) -> None:
        """Release everything that is open; never raises."""
        with suppress(Exception):
            self._store.close()

    def _read(self, content: bytes) -> DeliveredMark:
        try:
            return DeliveredMark.model_validate_json(content)
        except ValidationError:
            raise AdapterError(
                f"The file {self.mark_name}, which records the last delivered batch, is damaged. Restore it, or "
                "deliver to another folder."
            ) from None

    def _write(self, delivered: int | None) -> DeliveredMark:
        mark = DeliveredMark(delivered=delivered, layout=self._layout.name)
        self._store.write_mark(self.mark_name, mark.model_dump_json().encode())
        return mark

    def _remove_after(self, delivered: int | None) -> None:
        """Remove files that an interrupted attempt left in another layout."""
        last = -1 if delivered is None else delivered
        for name in self._store.names():
            found = result_name(name.rpartition("/")[2])
            if found is not None and found.identity == self._identity and found.number > last:
                self._store.remove(name)
