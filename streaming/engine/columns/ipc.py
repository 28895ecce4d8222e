"""Tables as bytes: Arrow IPC streams with a word or two of metadata. The same table, the same bytes."""

from collections.abc import Mapping
from typing import Final

import pyarrow as pa

_AS_IT_IS: Final = pa.ipc.IpcWriteOptions()
"""Without options pyarrow reads the environment for every table, which costs as much as writing a small one."""
_COMPRESSED: Final = pa.ipc.IpcWriteOptions(compression=pa.Codec("zstd", 1), use_threads=False)
_LARGE: Final = 1 << 16
_MANY_ROWS: Final = 1 << 10


def to_bytes(table: pa.Table, metadata: Mapping[str, str] | None = None) -> bytes:
    """`table` as an Arrow IPC stream, `metadata` in its schema."""
    return _written(table, metadata, _AS_IT_IS)


def to_chunk(table: pa.Table, metadata: Mapping[str, str] | None = None) -> bytes:
    """Write as `to_bytes`, for an envelope: large tables are compressed, because each MB costs the JVM about 50 ms.

    A table with few rows is written to find its size: asking Arrow takes as long.
    """
    if table.num_rows >= _MANY_ROWS:
        return _written(table, metadata, _AS_IT_IS if table.nbytes < _LARGE else _COMPRESSED)
    plain = _written(table, metadata, _AS_IT_IS)
    return plain if len(plain) < _LARGE else _written(table, metadata, _COMPRESSED)


def _written(table: pa.Table, metadata: Mapping[str, str] | None, options: pa.ipc.IpcWriteOptions) -> bytes:
    table = table.replace_schema_metadata(dict(metadata) if metadata else None)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    written: bytes = sink.getvalue().to_pybytes()
    return written


def from_bytes(chunk: bytes | memoryview) -> pa.Table:
    """The table that `to_bytes` or `to_chunk` wrote, without copying columns that are not compressed."""
    return pa.ipc.open_stream(chunk).read_all()


def has_metadata(table: pa.Table, key: str) -> bool:
    """Return true if the metadata contain `key`."""
    return key.encode() in (table.schema.metadata or {})


def metadata_of(table: pa.Table, key: str) -> str:
    """Return one word of metadata; raises KeyError if it is absent."""
    metadata: dict[bytes, bytes] = table.schema.metadata or {}
    return metadata[key.encode()].decode()
