"""Tables as bytes: Arrow IPC streams with a word or two of metadata. The same table, the same bytes."""

from collections.abc import Mapping
from typing import Final

import pyarrow as pa

_AS_IT_IS: Final = pa.ipc.IpcWriteOptions()
"""Without options pyarrow looks into the environment for every table, which costs as much as writing a small one."""


def to_bytes(table: pa.Table, metadata: Mapping[str, str] | None = None) -> bytes:
    """`table` as an Arrow IPC stream, `metadata` in its schema."""
    table = table.replace_schema_metadata(dict(metadata) if metadata else None)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=_AS_IT_IS) as writer:
        writer.write_table(table)
    written: bytes = sink.getvalue().to_pybytes()
    return written


def from_bytes(chunk: bytes) -> pa.Table:
    """The table that `to_bytes` wrote, without copying its columns."""
    return pa.ipc.open_stream(chunk).read_all()


def metadata_of(table: pa.Table, key: str) -> str:
    """One word of metadata; KeyError when it is absent."""
    metadata: dict[bytes, bytes] = table.schema.metadata or {}
    return metadata[key.encode()].decode()
