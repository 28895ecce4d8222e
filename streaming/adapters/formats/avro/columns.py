"""Reads many values of one Avro schema at once: one field of every value, then the next, each within its own bytes.

For schemas of plain fields; if one body does not fit, the caller reads the stretch in another way. The results equal
those of `avro`, value for value (tests/adapters/kafka/formats).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.adapters.formats.avro.schemas import AvroSchema
from streaming.adapters.times.columns import Bools
from streaming.wire.rows.arrived import Int64s

_PLAIN: Final = frozenset({"boolean", "int", "long", "float", "double", "string"})
_MOMENTS: Final = {"punctual-ms": 1_000, "punctual-us": 1}
_WIDTH: Final = {"float": 4, "double": 8}
_MOST_VARINT: Final = 10
_MOST_MS: Final = 2**53
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class ColumnStep:
    """One field: its type, the null branch of its union (None: no union), and the ticks in one unit of a moment."""

    name: str
    of: str
    null: int | None = None
    moment: int | None = None
    symbols: tuple[str, ...] = ()


class _Misfit(Exception):
    """One of the bodies must be read separately."""


def column_plan(schema: AvroSchema) -> tuple[ColumnStep, ...] | None:
    """The steps for a record of plain fields; None for any other schema."""
    if not isinstance(schema.root, Mapping) or schema.root["type"] != "record":
        return None
    steps = [_step(each["name"], each["type"]) for each in schema.root["fields"]]
    return None if None in steps else tuple(step for step in steps if step is not None)


def _step(name: str, of: Any) -> ColumnStep | None:
    null = None
    if isinstance(of, list):
        if len(of) != 2 or "null" not in of:
            return None
        null = of.index("null")
        of = of[1 - null]
    if isinstance(of, Mapping) and of["type"] in _PLAIN and "logicalType" not in of:
        of = of["type"]
    if isinstance(of, str):
        return ColumnStep(name, of, null) if of in _PLAIN else None
    if of.get("type") == "enum":
        return ColumnStep(name, "enum", null, symbols=tuple(of["symbols"]))
    moment = _MOMENTS.get(of.get("logicalType", ""))
    return None if moment is None else ColumnStep(name, "long", null, moment)


def read_columns(
    steps: Sequence[ColumnStep], bodies: Sequence[bytes], names: Sequence[str]
) -> Mapping[str, pa.Array] | None:
    """The columns `names` of all bodies, null where no step has the name; None if a body does not fit."""
    reader = _Bodies(bodies)
    found: dict[str, pa.Array] = {}
    try:
        for step in steps:
            column = reader.column(step, wanted=step.name in names)
            if column is not None:
                found[step.name] = column
        reader.require_end()
    except _Misfit:
        return None
    return {name: found[name] if name in found else pa.nulls(len(bodies)) for name in names}


class _Bodies:
    """All bodies joined together, and how far each was read."""

    def __init__(self, bodies: Sequence[bytes]) -> None:
        sizes = np.fromiter(map(len, bodies), np.int64, len(bodies))
        self._ends = np.cumsum(sizes)
        self._at = self._ends - sizes
        # Padding: reads after the end of the last body stay inside the array.
        self._data: Bytes = np.frombuffer(b"".join(bodies) + bytes(16), dtype=np.uint8)

    def require_end(self) -> None:
        """Refuse bodies with data after the last field."""
        if not (self._at == self._ends).all():
            raise _Misfit

    def column(self, step: ColumnStep, *, wanted: bool) -> pa.Array | None:
        """Read the field of every body that has it; return the column if it is `wanted`."""
        there = None if step.null is None else self._branch(step.null)
        read = {"boolean": self._booleans, "string": self._strings, "float": self._floats, "double": self._floats}
        if step.of in read:
            return read[step.of](step, there, wanted)
        values = self._varints(there)
        if step.of == "enum":
            return self._symbols(step, values, there)
        if step.of == "int" and _beyond(values, 2**31):
            raise _Misfit
        return self._longs(step, values, there)

    def _longs(self, step: ColumnStep, values: Int64s, there: Bools | None) -> pa.Array:
        if step.moment is None:
            return pa.array(values, mask=_lacking(there))
        if step.moment > 1 and _beyond(values, _MOST_MS):
            raise _Misfit
        return pa.array(values * step.moment, mask=_lacking(there)).cast(pa.timestamp("us", "UTC"))

    def _branch(self, null: int) -> Bools:
        branch = self._varints(None)
        if not ((branch == 0) | (branch == 1)).all():
            raise _Misfit
        found: Bools = branch != null
        return found

    def _taken(self, count: "Int64s | int", there: Bools | None) -> Int64s:
        """Consume the next `count` bytes of each body that has the field; return their start."""
        begin = self._at if there is None else self._at[there]
        end = begin + count
        if (end > (self._ends if there is None else self._ends[there])).any():
            raise _Misfit
        if there is None:
            self._at = end
        else:
            self._at = self._at.copy()
            self._at[there] = end
        return begin

    def _varints(self, there: Bools | None) -> Int64s:
        """Whole numbers; zero where the field is absent."""
        at = self._at if there is None else self._at[there]
        count = len(at)
        found = np.zeros(count, dtype=np.uint64)
        lengths = np.ones(count, dtype=np.int64)
        open_rows: Int64s | None = None  # None: all
        for index in range(_MOST_VARINT):
            places = at + index if open_rows is None else at[open_rows] + index
            byte = self._data[np.minimum(places, len(self._data) - 1)]
            bits = (byte & 0x7F).astype(np.uint64) << np.uint64(7 * index)
            if index == _MOST_VARINT - 1 and (byte > 1).any():
                raise _Misfit
            if open_rows is None:
                found |= bits
            else:
                found[open_rows] |= bits
                lengths[open_rows] = index + 1
            more = np.flatnonzero(byte & 0x80)
            if not len(more):
                break
            open_rows = more if open_rows is None else open_rows[more]
        self._taken(lengths, there)
        values = (found >> np.uint64(1)).astype(np.int64) ^ -(found & np.uint64(1)).astype(np.int64)
        spread: Int64s = _spread(values, there)
        return spread

    def _booleans(self, _: ColumnStep, there: Bools | None, wanted: bool) -> pa.Array | None:
        byte = self._data[self._taken(1, there)]
        if (byte > 1).any():
            raise _Misfit
        return pa.array(_spread(byte == 1, there), mask=_lacking(there)) if wanted else None

    def _floats(self, step: ColumnStep, there: Bools | None, wanted: bool) -> pa.Array | None:
        width = _WIDTH[step.of]
        begin = self._taken(width, there)
        if not wanted:
            return None
        raw = self._data[begin[:, None] + np.arange(width)]
        values = np.ascontiguousarray(raw).view("<f4" if width == 4 else "<f8")[:, 0].astype(np.float64)
        return pa.array(_spread(values, there), mask=_lacking(there))

    def _strings(self, _: ColumnStep, there: Bools | None, wanted: bool) -> pa.Array | None:
        lengths = self._varints(there)
        if (lengths < 0).any() or int(lengths.max(initial=0)) > len(self._data):
            raise _Misfit
        begin = self._taken(lengths if there is None else lengths[there], there)
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        if offsets[-1] > 2**31 - 1:
            raise _Misfit
        sizes = lengths if there is None else lengths[there]
        places = np.repeat(begin - np.concatenate(([0], np.cumsum(sizes)[:-1])), sizes) + np.arange(offsets[-1])
        content = pa.py_buffer(self._data[places].tobytes())
        lacking = _lacking(there)
        valid = None if lacking is None else pa.array(~lacking).buffers()[1]
        column = pa.Array.from_buffers(
            pa.string(), len(lengths), [valid, pa.py_buffer(offsets.astype(np.int32).tobytes()), content]
        )
        try:
            column.validate(full=True)  # unwanted columns must be valid Unicode too
        except pa.ArrowInvalid:
            raise _Misfit from None
        return column if wanted else None

    def _symbols(self, step: ColumnStep, values: Int64s, there: Bools | None) -> pa.Array:
        if (values < 0).any() or (values >= len(step.symbols)).any():
            raise _Misfit
        return pa.array(step.symbols, pa.string()).take(pa.array(values, mask=_lacking(there)))


def _beyond(values: Int64s, most: int) -> bool:
    """Return True if a value is outside the range from -`most` to `most` - 1."""
    return bool(((values < -most) | (values >= most)).any())


def _spread(values: Any, there: Bools | None) -> Any:
    """The values in the rows marked by `there`, zero elsewhere."""
    if there is None:
        return values
    found = np.zeros(len(there), dtype=values.dtype)
    found[there] = values
    return found


def _lacking(there: Bools | None) -> Bools | None:
    return None if there is None else ~there
