"""Replay of quarantine: what a binding runs, how far it has read, and from where that can be read again."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Final

from pydantic import ValidationError

from streaming.definition.faults import FaultCode
from streaming.wire.beginning import RunBeginning
from streaming.wire.kept import BindingFacts, RestartPoint, beginning_path, concealed_spec, facts_of, whole_from
from streaming.wire.messages import LateEvent, RunSpec
from webapp.accounts.previews import previewing
from webapp.core.errors import Faulty, fault
from webapp.runs.access import latest_run
from webapp.runs.inputs.input_journals import NOTHING_READ, WAIT, journals_folder
from webapp.runs.kept_folders import shared_folder
from webapp.runs.models import Binding, Repair
from webapp.runs.repairs.repairs import repairs_of
from webapp.runs.starts.next_start import restart_points
from webapp.runs.states import Observed
from webapp.runs.storage.rows_at_hand import RowsAtHand, rows_at_hand
from webapp.samples.read_back import BeginChoice, ReadWork, SettledRow
from webapp.samples.replay_bodies import MendedRow, ReplayBody, ReplayShown
from webapp.samples.replay_job import what_would_change

FROM_THE_BEGINNING: Final = -1
CARRIED_OVER: Final = (
    "This run began with what the run before it held, whose version was another one. What would change is computed "
    "from what was read since: results of windows that were open then, or were given before, are of both versions and "
    "cannot be repaired. Why one of them is as it is can be asked."
)


def replayed(binding: Binding, body: ReplayBody) -> ReplayShown:
    """Return what would change in the results of `binding`.

    Raises `Faulty` where it has read nothing, or that cannot be read again; `OverQuota`, `Busy`, `TooMuchWork`.
    """
    with replay_work(binding) as work, previewing():
        given = what_would_change(work, body)
    if given.shown is None:
        raise Faulty(given.faults)
    return given.shown


@contextmanager
def replay_work(binding: Binding) -> Iterator[ReadWork]:
    """Have all that a limited process needs on this machine until the block ends. Raises `Faulty`, `OSError`."""
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
    )


def settled_rows(repairs: Iterable[Repair], runs: set[str]) -> list[SettledRow]:
    """Return the rows that those of `repairs` have taken back that are of the results of `runs`."""
    return [
        SettledRow(
            LateEvent.model_validate(row["late"]),
            None if row["mended"] is None else MendedRow.model_validate(row["mended"]),
        )
        for repair in repairs
        if str(repair.run_id) in runs
        for row in repair.rows.values()
    ]


def of_one_history(binding: Binding, run: str, points: Sequence[RestartPoint], *, beyond: bool = False) -> set[str]:
    """Return the runs since one began anew, `run` among them: of earlier ones results and quarantine are apart.

    `beyond`: one that began with the state of the run before did not begin anew.
    """
    found = {run}
    for point in points:
        if point.run != run and _is_begin(binding, run, beyond=beyond):
            break
        run = point.run
        found.add(run)
    return found


def begins_of(
    binding: Binding, spec: RunSpec, facts: BindingFacts, points: Sequence[RestartPoint], *, beyond: bool = False
) -> list[BeginChoice]:
    """Return from where `points`, newest first, let what `spec` runs be read again, oldest first.

    A run that began anew read rows a second time, and its results are its own: nothing before it is gone back to.
    `beyond`: but one that began with the state of the run before holds what that had read from the same inputs, so
    that is gone back to, by points of other versions.
    """
    found: list[BeginChoice] = []
    run = spec.run
    for point in points:
        if point.run != run and _is_begin(binding, run, beyond=beyond):
            return found[::-1]
        run = point.run
        whole = {name: whole_from(point, release) for name, release in facts.releases.items()}
        clocks = {
            name: {lane: None if each.clock is None else each.clock["clock"] for lane, each in kept.lanes.items()}
            for name, kept in point.inputs.items()
        }
        found.append(BeginChoice(point.batch, point.positions, whole, clocks))
    if not _is_begin(binding, run, beyond=False):
        found.append(BeginChoice(FROM_THE_BEGINNING, {}, {}))
    return found[::-1]


def carried_words(binding: Binding, run: str) -> str:
    """Return what it means for replay and repair that `run` began with the state of another version; else nothing."""
    said = _beginning(binding, run)
    return CARRIED_OVER if said is not None and said.how == "carried_over" else ""


def _is_begin(binding: Binding, run: str, *, beyond: bool) -> bool:
    """Whether nothing before `run` is gone back to, or, with `beyond`, nothing but the state with which it began."""
    if not beyond:
        return shared_folder().read(beginning_path(str(binding.pk), run)) is not None
    said = _beginning(binding, run)
    if said is None:
        return _is_begin(binding, run, beyond=False)
    return said.how != "carried_over"


def _beginning(binding: Binding, run: str) -> RunBeginning | None:
    """Return how `run` began where it says so, and can be read."""
    content = shared_folder().read(beginning_path(str(binding.pk), run))
    with suppress(ValidationError):  # written by a later version
        return None if content is None else RunBeginning.model_validate_json(content)
    return None
