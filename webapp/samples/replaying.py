"""Replay of quarantine: the query and position of a binding, and the points from which its input can be read again."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Final

from pydantic import TypeAdapter, ValidationError

from streaming.definition.faults import FaultCode
from streaming.resume.lane_positions import LaneState
from streaming.resume.restart_points import (
    BindingFacts,
    RestartPoint,
    beginning_path,
    concealed_spec,
    facts_of,
    first_lanes_path,
    whole_from,
)
from streaming.wire.beginning import RunBeginning
from streaming.wire.messages import LateEvent, RunSpec
from webapp.accounts.limits.previews import replaying
from webapp.core.errors import Faulty, fault
from webapp.runs.access import latest_run
from webapp.runs.inputs.input_journals import NOTHING_READ, WAIT, journals_folder
from webapp.runs.kept_folders import shared_folder
from webapp.runs.models import Binding, Repair
from webapp.runs.repairs.repairs import repairs_of
from webapp.runs.starts.next_start import restart_points
from webapp.runs.states import Observed
from webapp.runs.storage.rows_at_hand import RowsAtHand, rows_at_hand
from webapp.samples.read_back import BeginChoice, ReadWork, RepairedLateRow
from webapp.samples.replay_bodies import MendedRow, ReplayBody, ReplayResponse
from webapp.samples.replay_job import what_would_change

FROM_THE_BEGINNING: Final = -1
_LANES: Final = TypeAdapter(dict[str, dict[str, LaneState]])
CARRIED_OVER: Final = (
    "This run started with the state of another version's run. Changes are computed only from rows read since then: "
    "results of windows that were open at that time, or were emitted before, mix both versions and cannot be repaired. "
    "You can still ask why one of them is as it is."
)


def replayed(binding: Binding, body: ReplayBody) -> ReplayResponse:
    """Return the changes of a replay in the results of `binding`.

    Raises `Faulty` if it has read nothing, or its input cannot be read again; `OverQuota`, `Busy`, `TooMuchWork`.
    """
    with replay_work(binding) as work, replaying():
        given = what_would_change(work, body)
    if given.shown is None:
        raise Faulty(given.faults)
    return given.shown


@contextmanager
def replay_work(binding: Binding) -> Iterator[ReadWork]:
    """Provide everything that a limited process needs on this machine inside the block. Raises `Faulty`, `OSError`."""
    with rows_at_hand(binding.pk) as at_hand, rows_at_hand(binding.pk, "results") as results:
        work = _work(binding, at_hand)
        if work is None:
            raise Faulty([fault(FaultCode.EMPTY_SAMPLE, NOTHING_READ.format(name=binding.name), WAIT)])
        yield replace(work, results=results.folder)


def _work(binding: Binding, at_hand: RowsAtHand) -> ReadWork | None:
    run = latest_run(binding)
    if run is None:
        return None
    spec = run.read_spec()
    facts = facts_of(concealed_spec(spec))
    points = [point for point in restart_points(binding) if facts.fits(point.shape)]
    if not points:
        return None
    newest = points[0]
    return ReadWork(
        graph=spec.query,
        inputs=spec.inputs,
        batch=newest.batch,
        positions=newest.positions,
        begins=[begin for begin in begins_of(binding, spec, facts, points) if begin.batch + 1 >= at_hand.complete_from],
        given_until={name: kept.until for name, kept in newest.outputs.items()},
        folder=at_hand.folder,
        journals=journals_folder(spec),
        ended=run.observed == Observed.COMPLETED,
        settled=settled_rows(repairs_of(binding.pk), of_one_history(binding, spec.run, points)),
        carried=carried_words(binding, spec.run),
        runs=run.ended_at is None,
        of_runs=frozenset(of_one_history(binding, spec.run, points)),
    )


def settled_rows(repairs: Iterable[Repair], runs: set[str]) -> list[RepairedLateRow]:
    """Return the rows that `repairs` have restored into the results of `runs`."""
    return [
        RepairedLateRow(
            LateEvent.model_validate(row["late"]),
            None if row["mended"] is None else MendedRow.model_validate(row["mended"]),
        )
        for repair in repairs
        if str(repair.run_id) in runs
        for row in repair.rows.values()
    ]


def of_one_history(binding: Binding, run: str, points: Sequence[RestartPoint], *, beyond: bool = False) -> set[str]:
    """Return the runs since the last fresh start, including `run`; results and quarantine of earlier ones are separate.

    `beyond`: a start with the previous run's state does not count as fresh.
    """
    found = {run}
    for point in points:
        if point.run != run and _is_begin(binding, run, point.run, beyond=beyond):
            break
        run = point.run
        found.add(run)
    return found


def begins_of(
    binding: Binding, spec: RunSpec, facts: BindingFacts, points: Sequence[RestartPoint], *, beyond: bool = False
) -> list[BeginChoice]:
    """Return the points, newest first in `points`, from which the input of `spec` can be read again, oldest first.

    A run with a fresh start has read rows a second time, and its results are its own: no earlier point counts.
    `beyond`: a run that started with the previous run's state contains what that one had read from the same inputs, so
    earlier points of other versions count too.
    """
    found: list[BeginChoice] = []
    run = spec.run
    for point in points:
        if point.run != run and _is_begin(binding, run, point.run, beyond=beyond):
            return [*_began_at(binding, run, point.batch), *found[::-1]]
        run = point.run
        whole = {name: whole_from(point, release) for name, release in facts.releases.items()}
        clocks = {
            name: {lane: None if each.clock is None else each.clock["clock"] for lane, each in kept.lanes.items()}
            for name, kept in point.inputs.items()
        }
        found.append(BeginChoice(point.batch, point.positions, whole, clocks))
    if _is_begin(binding, run, beyond=False):
        return [*_began_at(binding, run, FROM_THE_BEGINNING), *found[::-1]]
    return [BeginChoice(FROM_THE_BEGINNING, {}, {}), *found[::-1]]


def carried_words(binding: Binding, run: str) -> str:
    """Return the consequences for replay and repair if `run` started with another version's state; else ""."""
    beginning = _beginning(binding, run)
    return CARRIED_OVER if beginning is not None and beginning.how == "carried_over" else ""


def _is_begin(binding: Binding, run: str, earlier: str | None = None, *, beyond: bool) -> bool:
    """Return whether nothing before `run` counts; with `beyond`, a start with carried-over state does not end it.

    A run that resumed the run `earlier` has the start of that one, and no start of its own.
    """
    content = shared_folder().read(beginning_path(str(binding.pk), run))
    if content is None or (earlier and content == shared_folder().read(beginning_path(str(binding.pk), earlier))):
        return False
    beginning = _beginning(binding, run) if beyond else None
    return beginning is None or beginning.how != "carried_over"


def _began_at(binding: Binding, run: str, after: int) -> list[BeginChoice]:
    """Return the point where `run` started, after batch `after`, if it is known and nothing before it counts there.

    All results of the run are computed from rows since then, so every output is complete.
    """
    beginning = _beginning(binding, run)
    if beginning is None or beginning.positions is None or beginning.how == "carried_over":
        return []
    lanes: dict[str, dict[str, LaneState]] = {}
    content = shared_folder().read(first_lanes_path(str(binding.pk), run))
    with suppress(ValidationError):  # written by a later version of the program
        lanes = {} if content is None else _LANES.validate_json(content)
    clocks = {
        name: {lane: None if each.clock is None else each.clock["clock"] for lane, each in kept.items()}
        for name, kept in lanes.items()
    }
    return [BeginChoice(after, beginning.positions, {}, clocks, fresh=True)]


def _beginning(binding: Binding, run: str) -> RunBeginning | None:
    """Return the start record of `run` if it exists and is readable."""
    content = shared_folder().read(beginning_path(str(binding.pk), run))
    with suppress(ValidationError):  # written by a later version of the program
        return None if content is None else RunBeginning.model_validate_json(content)
    return None
