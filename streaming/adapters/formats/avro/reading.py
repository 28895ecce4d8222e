"""Values in Avro's binary form, read with the schema of their writer, and resolved to another schema if asked.

Uses fastavro with our own logical types, so that its results have the types described in `values`. Its compiled reader
recurses on the machine's stack without limit (a linked list of a megabyte ends the process). Recursive schemas are
therefore read by its Python reader, which raises `RecursionError`.
"""

import base64
import io
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal, InvalidOperation
from typing import Any, Final
from uuid import UUID

from streaming.adapters.formats.avro.columns import column_plan, read_columns
from streaming.adapters.formats.avro.schemas import BYTES, AvroSchema
from streaming.adapters.formats.values import TICKS_PER_DAY, Unreadable
from streaming.adapters.times.columns import KnownTick
from streaming.definition.counts import counted

_EXACT: Final = Context(prec=10_000)
Converts = Callable[[Any, Any, Any], Any]


def _decimal(data: bytes, writer: Any, _: Any = None) -> Decimal:
    return Decimal(int.from_bytes(data, "big", signed=True)).scaleb(-int(writer.get("scale", 0)), _EXACT)


_CONVERTS: Final[dict[str, Converts]] = {
    "long-punctual-ms": lambda data, *_: KnownTick(data * 1_000),
    "long-punctual-us": lambda data, *_: KnownTick(data),
    "long-punctual-ns": lambda data, *_: KnownTick(data // 1_000),
    "int-punctual-days": lambda data, *_: KnownTick(data * TICKS_PER_DAY),
    f"bytes-{BYTES}": lambda data, *_: base64.b64encode(data).decode(),
    f"fixed-{BYTES}": lambda data, *_: base64.b64encode(data).decode(),
    "bytes-punctual-decimal": _decimal,
    "fixed-punctual-decimal": _decimal,
    "fixed-punctual-uuid": lambda data, *_: str(UUID(bytes=data)),
}
_MALFORMED: Final = (EOFError, LookupError, ValueError, TypeError, ArithmeticError, InvalidOperation)


class AvroReader:
    """Reads values written with `writer`; `reader`, if set, determines the fields, defaults and aliases."""

    def __init__(self, writer: AvroSchema, reader: AvroSchema | None = None) -> None:
        from fastavro.schema import parse_schema

        self.writer = writer
        self.reader = reader
        self._writer = parse_schema(writer.root)
        self._reader = None if reader is None else parse_schema(reader.root)
        self.names = (writer if reader is None else reader).names
        self._columns = None if reader is not None else column_plan(writer)
        self._read = _reading(recursive=writer.recursive or (reader is not None and reader.recursive))

    def read(self, body: bytes) -> Any:
        """Return the value; `Unreadable` if the bytes do not fit the schema, or continue after the value."""
        from fastavro.read import SchemaResolutionError

        stream = io.BytesIO(body)
        try:
            found = self._read(stream, self._writer, self._reader)
        except RecursionError:
            return Unreadable("The message is nested too deeply.")
        except SchemaResolutionError as error:
            return Unreadable(f"The schema that the message was written with does not fit the reader's schema: {error}")
        except _MALFORMED as error:
            return Unreadable(f"The message does not fit its Avro schema ({type(error).__name__}: {error}).")
        if stream.tell() != len(body):
            more = counted(len(body) - stream.tell(), "byte")
            return Unreadable(f"The message has {more} after its Avro value.")
        return found

    def columns(self, bodies: Sequence[bytes], names: Sequence[str]) -> Mapping[str, Any] | None:
        """The columns `names`, null if the schema has no such field; None if bodies must be checked one by one."""
        if self._columns is not None:
            return read_columns(self._columns, bodies, names)
        records = [self.read(each) for each in bodies]
        if any(isinstance(each, Unreadable) for each in records):
            return None
        return {name: [each.get(name) for each in records] for name in names}


def _reading(*, recursive: bool) -> Callable[[io.BytesIO, Any, Any], Any]:
    import fastavro._read_py
    import fastavro.read

    fastavro.read.LOGICAL_READERS.update(_CONVERTS)  # shared by both readers
    return fastavro._read_py.schemaless_reader if recursive else fastavro.read.schemaless_reader
