"""Where a run begins, from the browser to Spark, and how one began: what is read again, which rows are not whole."""

from typing import Annotated, Final, Literal

from pydantic import Field

from streaming.definition.strict import Strict
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK

KeptBegin = Literal["oldest_open", "carried_over", "old_positions", "beginning"]
"""Where a run may begin whose state cannot go on as it is: where the oldest open window began; where the run before had
read to, with its state, in which windows are widened, or without; or at the beginning of its inputs."""
KEPT_BEGINS: Final[tuple[KeptBegin, ...]] = ("oldest_open", "carried_over", "old_positions", "beginning")
MOST_LANES: Final = 10_000
"""So many lanes of an input may be told a position."""


TimeTick = Annotated[int, Field(ge=FIRST_TICK, le=LAST_TICK)]
"""A moment that a person may mean."""


class BeginAtTime(Strict):
    """At `at`, in ticks: each input with the first row that came to it then or later, as its adapter knows that."""

    kind: Literal["time"]
    at: TimeTick


class BeginAtPositions(Strict):
    """At `positions`, by input and lane; a lane that is not named begins at its beginning."""

    kind: Literal["positions"]
    positions: Annotated[
        dict[str, Annotated[dict[str, Annotated[int, Field(ge=0, le=2**62)]], Field(max_length=MOST_LANES)]],
        Field(max_length=100),
    ]


SoughtBegin = Literal["now"] | BeginAtTime | BeginAtPositions
"""Where a run begins that leaves the run before alone; `now`: with what comes after its start was planned."""
BeginAt = KeptBegin | SoughtBegin
"""Where a run begins; all but `oldest_open`, `carried_over` and `old_positions` also drop state that could go on."""


def sought(begin: BeginAt | None) -> SoughtBegin | None:
    """`begin` if adapters have to seek it; None if what the run before had kept says where that is."""
    return begin if begin == "now" or isinstance(begin, Strict) else None


def drops(begin: BeginAt | None) -> bool:
    """Whether a run that begins there goes on with no state that was kept."""
    return begin == "beginning" or sought(begin) is not None


class LackingSince(Strict):
    """The `columns` of an output that began empty in windows that were open: rows that start `before` say so of them.

    `before` null: any row may. Without columns there is a window whose new aggregates no output has.
    """

    columns: list[str]
    before: int | None


class RunBeginning(Strict):
    """How a run began that has not the whole state of the run `after`; times in ticks.

    `incomplete_before`, by output: rows that start earlier may lack something and say so; null: any row may. An output
    that is not named gives whole rows from the first on. What had been given `until` then, by output, is not given
    again; outputs of `alike` release as they did, so that all has been given that they bring from rows that are read
    again.
    `open_from`, `open_until`: the time of what was open when the run before stopped; null where nothing was, or where
    nothing had been given yet. `rows_again`: how many rows are read a second time, `rows_at_most`: or fewer.
    `sentence` says it all in words.
    `took_over`: the run that had read beside the one before (`streaming/wire/changeover.py`), whose state it has.
    `lacking`, by output: the columns that were not there before, of a run that has the state of the one before, in
    which windows were widened.
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

    @property
    def whole_from(self) -> int | None:
        """From when on the rows of all outputs are whole, where some are not; None where that is not known."""
        moments = self.incomplete_before.values()
        return None if None in moments else max((each for each in moments if each is not None), default=None)
