"""Analytic functions: values over the rows around each row (TEMPORAL, section 11)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import Field

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.names import DurationText, Name, WholeNumber
from streaming.definition.rows import RowOrder
from streaming.definition.strict import ExpressionText, Strict
from streaming.temporal.ticks import Ticks, parse_duration


@dataclass(frozen=True, slots=True)
class AnalyticEntry:
    """One function of rows; `framed`: it takes a frame. `parameters` are the fields that it uses besides `of`.

    The first `positional` of them follow the value in SQL, in this order.
    """

    signature: str
    help: str
    parameters: tuple[str, ...] = ()
    framed: bool = False
    numeric: bool = False

    @property
    def name(self) -> str:
        """Return its name: the first word of the signature."""
        return self.signature.partition("(")[0]


_CUSUM: Final = ("target", "drift", "threshold")
_ENTRIES: Final = (
    AnalyticEntry(
        "lag(value, offset, default)",
        "The value `offset` rows before; the default, computed on the row itself, if there is no such row.",
        ("offset", "default", "ignore_nulls"),
    ),
    AnalyticEntry(
        "lead(value, offset, default)",
        "The value `offset` rows after; the default, computed on the row itself, if there is no such row.",
        ("offset", "default", "ignore_nulls"),
    ),
    AnalyticEntry("first_value(value)", "The value of the first row of the frame.", ("ignore_nulls",), framed=True),
    AnalyticEntry("last_value(value)", "The value of the last row of the frame.", ("ignore_nulls",), framed=True),
    AnalyticEntry(
        "nth_value(value, offset)",
        "The value of the row at the place `offset` of the frame, counted from 1.",
        ("offset", "ignore_nulls"),
        framed=True,
    ),
    AnalyticEntry("row_number() -> long", "The number of the row, from 1; a gap of the reach or more begins again."),
    AnalyticEntry(
        "robust_z(number, least) -> double",
        "The distance from the median of the other values of the frame, divided by 1.4826 times their median absolute "
        "deviation; null for fewer than `least` values.",
        ("least",),
        framed=True,
        numeric=True,
    ),
    AnalyticEntry(
        "cusum_high(number, target, drift, threshold) -> double",
        "The cumulative sum of what the values exceed `target` plus `drift` by; begins at 0 again after an alarm.",
        _CUSUM,
        numeric=True,
    ),
    AnalyticEntry(
        "cusum_low(number, target, drift, threshold) -> double",
        "The cumulative sum of what the values are below `target` less `drift` by; begins at 0 again after an alarm.",
        _CUSUM,
        numeric=True,
    ),
    AnalyticEntry(
        "cusum_alarm(number, target, drift, threshold) -> string",
        "'high' or 'low' if a cumulative sum exceeds `threshold`, else null.",
        _CUSUM,
        numeric=True,
    ),
)
ROW_FUNCTIONS: Final = {entry.name: entry for entry in _ENTRIES}
"""The functions of rows by name, in addition to aggregates over a frame."""
FRAME_AGGREGATES: Final = tuple(name for name in AGGREGATES if not name.startswith("time_weighted"))
"""The aggregates that weigh no time."""

if TYPE_CHECKING:
    AnalyticFunction = str
else:
    AnalyticFunction = Literal[*ROW_FUNCTIONS, *FRAME_AGGREGATES]


class Frame(Strict):
    """The rows that a function sees: `rows` counts them, `range` measures from start to start (T44).

    `preceding: null` is unbounded. A range also contains all rows with an equal start.
    """

    unit: Literal["rows", "range"]
    preceding: WholeNumber | DurationText | None = 0
    following: WholeNumber | DurationText | None = 0


Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class AnalyticColumn(Strict):
    """One result column: `function` over `of`, in the `frame` of each row.

    Without a frame, functions that take one see all rows up to the row itself and its peers, the rows of equal start.
    Aggregates have the fields of a window's; the other fields belong to the functions that use them.
    """

    name: Name
    function: AnalyticFunction
    of: ExpressionText | None = None
    filter: ExpressionText | None = None
    k: Annotated[WholeNumber, Field(gt=0, le=10_000)] | None = None
    fraction: Annotated[Number, Field(ge=0, le=1)] | None = None
    offset: Annotated[WholeNumber, Field(ge=0, le=10_000)] = 1
    default: ExpressionText | None = None
    ignore_nulls: bool = False
    frame: Frame | None = None
    least: Annotated[WholeNumber, Field(ge=0, le=1_000_000)] = 10
    target: Number | None = None
    drift: Number = 0.0
    threshold: Number | None = None

    @property
    def framed(self) -> bool:
        """Return whether the function takes a frame."""
        return self.function in AGGREGATES or ROW_FUNCTIONS[self.function].framed


class AnalyticNode(Strict):
    """Passes each event once, with a column for each function over rows of its group, in order (T43 to T47).

    Rows are in order of start, then of `order_by`, then of payload. Rows `reach` or more away are not seen. A row is
    known once the CTI is more than `grace` above its start; kept late events before that take their place in the order.
    """

    kind: Literal["analytic"]
    id: Name
    input: Name
    group_by: list[Name] = Field(default_factory=list)
    order_by: list[RowOrder] = Field(default_factory=list, max_length=100)
    reach: DurationText | None = None
    grace: DurationText | None = None
    columns: Annotated[list[AnalyticColumn], Field(min_length=1, max_length=500)]

    @property
    def grace_ticks(self) -> Ticks:
        """Return the grace, zero if it is not set."""
        return parse_duration(self.grace or 0)
