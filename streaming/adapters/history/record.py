"""The record of a seam: the places at which live begins, and the end of history, once they are known."""

from typing import Final

import pyarrow as pa
from pydantic import Field

from streaming.adapters.contract import Position
from streaming.storage.blobs import BlobFolder
from streaming.wire.message import Message

_FILE: Final = "seam.json"
_IDS: Final = "ids.arrow"


class SeamRecord(Message):
    """`places`: where live begins, by lane. `end`: the number of rows of history; null until all of it was read."""

    places: dict[str, Position] = Field(default_factory=dict)
    end: Position | None = None


class SeamStore:
    """Stores the record of one input in a folder next to the journals of its adapters. Only the planner writes it."""

    def __init__(self, folder: BlobFolder) -> None:
        self._folder = folder
        self._ended: SeamRecord | None = None
        self._ids: pa.Array | None = None

    def read(self) -> SeamRecord | None:
        """Return the record; None before the first batch. Raises `OSError`."""
        if self._ended is not None:
            return self._ended  # it changes no more
        content = self._folder.read(_FILE)
        record = None if content is None else SeamRecord.model_validate_json(content)
        if record is not None and record.end is not None:
            self._ended = record
        return record

    def write(self, record: SeamRecord) -> SeamRecord:
        """Store and return `record`. Raises `OSError`."""
        self._folder.write(_FILE, record.model_dump_json().encode())
        return record

    def ids(self) -> pa.Array:
        """Return the ids that history had. Raises `OSError`, `LookupError` before they are stored."""
        if self._ids is None:
            content = self._folder.read(_IDS)
            if content is None:
                raise LookupError("the ids of the history are not stored")
            with pa.ipc.open_stream(content) as reader:
                self._ids = reader.read_all().column("id").combine_chunks()
        return self._ids

    def write_ids(self, ids: pa.Array) -> None:
        """Store the ids that history had. Raises `OSError`."""
        sink = pa.BufferOutputStream()
        table = pa.table({"id": ids})
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        self._folder.write(_IDS, sink.getvalue().to_pybytes())
