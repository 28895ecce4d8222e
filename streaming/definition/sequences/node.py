"""The node of sequences, `match_recognize`."""

from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from streaming.definition.names import DurationText, Name, WholeNumber
from streaming.definition.rows import OrderBy
from streaming.definition.sequences.pattern import MatchRows
from streaming.definition.strict import ExpressionText, Strict
from streaming.temporal.ticks import NO_TICKS, Ticks, parse_duration

MOST_CHARACTERS: Final = 10_000
"""The longest pattern."""
MOST_ROWS: Final = 10_000
"""The default of `max_rows`."""


class PatternSubset(Strict):
    """A name for the rows of several variables."""

    name: Name
    of: Annotated[list[Name], Field(min_length=1)]


class PatternCondition(Strict):
    """The condition of the variable `name`; it takes the rows for which `of` is true."""

    name: Name
    of: ExpressionText


class MatchMeasure(Strict):
    """One field of the result, computed over the rows of the match."""

    name: Name
    of: ExpressionText


class SkipToFirst(Strict):
    """Continue the search at the first row that the variable took."""

    first: Name


class SkipToLast(Strict):
    """Continue the search at the last row that the variable took."""

    last: Name


PatternText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_CHARACTERS)]
"""A pattern (T29); `check` parses it."""
AfterMatch = Literal["past_last_row", "next_row"] | SkipToFirst | SkipToLast


class MatchRecognizeNode(Strict):
    """Searches the rows of each group, in order, for `pattern`, and emits the `measures` of each match.

    Rows are in order of start, then of `order_by`, then of payload. A variable of the pattern takes a row for which its
    condition in `define` is true; without a condition it takes any row. The last row of a match starts less than
    `within` after the first. PREV and NEXT see rows less than `reach` away (None: `within`). `after_match` sets where
    the search continues, `rows` the rows of a match that are emitted, and `lifetime` their lifetime.

    A match is final when no later row can change it. `grace` is the time for which late events still take their
    place. With `emit: running`, rows also appear before they are final, and may be retracted.
    """

    kind: Literal["match_recognize"]
    id: Name
    input: Name
    group_by: list[Name] = Field(default_factory=list)
    order_by: OrderBy
    pattern: PatternText
    subsets: list[PatternSubset] = Field(default_factory=list)
    define: list[PatternCondition] = Field(default_factory=list)
    measures: list[MatchMeasure] = Field(default_factory=list)
    rows: MatchRows = "one"
    after_match: AfterMatch = "past_last_row"
    within: DurationText | None = None
    reach: DurationText | None = None
    grace: DurationText | None = None
    lifetime: Literal["last_row", "span"] = "last_row"
    emit: Literal["final", "running"] = "final"
    max_rows: Annotated[WholeNumber, Field(gt=0, le=1_000_000)] = MOST_ROWS

    @property
    def numbers_matches(self) -> bool:
        """Return whether a measure may contain MATCH_NUMBER()."""
        return any("match_number" in each.of.lower() for each in self.measures)

    @property
    def is_local(self) -> bool:
        """Return whether a row changes only the results of attempts near it (T39)."""
        return self.after_match == "next_row" and self.within is not None and not self.numbers_matches

    @property
    def grace_ticks(self) -> Ticks:
        """The delay of all decisions against the CTI (T36); presets do not change it."""
        return NO_TICKS if self.grace is None else parse_duration(self.grace)
