"""Rows of results as the points of a chart: a group-by whose measures are exact and rounded at most once."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from streaming.adapters.result_json import written_time
from streaming.definition.payload.types import (
    DOUBLE,
    LONG,
    MAX_PRECISION,
    Array,
    DecimalOf,
    Double,
    Long,
    Struct,
    Timestamp,
    Type,
    is_numeric,
)
from streaming.definition.strict import Strict
from streaming.reference.aggregates.values import rounded
from streaming.reference.expressions.numbers import OperationFailure
from webapp.boards.charts import Measure
from webapp.monitoring.exporting.columns import ExportColumn, Values, exact_values
from webapp.monitoring.exporting.problems import ExportProblem

MOST_CELLS: Final = 200_000
"""Points before they are reduced for display."""
MEAN_DIGITS: Final = 4
"""Digits that the mean of decimals has in addition, as in `avg`."""
Key = tuple[Any, Any]
"""The position and the group of a point, exact; None: null."""


@dataclass(frozen=True)
class ChartShape:
    """The columns of a chart: `x` (None: a single value), `group`, and `of` the measure; `bucket` in ticks."""

    measure: Measure
    x: ExportColumn | None
    group: ExportColumn | None
    of: ExportColumn | None
    bucket: int | None

    @property
    def is_time(self) -> bool:
        """Return whether the points are at times."""
        return self.x is not None and isinstance(self.x.of, Timestamp)

    @property
    def type(self) -> Type:
        """Return the type of the measure's values; a sum of decimals or longs has as many digits as it needs."""
        of = LONG if self.of is None or self.measure == "count" else self.of.of
        if self.measure != "mean":
            return of
        if isinstance(of, DecimalOf):
            return DecimalOf(MAX_PRECISION, min(of.scale + MEAN_DIGITS, MAX_PRECISION))
        return DOUBLE


class ChartPoint(Strict):
    """A point: its tick `at` or its `category` (null: no value, or not of this axis), and its `group`.

    `value` is exact text, null without a value in its rows. `rows` are the rows of it, `provisional` those of them that
    can still change, `undecided` those for which that isn't known, `repaired` those that a repair added, `incomplete`
    those that may lack input. `dropped` counts the dropped rows that belonged to these rows, once for each; null: not
    known.
    """

    at: int | None
    category: str | None
    group: str | None
    value: str | None
    rows: int
    provisional: int
    undecided: int
    repaired: int
    incomplete: int
    dropped: int | None


@dataclass
class _Cell:
    measured: "_PointValues"
    rows: int = 0
    provisional: int = 0
    undecided: int = 0
    repaired: int = 0
    incomplete: int = 0
    dropped: int = 0


@dataclass
class _PointValues:
    """The values of a point so far: the `best` of them, and their sum as numerators by denominator."""

    count: int = 0
    best: Any = None
    parts: dict[int, int] = field(default_factory=dict)

    def result(self, shape: ChartShape) -> Any:
        """Return the measure; None without a value. Raises `OperationFailure`."""
        if shape.measure == "count":
            return self.count
        if not self.count or shape.measure in ("min", "max"):
            return self.best
        total = sum((Fraction(part, under) for under, part in self.parts.items()), Fraction())
        if shape.measure == "mean":
            return rounded(total / self.count, shape.type)
        return rounded(total, DOUBLE) if shape.type == DOUBLE else total


class ChartFold:
    """Collects rows into the cells of a chart; the columns of the rows are `columns`."""

    def __init__(self, shape: ChartShape, columns: Sequence[ExportColumn]) -> None:
        """Raises `ExportProblem` for a measure of a column without numbers, or a position without single values."""
        names = [column.name for column in columns]
        _check(shape)
        self._shape = shape
        self._places = [None if each is None else names.index(each.name) for each in (shape.x, shape.group, shape.of)]
        self._state = {name: len(names) - 4 + index for index, name in enumerate(_STATE)}
        self._cells: dict[Key, _Cell] = {}
        self.rows = 0

    def add(self, values: Values, dropped: int = 0) -> None:
        """Add a row, with the number of dropped rows that belonged to it. Raises `ExportProblem`, `ValueError`."""
        key = (self._position(values), self._value(values, 1))
        cell = self._cells.get(key)
        if cell is None:
            if len(self._cells) == MOST_CELLS:
                raise ExportProblem(
                    f"This chart would have more than {MOST_CELLS:,} points.",
                    "Choose a longer bucket, a shorter range, or columns with fewer values.",
                )
            cell = self._cells[key] = _Cell(_PointValues())
        self.rows += 1
        cell.rows += 1
        final = values[self._state["final"]]
        cell.provisional += final is False
        cell.undecided += final is None
        cell.repaired += bool(values[self._state["repaired"]])
        cell.incomplete += values[self._state["incomplete"]] is not None
        cell.dropped += dropped
        self._measure(cell.measured, values)

    def points(self, *, dropped_known: bool) -> list[ChartPoint]:
        """Return the points in order of position and group, null last. Raises `ExportProblem`."""
        ordered = sorted(self._cells, key=lambda key: tuple(_order(each) for each in key))
        return [self._point(key, self._cells[key], dropped_known=dropped_known) for key in ordered]

    def _position(self, values: Values) -> Any:
        value = self._value(values, 0)
        bucket = self._shape.bucket
        return value if bucket is None or value is None else value // bucket * bucket

    def _value(self, values: Values, which: int) -> Any:
        """Return the exact value of the column: 0 the position, 1 the group, 2 the measured one."""
        place = self._places[which]
        if place is None or values[place] is None:
            return None
        column = (self._shape.x, self._shape.group, self._shape.of)[which]
        assert column is not None  # nosec B101 # it has a place
        return exact_values([values[place]], column.of)[0]

    def _measure(self, measured: _PointValues, values: Values) -> None:
        shape = self._shape
        value = self._value(values, 2)
        if shape.of is not None and value is None:
            return
        measured.count += 1
        if shape.measure == "count":
            return
        if shape.measure in ("min", "max"):
            better = min if shape.measure == "min" else max
            measured.best = value if measured.best is None else better(measured.best, value)
            return
        part, under = value.as_integer_ratio()
        measured.parts[under] = measured.parts.get(under, 0) + part

    def _point(self, key: Key, cell: _Cell, *, dropped_known: bool) -> ChartPoint:
        shape = self._shape
        position, group = key
        return ChartPoint(
            at=position if shape.is_time else None,
            category=None if shape.x is None or shape.is_time else _text(position, shape.x.of),
            group=None if shape.group is None else _text(group, shape.group.of),
            value=self._written(cell.measured),
            rows=cell.rows,
            provisional=cell.provisional,
            undecided=cell.undecided,
            repaired=cell.repaired,
            incomplete=cell.incomplete,
            dropped=cell.dropped if dropped_known else None,
        )

    def _written(self, measured: _PointValues) -> str | None:
        try:
            return written_number(measured.result(self._shape), self._shape.type)
        except OperationFailure:
            raise ExportProblem(
                f"The {self._shape.measure} of a point has more digits than its type can hold.",
                "Choose another measure, or a shorter range.",
            ) from None


_STATE: Final = ("final", "dropped", "repaired", "incomplete")
"""The last columns of every export, in order."""


def written_number(value: Any, of: Type) -> str | None:
    """Return a number with all its digits; a fraction is a sum of numbers of the type `of`."""
    if value is None:
        return None
    if isinstance(value, Fraction):
        if not isinstance(of, DecimalOf):
            return str(value.numerator)
        digits = str(abs(int(value * 10**of.scale))).rjust(of.scale + 1, "0")
        whole, places = digits[: len(digits) - of.scale], digits[len(digits) - of.scale :]
        return f"{'-' if value < 0 else ''}{whole}{'.' if of.scale else ''}{places}"
    return repr(value) if isinstance(value, float) else f"{value:f}" if isinstance(of, DecimalOf) else str(value)


def _check(shape: ChartShape) -> None:
    for name, column in (("x", shape.x), ("group", shape.group)):
        if column is not None and isinstance(column.of, Array | Struct):
            message = f"The column {column.name} has lists or structures, so it can't order points."
            raise ExportProblem(message, "Choose a column with single values.", field=name)
    if shape.bucket is not None and not shape.is_time:
        raise ExportProblem("`bucket` needs a column with times.", "Leave it out, or choose such a column.", field="x")
    if shape.of is None or shape.measure == "count":
        return
    if shape.of.as_text:
        message = f"The column {shape.of.name} has another type in another run, so it can't be measured."
        raise ExportProblem(message, "Choose one run, or another column.", field="of")
    if not is_numeric(shape.of.of):
        message = f"The column {shape.of.name} has the type {shape.of.of}, which has no {shape.measure}."
        raise ExportProblem(message, "Choose a column with numbers, or count rows.", field="of")


def _order(value: Any) -> tuple[bool, Any]:
    return (value is None, 0 if value is None else value)


def _text(value: Any, of: Type) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(of, Timestamp):
        return str(written_time(value))
    return written_number(value, of) if isinstance(of, Long | Double | DecimalOf) else str(value)
