"""The dropped rows that belonged to each result, counted from quarantine; or why that isn't known."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from streaming.definition.counts import counted
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.simulator.replay.belonging import Belonging, NotKnown, ResultKey
from streaming.storage.by_run import places_of
from streaming.storage.results import (
    Commit,
    RunBatches,
    committed_rows,
    committed_spans,
    read_span,
    runs_of,
)
from streaming.wire.messages import LateEvent, OutcomeName
from webapp.runs.states import IN_NO_RESULT

MOST_LATE: Final = 50_000
"""Late rows that are read for one chart."""
_PAGE: Final = 5_000
_DROPPED: Final = frozenset(IN_NO_RESULT) - {OutcomeName.MALFORMED}
NEVER_RECORDED: Final = "some batches are from before restarts were recorded"
RESTARTED: Final = (
    "a run started without the state of the previous one, so rows were counted more than once; choose one run"
)
PARTLY: Final = "a run started without all of the previous state, or took over from another version"
OTHER_VERSIONS: Final = "the versions of these runs assign rows to results differently"
NO_TOTAL: Final = "a run did not report how many rows were dropped"
UNREADABLE: Final = "the query of a run was stored by another version of this program"
KEPT_LATE: Final = "late rows that were kept may be missing from some of their windows"


@dataclass(frozen=True)
class RunFacts:
    """A run: `quarantined` is its last reported total, null if that isn't known.

    `definition` is the index of its definition. `begun`: it started without all state of the previous run.
    """

    quarantined: int | None
    definition: int
    begun: bool


@dataclass(frozen=True)
class RunQuery:
    """The query of a run, and the stream of each of its inputs, as JSON text."""

    query: str
    streams: Mapping[str, str]


@dataclass(frozen=True)
class DroppedWork:
    """Quarantine in `folder`; `repaired` are the ids of its rows that a repair has added to results.

    `runs` and `definitions` were read before the results.
    """

    folder: str
    repaired: frozenset[str]
    runs: Mapping[str, RunFacts]
    definitions: Sequence[RunQuery]


@dataclass(frozen=True)
class DroppedRows:
    """The dropped rows by the result that they belonged to; `unreadable` may have belonged to any result.

    `group` are the output's fields in `ResultKey.group`, `totals` those with the number of rows of a result.
    """

    by_place: Mapping[ResultKey, int] = field(default_factory=dict)
    group: Sequence[str] = ()
    totals: frozenset[str] = frozenset()
    unreadable: int = 0


class DroppedCounter:
    """Counts the rows that were dropped from the results of `history`."""

    def __init__(self, work: DroppedWork, history: "ResultRuns") -> None:
        self._work = work
        self._history = history

    def count(self, output: str) -> DroppedRows:
        """Return the rows dropped from `output`. Raises `NotKnown`, `OSError`, `ValueError` for a damaged commit."""
        history = self._history
        runs = history.epoch()
        if not runs:
            return DroppedRows()
        for each in runs:
            self._check(each)
        belonging = self._belonging(history.newest_run, output)
        if any(not belonging.same_as(self._belonging(each.run, output)) for each in runs):
            raise NotKnown(OTHER_VERSIONS)
        tally = _Tally(belonging, self._work.repaired)
        for row in self._late(history):
            tally.add(row)
        for name, expected in history.totals({each.run: self._facts(each.run).quarantined for each in runs}).items():
            if expected is None:
                raise NotKnown(NO_TOTAL)
            if (stored := tally.stored[name]) < expected:
                missing = counted(expected - stored, "late or malformed row")
                raise NotKnown(f"{missing} of these runs {'is' if expected - stored == 1 else 'are'} no longer stored")
        return DroppedRows(tally.by_place, belonging.group, belonging.totals, tally.unreadable)

    def _facts(self, run: str) -> RunFacts:
        facts = self._work.runs.get(run)
        if facts is None:
            raise NotKnown(NO_TOTAL)
        return facts

    def _check(self, batches: RunBatches) -> None:
        if self._facts(batches.run).begun and batches.first != batches.restart:
            raise NotKnown(PARTLY)

    def _belonging(self, run: str, output: str) -> Belonging:
        definition = self._work.definitions[self._facts(run).definition]
        try:
            query = QueryGraph.model_validate_json(definition.query)
            streams = {name: StreamDefinition.model_validate_json(each) for name, each in definition.streams.items()}
        except ValidationError:
            raise NotKnown(UNREADABLE) from None
        return Belonging(query, streams, output)

    def _late(self, history: "ResultRuns") -> Iterator[dict[str, Any]]:
        before: str | None = None
        read = 0
        while True:
            page = committed_rows(Path(self._work.folder), "late", _PAGE, before)
            read += len(page.rows)
            if read > MOST_LATE:
                raise NotKnown(f"more than {MOST_LATE:,} late rows are stored")
            yield from (row for row in page.rows if history.holds(int(row["_id"].partition("-")[0])))
            before = page.next
            if before is None:
                return


@dataclass
class _Tally:
    """Counts rows, newest first; of a row that was read twice, the last outcome counts. `stored`: by run."""

    belonging: Belonging
    repaired: frozenset[str]
    by_place: Counter[ResultKey] = field(default_factory=Counter)
    stored: Counter[str] = field(default_factory=Counter)
    unreadable: int = 0
    seen: set[tuple[str, str, int]] = field(default_factory=set)

    def add(self, row: Mapping[str, Any]) -> None:
        place = (row["input"], row["lane"], row["position"])
        if place in self.seen:
            return
        self.seen.add(place)
        outcome = row["outcome"]
        self.stored[row["_run"]] += outcome in IN_NO_RESULT
        if row["input"] != self.belonging.input or row["_id"] in self.repaired:
            return
        if outcome == OutcomeName.LATE_KEPT:
            if len(self._places(row) or ()) != 1:
                raise NotKnown(KEPT_LATE)
        elif outcome in _DROPPED:
            places = self._places(row)
            self.unreadable += places is None
            self.by_place.update(places or ())
        else:
            self.unreadable += outcome == OutcomeName.MALFORMED

    def _places(self, row: Mapping[str, Any]) -> list[ResultKey] | None:
        fields = {name: value for name, value in row.items() if not name.startswith("_")}
        return self.belonging.places(LateEvent.model_validate(fields))


class ResultRuns:
    """The runs of the results in `folder` up to the batch `upto`, or of those of `run`, and their last restarts.

    `newest_run` made the newest of these results, "" without any. `repeats`: a run started without the state of an
    earlier one, and both have results here.
    """

    def __init__(self, folder: Path, run: str | None, upto: int) -> None:
        """Read the commits. Raises `OSError`, `DamagedFile`."""
        self._batches: list[RunBatches] = []
        self._newest: Commit | None = None
        self._restarts: set[int | None] = set()
        self._unnamed = False
        self.newest_run = ""
        for span in committed_spans(folder):
            commit = read_span(folder, span) if span.first <= upto else None
            if commit is not None:
                self._batches += runs_of(commit)
                self._newest = commit
                self._add_restarts(folder, commit, run)
        self._firsts = [each.first for each in self._batches]
        self.repeats = len(self._restarts - {None}) > 1

    def _add_restarts(self, folder: Path, commit: Commit, run: str | None) -> None:
        runs = runs_of(commit)
        for part in commit.parts:
            for place in places_of(folder, commit, part) if part.kind == "results" and part.rows else ():
                made = next((each for each in runs if each.first <= place.batch <= each.last), None)
                self._unnamed |= made is None
                if made is not None and run in (None, made.run):
                    self._restarts.add(made.restart)
                    self.newest_run = made.run

    def epoch(self) -> list[RunBatches]:
        """Return the batches of runs that share the state of the results, oldest first. Raises `NotKnown`."""
        if self._unnamed or (None in self._restarts and len(self._restarts) > 1):
            raise NotKnown(NEVER_RECORDED)
        if self.repeats:
            raise NotKnown(RESTARTED)
        if self._restarts == {None} and len({each.run for each in self._batches}) > 1:
            raise NotKnown(NEVER_RECORDED)
        firsts: dict[str, RunBatches] = {}
        for each in self._batches:
            if each.restart in self._restarts:
                firsts.setdefault(each.run, each)
        return list(firsts.values())

    def holds(self, batch: int) -> bool:
        """Return whether `batch` is of one of these runs."""
        index = bisect_right(self._firsts, batch) - 1
        if index < 0:
            return False
        found = self._batches[index]
        return batch <= found.last and found.restart in self._restarts

    def totals(self, reported: dict[str, int | None]) -> dict[str, int | None]:
        """Return the quarantined rows of each run, also of the newest batch, whose report may not be copied yet."""
        totals = self._newest.totals if self._newest is not None else {}
        name, newest = totals.get("run"), totals.get("quarantined")
        if name in reported and newest is not None and totals.get("of_run"):
            reported[name] = max(newest, reported[name] or 0)
        return reported
