"""A query on a sample: the outcome of each row, the results, the CTIs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Final, Literal, Self

from ..outcomes import CommandFailure, ExitCode
from .frames import ResultFrame
from .things import moment
from .timeline import html_of, svg_of

RowCategory = Literal["in_time", "late", "adjusted", "dropped", "malformed", "repeated"]
CATEGORIES: Final[Mapping[str, RowCategory]] = {
    "on_time": "in_time",
    "reordered": "in_time",
    "late_kept": "late",
    "adjusted": "adjusted",
    "shifted": "adjusted",
    "dropped_late": "dropped",
    "dropped_early": "dropped",
    "dropped_window_closed": "dropped",
    "malformed": "malformed",
    "overlap": "repeated",
}
"""The category of each outcome."""


@dataclass(frozen=True)
class RowOutcome:
    """A row of the sample as an input took it; times and lengths are ticks (microseconds), a null end is infinity.

    `sample_row` is its number in the sample, from 1. `outcome` and `reason` are None for CTIs and heartbeats, and for
    rows that no input reads (`input` None). `kept_start` and `kept_end` are the times with which it was taken, if
    `kept`. `cti_met` is the CTI when it arrived. `smallest_delay` would have kept the whole row. `why`: sentences.
    """

    number: int
    sample_row: int
    stream: str
    input: str | None
    lane: str
    kind: str
    start: int | None
    end: int | None
    payload: Mapping[str, Any] | None
    outcome: str | None
    reason: str | None
    lateness: int | None
    moved_by: int | None
    kept: bool
    kept_start: int | None
    kept_end: int | None
    cti_met: int | None
    smallest_delay: int | None
    why: Sequence[str]

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Self:
        """Return the row in an answer of the API."""
        return cls(**{each.name: found[each.name] for each in fields(cls)})

    @property
    def category(self) -> RowCategory | None:
        """The outcome in short; None without an outcome, and for an outcome that only a newer client knows."""
        return CATEGORIES.get(self.outcome or "")

    @property
    def start_time(self) -> datetime | None:
        """The start in UTC; None without one, and outside the calendar."""
        return moment(self.start)


@dataclass(frozen=True)
class SimulatedResult:
    """A row of the results at the end of the sample; `rows` are the numbers of the rows that made it."""

    output: str
    start: int
    end: int | None
    payload: Mapping[str, Any]
    rows: Sequence[int]
    why: Sequence[str]


@dataclass(frozen=True)
class CtiStairs:
    """The CTIs of an input or of another node: (`after`, CTI) in order, a null CTI is infinity.

    A CTI holds from the row with the number `after` on; after the last row follows the end of the sample.
    """

    node: str
    steps: Sequence[tuple[int, int | None]]

    def at(self, after: int) -> tuple[bool, int | None]:
        """Return whether there is a CTI once `after` rows have arrived, and that CTI."""
        passed = [at for step, at in self.steps if step <= after]
        return (True, passed[-1]) if passed else (False, None)


@dataclass(frozen=True)
class SimulationResult:
    """A simulation. A notebook shows its timeline and its rows.

    `outcomes` counts by stream. `holding`: sentences on pending rows at the end, and what would release them.
    `failures`: sentences on expressions that failed; their values are null. `answer` is the API's answer as it is, with
    the panes and the rows of every node.
    """

    rows: Sequence[RowOutcome]
    outputs: Mapping[str, Sequence[SimulatedResult]]
    ctis: Sequence[CtiStairs]
    outcomes: Mapping[str, Mapping[str, int]]
    holding: Sequence[str]
    failures: Sequence[str]
    answer: Mapping[str, Any] = field(repr=False)
    types: Mapping[str, Mapping[str, str]] = field(repr=False)

    @classmethod
    def of(cls, answer: Mapping[str, Any], types: Mapping[str, Mapping[str, str]]) -> Self:
        """Return the simulation in an answer of the API; `types` of the fields by node."""
        outputs = {each["node"]: _results(each) for each in answer["tracks"] if each["kind"] == "output"}
        stairs = [
            CtiStairs(each["node"], [(step["after"], step["at"]) for step in each["steps"]])
            for each in answer["staircases"]
            if each["lane"] is None and each["substream"] is None
        ]
        rows = [RowOutcome.of(each) for each in answer["rows"]]
        return cls(rows, outputs, stairs, answer["outcomes"], answer["holding"], answer["failures"], answer, types)

    @property
    def late(self) -> list[RowOutcome]:
        """The rows that were neither in time nor without an outcome: kept late, adjusted, dropped, malformed."""
        return [row for row in self.rows if row.outcome is not None and row.category != "in_time"]

    def results(self, output: str | None = None) -> ResultFrame:
        """Return the results of an output as a frame with `start`, `end` and its fields. Needs pyarrow.

        `output` may be left out if the query has only one. A field named `start` or `end` keeps its name, and the
        column of ours is `_start` or `_end`, as in exports.
        """
        name = self._only_output() if output is None else output
        if name not in self.outputs:
            raise CommandFailure(
                ExitCode.NOT_THERE, f"There is no output {name!r}. There are: {', '.join(self.outputs)}."
            )
        columns = self.types[name]
        taken = {each.casefold() for each in columns}
        start, end = (_free(each, taken) for each in ("start", "end"))
        types = {start: "timestamp", end: "timestamp", **columns}
        return ResultFrame.of_rows(
            types, [{start: row.start, end: row.end, **row.payload} for row in self.outputs[name]]
        )

    def _only_output(self) -> str:
        if len(self.outputs) != 1:
            raise CommandFailure(ExitCode.USAGE, f"Pass one of the outputs: {', '.join(self.outputs)}.")
        return next(iter(self.outputs))

    def _repr_svg_(self) -> str:
        return svg_of(self)

    def _repr_html_(self) -> str:
        return html_of(self)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name = f"_{name}"
    return name


def _results(track: Mapping[str, Any]) -> list[SimulatedResult]:
    """Return the rows that remain, with their last end: no replaced or retracted rows, and no ends of edges."""
    return [
        SimulatedResult(
            track["node"],
            row["start"],
            row["end"] if row["closed_after"] is None else row["closed_end"],
            row["payload"],
            row["rows"],
            row["why"],
        )
        for row in track["rows"]
        if row["gone_after"] is None and not row["deleted"] and row["edge"] != "end"
    ]
