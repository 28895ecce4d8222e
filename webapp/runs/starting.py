"""What the start of a run goes through, step by step, as the runner's lease and its words about the run tell it."""

from datetime import datetime
from enum import StrEnum
from typing import Final

from streaming.definition.strict import Strict
from streaming.wire.messages import RunnerLease, RunObserved
from webapp.runs.models import Run
from webapp.runs.states import Observed


class StartName(StrEnum):
    """The steps of a start, in order. A run that joins what runs already goes through few of them.

    `requested` waits for the reconciler; `launching` the runner's process starts; `session` Spark starts in it;
    `planning` the streaming query that carries the run starts; `first_batch` it reads for the first time.
    """

    REQUESTED = "requested"
    LAUNCHING = "launching"
    SESSION = "session"
    PLANNING = "planning"
    FIRST_BATCH = "first_batch"


ORDER: Final = tuple(StartName)
_STARTS: Final = frozenset({Observed.REQUESTED, Observed.STARTING, Observed.RECOVERING, Observed.LOST})


class StartStep(Strict):
    """A step of a start and when it began, in ticks; it lasts until the next one, the last until the run runs."""

    name: StartName
    at: int


def ticks_of(at: datetime) -> int:
    """Return the tick of a moment."""
    return round(at.timestamp() * 1_000_000)


def steps_of(run: Run) -> list[StartStep]:
    """Return the steps of the latest start of `run`, in order; none is known of runs that older versions started."""
    return [StartStep.model_validate(each) for each in run.steps]


def begin(run: Run, at: datetime) -> None:
    """Note in `run`, unsaved, that its start was asked for; what was noted of an earlier one goes."""
    run.steps = [StartStep(name=StartName.REQUESTED, at=ticks_of(at)).model_dump(mode="json")]


def step_on(run: Run, lease: RunnerLease | None, seen: RunObserved | None, launched_at: int | None) -> bool:
    """Note in `run`, unsaved, the steps that its start has come to; whether there were any.

    `launched_at`: when a runner's process was started that has no lease yet, in ticks. Steps only move on: what was
    noted stays, and what a runner had done before the start was asked for is no step of it.
    """
    if not run.steps or run.observed not in _STARTS:
        return False
    steps = steps_of(run)
    known = len(steps)
    for name, at in _reached(lease, seen, launched_at):
        if ORDER.index(name) > ORDER.index(steps[-1].name) and at >= steps[0].at:
            steps.append(StartStep(name=name, at=max(at, steps[-1].at)))
    run.steps = [each.model_dump(mode="json") for each in steps]
    return len(steps) > known


def _reached(
    lease: RunnerLease | None, seen: RunObserved | None, launched_at: int | None
) -> list[tuple[StartName, int]]:
    """Return the steps that what is known now says to have begun, in order."""
    if lease is None:
        return [] if launched_at is None else [(StartName.LAUNCHING, launched_at)]
    told = [(StartName.SESSION, lease.started_at)]
    if seen is not None and seen.at >= lease.started_at and seen.step is not None:
        return [*told, (StartName(seen.step), seen.at)]
    return told if lease.session_at is None else [*told, (StartName.PLANNING, lease.session_at)]
