"""Frames of pandas, polars and Arrow, which are imported only where they are used."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from ..outcomes import CommandFailure, ExitCode
from .things import ticks

if TYPE_CHECKING:
    import polars
    import pyarrow

_MISSING: Final = frozenset({"NaTType", "NAType"})
"""Types with which pandas marks missing values."""
_TOKEN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[<>(),:]")

_SCALARS: Final = {"long": "int64", "double": "float64", "boolean": "bool", "string": "string", "timestamp": ""}
"""The Arrow type of each type without parts; that of times has a zone."""


def rows_of(rows: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a frame, of an Arrow table, or of mappings; a missing value, also NaN, is null."""
    return map(_present, _each_row(rows))


def _each_row(rows: Any) -> Iterator[Mapping[str, Any]]:
    if hasattr(rows, "to_pylist"):  # Arrow
        yield from rows.to_pylist()
    elif hasattr(rows, "iter_rows"):  # polars
        yield from rows.iter_rows(named=True)
    elif hasattr(rows, "itertuples"):  # pandas
        names = [str(name) for name in rows.columns]
        for values in rows.itertuples(index=False, name=None):
            yield dict(zip(names, values, strict=True))
    else:
        yield from rows


def _present(value: Any) -> Any:
    """Return a value, or None for a missing one, without the types of NumPy; the same inside lists and mappings."""
    kind = type(value).__name__
    if kind == "datetime64":  # of NumPy: its `item` may be a number of nanoseconds
        return None if str(value) == "NaT" else str(value)
    if isinstance(value, list | tuple) or kind == "ndarray":
        return [_present(each) for each in value]
    if isinstance(value, Mapping):
        return {name: _present(each) for name, each in value.items()}
    if isinstance(value, Decimal) and not value.is_finite():
        return None if value.is_nan() else float(value)
    is_numpy = hasattr(value, "item") and kind != "timedelta64"  # whose `item` may be a number too
    plain = value.item() if is_numpy else value
    is_missing = kind in _MISSING or (isinstance(plain, float) and math.isnan(plain))
    return None if is_missing else plain


def json_line(number: int, row: Any) -> str:
    """Return row `number` (from 1) as a line of JSON. Raises `ValueError` for an infinite number."""
    try:
        return to_json(row)
    except ValueError:
        where = f"column {_infinite(row)!r}" if isinstance(row, Mapping) else "row"
        raise ValueError(
            f"Row {number}: the {where} has an infinite number, which JSON can't carry. Replace it with a finite one, "
            "or with None."
        ) from None


def to_json(value: Any) -> str:
    """Return JSON with times as ISO text and decimals as text. Raises `ValueError` for an infinite number."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=plain)


def _infinite(row: Mapping[str, Any]) -> str:
    """Return the name of the first column that isn't JSON."""
    for name, value in row.items():
        try:
            to_json(value)
        except ValueError:
            return str(name)
    raise AssertionError("the row isn't JSON because a value isn't")


def plain(value: Any) -> Any:
    """Return the form in JSON of a time or of a decimal. Raises `TypeError` for any other value."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f"A value of the type {type(value).__name__} can't be sent.")


class ResultFrame:
    """Results as a whole file: Arrow columns with the types of the output, times in UTC."""

    def __init__(self, content: bytes) -> None:
        """Take an Arrow IPC stream."""
        self._content = content

    def arrow(self) -> "pyarrow.Table":
        """Return the rows as an Arrow table. Needs pyarrow."""
        import pyarrow

        return pyarrow.ipc.open_stream(self._content).read_all()

    def pandas(self) -> Any:
        """Return the rows as a pandas frame whose columns keep their Arrow types. Needs pandas and pyarrow."""
        import pandas  # type: ignore[import-untyped]  # it has no types of its own

        return self.arrow().to_pandas(types_mapper=pandas.ArrowDtype)

    def polars(self) -> "polars.DataFrame":
        """Return the rows as a polars frame. Needs polars."""
        import polars

        return polars.read_ipc_stream(self._content)

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows as mappings. Needs pyarrow."""
        found: list[dict[str, Any]] = self.arrow().to_pylist()
        return found

    @classmethod
    def of_rows(cls, types: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> "ResultFrame":
        """Take rows as JSON has them: texts of decimals, times as ISO text or ticks. Needs pyarrow.

        `types` are those of the columns in order, for example `decimal(10,2)` or `array<struct<at: timestamp>>`.
        """
        import pyarrow

        schema = pyarrow.schema([(name, _ArrowTypes(text).next()) for name, text in types.items()])
        columns = [[_exact(row.get(each.name), each.type) for row in rows] for each in schema]
        arrays = [pyarrow.array(column, each.type) for column, each in zip(columns, schema, strict=True)]
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, schema) as writer:
            writer.write_table(pyarrow.table(arrays, schema=schema))
        return cls(sink.getvalue().to_pybytes())


class _ArrowTypes:
    """Reads the text of a type in its canonical form."""

    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.findall(text)[::-1]

    def next(self) -> Any:
        """Return the Arrow type of the next words."""
        import pyarrow

        word = self._tokens.pop()
        if word == "decimal":
            _, precision, _, scale, _ = (self._tokens.pop() for _ in range(5))
            return pyarrow.decimal128(int(precision), int(scale))
        if word == "array":
            [element] = self._inside()
            return pyarrow.list_(element)
        if word == "struct":
            return pyarrow.struct(self._inside())
        if word not in _SCALARS:
            raise CommandFailure(
                ExitCode.NO_SERVER, f"This client doesn't know the type {word!r}. Install a newer one."
            )
        return pyarrow.timestamp("us", "UTC") if word == "timestamp" else pyarrow.type_for_alias(_SCALARS[word])

    def _inside(self) -> list[Any]:
        """Return the types between angle brackets, of a struct as pairs with their names."""
        parts: list[Any] = []
        while self._tokens.pop() != ">":
            is_named = self._tokens[-2] == ":"
            name = self._tokens.pop() if is_named else None
            if is_named:
                self._tokens.pop()
            parts.append((name, self.next()) if is_named else self.next())
        return parts


def _exact(value: Any, of: Any) -> Any:
    """Return a value of JSON as the Arrow type takes it, with all its digits."""
    import pyarrow

    kind = pyarrow.types
    if value is None:
        exact = None
    elif kind.is_timestamp(of):
        exact = ticks(value) if isinstance(value, str) else value
    elif kind.is_decimal(of):
        exact = Decimal(str(value))
    elif kind.is_floating(of):
        exact = float(value)
    elif kind.is_list(of):
        exact = [_exact(each, of.value_type) for each in value]
    elif kind.is_struct(of):
        exact = {each.name: _exact(value.get(each.name), each.type) for each in of}
    else:
        exact = value
    return exact
