"""Brings batches to a folder of files, each row once.

A file's name says day, batch and output, so that a batch that is brought again writes the same files. The mark beside
them says which batch arrived last: it is written when all files of its batch are there. What a crash leaves in between
is overwritten by the next attempt; only where the layout is another one by then, so that the names are too, are the
files behind the mark looked up and removed.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from pydantic import ValidationError

from streaming.adapters.contract import AdapterError, DeliveredPage, DeliveryBatch
from streaming.adapters.file.found import FoundFile
from streaming.adapters.result_files.content import ResultContent, ResultLayout
from streaming.adapters.result_files.reading import read_back, result_name
from streaming.definition.strict import Strict
from streaming.wire.arrow_types import fields_of


class DeliveredMark(Strict):
    """The mark: the number of the last batch that is there whole, and the layout of what is written from then on."""

    delivered: int | None
    layout: str


class ResultStore(Protocol):
    """A folder of files: each is there whole or not at all, and one that is put again replaces the one before."""

    def put(self, name: str, content: bytes) -> None:
        """Put a file. Raises `AdapterError`."""

    def folders(self) -> Sequence[str]:
        """The folders right below, without slashes, and the empty name of what lies in none. Raises `AdapterError`."""

    def files(self, folder: str) -> Sequence[FoundFile]:
        """The files in a folder, not those in folders of it. Raises `AdapterError`."""

    def names(self) -> Iterator[str]:
        """The names of all files, at any depth; the mark's may be among them. Raises `AdapterError`."""

    def remove(self, name: str) -> None:
        """Remove a file, if it is there. Raises `AdapterError`."""

    def read_mark(self, name: str) -> bytes | None:
        """The mark, None where there is none yet. Raises `AdapterError`."""

    def write_mark(self, name: str, content: bytes) -> None:
        """Replace the mark, as long as it is the one that was read or written last. Raises `AdapterError`."""

    def check(self) -> None:
        """Try whether files can be put and removed. Raises `AdapterError`."""

    def close(self) -> None:
        """Let go of what is open; never raises."""


class FilesDelivery:
    """One output's rows as files of `store`."""

    def __init__(self, store: ResultStore, identity: str, fields: Mapping[str, str], layout: ResultLayout) -> None:
        """Raise `AdapterError` where a field has the name of a column of ours."""
        self._store = store
        self._identity = identity
        self._layout = layout
        self._content = ResultContent(fields_of(fields), layout, identity)
        self._mark: DeliveredMark | None = None

    @property
    def mark_name(self) -> str:
        """The name of the mark: inputs that read the folder pass by names that begin so."""
        return f"_punctual-{self._identity}.json"

    def delivered(self) -> int | None:
        """The number of the last batch that is there whole. Raises `AdapterError`."""
        found = self._store.read_mark(self.mark_name)
        mark = DeliveredMark(delivered=None, layout=self._layout.name) if found is None else self._read(found)
        if found is not None and mark.layout != self._layout.name:
            self._remove_behind(mark.delivered)
        if found is None or mark.layout != self._layout.name:
            mark = self._write(mark.delivered)  # before the first file: by it a later layout knows of this one
        self._mark = mark
        return mark.delivered

    def deliver(self, batches: Sequence[DeliveryBatch]) -> None:
        """Put the files of all batches, then say so. Raises `AdapterError`."""
        mark = self._mark
        if mark is None:
            self.delivered()
            mark = self._mark
        last = None if mark is None else mark.delivered
        if last is not None and last >= batches[0].number:
            raise AdapterError("Another process delivers the same batches.", domain="external")
        if not any(batch.rows for batch in batches):
            return  # a number that is not stored is asked for again, and has no rows then either
        for batch in batches:
            for file in self._content.files(batch):
                self._store.put(file.name, file.content)
        self._mark = self._write(batches[-1].number)

    def delivered_rows(self, limit: int, before: str | None) -> DeliveredPage:
        """The rows of the batches that are there whole, newest days and batches first. Raises `AdapterError`."""
        found = self._store.read_mark(self.mark_name)
        last = None if found is None else self._read(found).delivered
        if last is None:
            return DeliveredPage([], None)
        return read_back(self._store, (self._identity, last), limit, before)

    def check(self) -> None:
        """Try what the first delivery needs. Raises `AdapterError`, which says what failed."""
        found = self._store.read_mark(self.mark_name)
        if found is not None:
            self._read(found)
        self._store.check()

    def close(self) -> None:
        """Let go of what is open; never raises."""
        with suppress(Exception):
            self._store.close()

    def _read(self, content: bytes) -> DeliveredMark:
        try:
            return DeliveredMark.model_validate_json(content)
        except ValidationError:
            raise AdapterError(
                f"The file {self.mark_name}, which says how far the results have come, is damaged. Put back the one "
                "there was, or deliver to another folder."
            ) from None

    def _write(self, delivered: int | None) -> DeliveredMark:
        mark = DeliveredMark(delivered=delivered, layout=self._layout.name)
        self._store.write_mark(self.mark_name, mark.model_dump_json().encode())
        return mark

    def _remove_behind(self, delivered: int | None) -> None:
        """Remove what an interrupted attempt left in another layout."""
        behind = -1 if delivered is None else delivered
        for name in self._store.names():
            found = result_name(name.rpartition("/")[2])
            if found is not None and found.identity == self._identity and found.number > behind:
                self._store.remove(name)
