"""Start positions of runs, from the browser to Spark, and a record of a start: rows read again, incomplete results."""

from typing import Annotated, Final, Literal

from pydantic import Field

from streaming.definition.strict import Strict
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK
from streaming.wire.message import Message

KeptBegin = Literal["oldest_open", "carried_over", "old_positions", "beginning"]
"""Start positions of a run that can't resume with the state as it is: `oldest_open` rereads from the start of the
oldest open window; `carried_over` resumes where the previous run had read to, with its state after widening its
windows; `old_positions` resumes there without its state; `beginning` is the start of the inputs.
"""
KEPT_BEGINS: Final[tuple[KeptBegin, ...]] = ("oldest_open", "carried_over", "old_positions", "beginning")
MOST_LANES: Final = 10_000
"""The maximum number of lanes with a position for each input."""


TimeTick = Annotated[int, Field(ge=FIRST_TICK, le=LAST_TICK)]
"""A time that a person may choose."""


class BeginAtTime(Strict):
    """At `at`, in ticks: each input starts with the first row that arrived then or later, as its adapter knows that."""

    kind: Literal["time"]
    at: TimeTick


class BeginAtPositions(Strict):
    """At `positions`, by input and lane; a lane that isn't named starts at its first row."""

    kind: Literal["positions"]
    positions: Annotated[
        dict[str, Annotated[dict[str, Annotated[int, Field(ge=0, le=2**62)]], Field(max_length=MOST_LANES)]],
        Field(max_length=100),
    ]


SoughtBegin = Literal["now"] | BeginAtTime | BeginAtPositions
"""Start positions that ignore the previous run; `now`: rows that arrive after the start was planned."""
BeginAt = KeptBegin | SoughtBegin
"""All start positions; all but `oldest_open`, `carried_over` and `old_positions` also drop reusable state."""


def sought(begin: BeginAt | None) -> SoughtBegin | None:
    """Return `begin` if adapters have to seek it; None if the previous run's restart points hold the position."""
    return begin if begin == "now" or isinstance(begin, Strict) else None


def drops(begin: BeginAt | None) -> bool:
    """Return whether a run that starts there drops all saved state."""
    return begin == "beginning" or sought(begin) is not None


class LackingSince(Message):
    """The `columns` of an output that started empty in open windows: in rows that start `before`, they are incomplete.

    `before` null: in any row. Without columns, no output contains the new aggregates of a window.
    """

    columns: list[str]
    before: int | None


class RunBeginning(Message):
    """The start of a run that lacks some state of the run `after`; times in ticks.

    `incomplete_before`, by output: rows that start earlier may be incomplete and are marked so; null: any row may be.
    All rows of an output that isn't named are complete. Rows that end by `until`, by output, were emitted before and
    aren't emitted again. Outputs in `alike` emit as before, so all their rows from input that is read again were
    emitted already. `open_from`, `open_until`: the time span of windows that were open when the previous run stopped;
    null where none was, or where nothing had been emitted yet. `rows_again`: the number of rows that are read a second
    time, an upper bound with `rows_at_most`. `sentence` summarises all of it for the user. `took_over`: the run that
    had read in parallel with the previous one (`streaming/resume/changeover.py`) and whose state this run has.
    `lacking`, by output: the new columns of a run that resumed with the state of the previous one after its windows
    were widened. `positions`, by input and lane: the start positions, absent lanes at their first row; null in records
    from before 2026-11-27.
    """

    how: BeginAt
    after: str
    incomplete_before: dict[str, int | None]
    until: dict[str, int]
    alike: list[str]
    open_from: int | None
    open_until: int | None
    rows_again: int
    sentence: str
    took_over: str | None = None
    rows_at_most: bool = False
    lacking: dict[str, LackingSince] = Field(default_factory=dict)
    positions: dict[str, dict[str, int]] | None = Field(default=None, exclude_if=lambda value: value is None)

    @property
    def whole_from(self) -> int | None:
        """The time from which rows of all outputs are complete; None where all are, or where it is unknown."""
        moments = self.incomplete_before.values()
        return None if None in moments else max((each for each in moments if each is not None), default=None)
