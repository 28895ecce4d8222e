"""The definition of a chart: the same on the results page, in exports and on boards."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from streaming.definition.strict import Strict

ChartKind = Literal["line", "bar", "heat", "value", "table"]
Measure = Literal["count", "sum", "mean", "min", "max"]
ColumnName = Annotated[str, Field(min_length=1, max_length=200)]


class ChartDefinition(Strict):
    """The points that a chart makes of the rows of an output.

    Columns are those of the export. `x` is a column with times, with points for each `bucket` (null: for each time),
    or any other column, with points for each value. `of` is the column of the measure; `count` without it counts rows.
    """

    output: Annotated[str, Field(max_length=200)] | None = None
    kind: ChartKind = "bar"
    x: ColumnName = "start"
    bucket: Annotated[str, Field(max_length=40)] | None = None
    measure: Measure = "count"
    of: ColumnName | None = None
    group: ColumnName | None = None

    @model_validator(mode="after")
    def _fits_the_kind(self) -> Self:
        if self.measure != "count" and self.of is None:
            raise ValueError(f"`of` is required: the column for the {self.measure}")
        if self.kind == "heat" and self.group is None:
            raise ValueError("`group` is required: a heat map has a line for each of its values")
        if self.kind == "value" and (self.group is not None or self.bucket is not None):
            raise ValueError("`group` and `bucket` can't be used with a single value; leave them out")
        if self.group is not None and self.group == self.x:
            raise ValueError("`group` is the same column as `x`; leave it out")
        return self
