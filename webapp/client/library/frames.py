"""Frames of pandas, polars and Arrow, which are imported only where they are used."""

import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import polars
    import pyarrow

_MISSING: Final = frozenset({"NaTType", "NAType"})
"""Types with which pandas marks missing values."""


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
