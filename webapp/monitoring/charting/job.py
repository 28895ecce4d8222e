"""Computes a chart in a limited process: reads stored rows, never the database."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from streaming.definition.windows import TumblingWindow
from streaming.simulator.replay.belonging import NotKnown, ResultKey
from webapp.boards.charts import ChartKind, Measure
from webapp.core.limited.jobs import MIB, Limits, limited
from webapp.monitoring.charting.dropped import DroppedCounter, DroppedRows, DroppedWork, ResultRuns
from webapp.monitoring.charting.folding import ChartFold, ChartPoint, ChartShape
from webapp.monitoring.charting.reducing import MOST_POINTS, ReducedPoints, reduced
from webapp.monitoring.exporting.chosen_rows import ChosenResults, RowChoice
from webapp.monitoring.exporting.columns import ExportColumn, Values
from webapp.monitoring.exporting.problems import ExportProblem
from webapp.monitoring.exporting.reading import damaged

LIMITS: Final = Limits(cpu_s=40, wall_s=60, memory_bytes=768 * MIB)
"""About two million rows."""
_ABSENT: Final = object()
"""Differs from every value of a filter, and from null."""


@dataclass(frozen=True, kw_only=True)
class ChartWork(RowChoice):
    """One chart: the chosen rows, and the fields of `ChartQuery` with the same names."""

    kind: ChartKind
    x: str
    bucket: str | None
    measure: Measure
    of: str | None
    group: str | None
    dropped: DroppedWork


@dataclass(frozen=True)
class ChartColumn:
    """A column of the export, with its type as text."""

    name: str
    type: str


@dataclass(frozen=True)
class ChartOutcome:
    """The chart, or a `problem` with its remedy and parameter.

    `rows` are in its points, of `rows_stored` that count. `unknown`: why dropped rows were not counted.
    `dropped_elsewhere` belonged to results that aren't among the rows (null: not known); `dropped_unreadable` may have
    belonged to any result. `dropped_adds_up`: a point's value and its dropped rows are the value without drops.
    `repeats`: rows of a run may repeat those of an earlier one. `where_absent` are the fields of `where_present` that
    don't filter the rows.
    """

    output: str = ""
    outputs: list[str] = field(default_factory=list)
    columns: list[ChartColumn] = field(default_factory=list)
    is_time: bool = False
    bucket: int | None = None
    type: str = ""
    points: list[ChartPoint] = field(default_factory=list)
    rows: int = 0
    rows_stored: int = 0
    points_left_out: int = 0
    categories_left_out: int = 0
    groups_left_out: int = 0
    unknown: str | None = None
    dropped_elsewhere: int | None = None
    dropped_unreadable: int = 0
    dropped_adds_up: bool = False
    repeats: bool = False
    where_absent: list[str] = field(default_factory=list)
    problem: str | None = None
    remedy: str = ""
    parameter: str | None = None


@limited("This chart", "Choose one run, or delete results that nobody needs any more.", LIMITS)
def compute_chart(work: ChartWork) -> ChartOutcome:
    """Return the points of the chart; temporary files are left in the scratch folder."""
    try:
        return _computed(work)
    except ExportProblem as problem:
        return ChartOutcome(problem=problem.message, remedy=problem.remedy, parameter=problem.field)
    except (OSError, ValueError, TypeError, ArithmeticError):  # a stored value is not of its column's type
        return ChartOutcome(problem=damaged().message, remedy=damaged().remedy)


def _computed(work: ChartWork) -> ChartOutcome:
    chosen = ChosenResults(work)
    columns = chosen.table.columns
    shape = _shape(work, columns)
    fold = ChartFold(shape, columns)
    runs = ResultRuns(Path(work.folder), work.run, chosen.upto)
    unknown: str | None = None
    try:
        dropped = DroppedCounter(work.dropped, runs).count(chosen.output)
    except NotKnown as reason:
        dropped, unknown = DroppedRows(), str(reason)
    finder = _PlaceFinder(dropped, columns)
    for values in chosen:
        fold.add(values, finder.dropped(values))
    points = fold.points(dropped_known=unknown is None)
    left = _reduced(work, points, is_time=shape.is_time)
    return ChartOutcome(
        output=chosen.output,
        outputs=list(chosen.outputs),
        columns=[ChartColumn(each.name, str(each.of)) for each in columns],
        is_time=shape.is_time,
        bucket=shape.bucket,
        type=str(shape.type),
        points=left.points,
        rows=fold.rows,
        rows_stored=chosen.counted,
        points_left_out=left.points_left_out,
        categories_left_out=left.categories_left_out,
        groups_left_out=left.groups_left_out,
        unknown=unknown,
        dropped_elsewhere=None if unknown is not None else finder.elsewhere(work, chosen),
        dropped_unreadable=dropped.unreadable,
        dropped_adds_up=work.measure == "sum" and shape.of is not None and shape.of.field in dropped.totals,
        repeats=runs.repeats,
        where_absent=[name for name, text in work.where_present.items() if chosen.where.get(name, _ABSENT) != text],
    )


def _shape(work: ChartWork, columns: Sequence[ExportColumn]) -> ChartShape:
    by_name = {column.name: column for column in columns}

    def find(name: str | None, parameter: str) -> ExportColumn | None:
        if name is None or name in by_name:
            return None if name is None else by_name[name]
        remedy = f"Use one of: {', '.join(by_name)}."
        raise ExportProblem(f"These results have no column {name[:80]!r}.", remedy, field=parameter)

    x = None if work.kind == "value" else find(work.x, "x")
    return ChartShape(work.measure, x, find(work.group, "group"), find(work.of, "of"), _bucket(work.bucket))


def _bucket(text: str | None) -> int | None:
    """Return the length of a bucket: buckets are tumbling windows without an offset."""
    try:
        return None if text is None else int(TumblingWindow(kind="tumbling", size=text).panes().size)
    except ValueError:  # pydantic's error is one
        message = f"bucket: {str(text)[:40]!r} isn't a length of time above zero."
        raise ExportProblem(message, "Write it as 1m, 15m, 1h or PT5M.", field="bucket") from None


def _reduced(work: ChartWork, points: Sequence[ChartPoint], *, is_time: bool) -> ReducedPoints:
    if work.kind == "heat" and len(points) > MOST_POINTS:
        message = f"This heat map would have {len(points):,} cells; {MOST_POINTS:,} can be shown."
        raise ExportProblem(message, "Choose a longer bucket or a shorter range.", field="bucket")
    return reduced(points, is_time=is_time)


class _PlaceFinder:
    """Finds the dropped rows of each result by its lifetime and group."""

    def __init__(self, dropped: DroppedRows, columns: Sequence[ExportColumn]) -> None:
        by_field = {column.field: index for index, column in enumerate(columns) if column.field is not None}
        self._dropped = dropped
        self._group = [by_field.get(name) for name in dropped.group]
        self._found: set[ResultKey] = set()

    def dropped(self, values: Values) -> int:
        """Return the number of dropped rows that belonged to a row; the first two values are its lifetime."""
        if not self._dropped.by_place:
            return 0
        group = tuple(None if index is None else values[index] for index in self._group)
        place = ResultKey(values[0], values[1], group)
        count = self._dropped.by_place.get(place, 0)
        if count:
            self._found.add(place)
        return count

    def elsewhere(self, work: ChartWork, chosen: ChosenResults) -> int | None:
        """Return the dropped rows of the chart's range and filter whose results were not among the rows.

        None if the filter has fields that such a result doesn't show.
        """
        fields = self._dropped.group
        if not chosen.where.keys() <= set(fields) and self._dropped.by_place:
            return None
        return sum(
            count
            for place, count in self._dropped.by_place.items()
            if place not in self._found
            and work.holds(place.start)
            and chosen.matches(dict(zip(fields, place.group, strict=True)))
        )
