"""What the start of a run goes through, step by step, as the runner's lease and its words about the run tell it."""

from datetime import datetime
from enum import StrEnum
from typing import Final

from streaming.definition.strict import Strict
from streaming.wire.messages import RunnerLease, RunObserved
from webapp.runs.models import Run
from webapp.runs.runner_models import LaunchNote
from webapp.runs.states import Observed


class StartName(StrEnum):
    """The steps of a start, in order. A run that joins what runs already goes through few of them.

    `requested` waits for the reconciler; `launching` the runner's process starts, `session` Spark starts in it, or
    `standby` one is taken that stood by and has both behind it;
    `planning` the streaming query that carries the run starts; `first_batch` it reads for the first time.
    """

    REQUESTED = "requested"
    LAUNCHING = "launching"
    STANDBY = "standby"
    SESSION = "session"
    PLANNING = "planning"
    FIRST_BATCH = "first_batch"


ORDER: Final = tuple(StartName)
_STARTS: Final = frozenset({Observed.REQUESTED, Observed.STARTING, Observed.RECOVERING, Observed.LOST})


RunnerLaunched = tuple[StartName, int]
"""How a runner is begun, and when that was, in ticks."""


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


def launch_told(launch: LaunchNote | None) -> RunnerLaunched | None:
    """Return what a launch is to those who wait for it."""
    if launch is None:
        return None
    return (StartName.STANDBY if launch.stood_by else StartName.LAUNCHING, ticks_of(launch.launched_at))


def step_on(run: Run, lease: RunnerLease | None, seen: RunObserved | None, launched: RunnerLaunched | None) -> bool:
    """Note in `run`, unsaved, the steps that its start has come to; whether there were any.

    `launched`: the launch of a runner that had no lease when it was last looked. Steps only move on: what was noted
    stays, and what a runner had done before the start was asked for is no step of it.
    """
    if not run.steps or run.observed not in _STARTS:
        return False
    steps = steps_of(run)
    known = len(steps)
    for name, at in _reached(lease, seen, launched):
        if ORDER.index(name) > ORDER.index(steps[-1].name) and at >= steps[0].at:
            steps.append(StartStep(name=name, at=max(at, steps[-1].at)))
    run.steps = [each.model_dump(mode="json") for each in steps]
    return len(steps) > known


def _reached(
    lease: RunnerLease | None, seen: RunObserved | None, launched: RunnerLaunched | None
) -> list[RunnerLaunched]:
    """Return the steps that what is known now says to have begun, in order."""
    told = [] if launched is None else [launched]
    if lease is None:
        return told
    if lease.session_at != lease.started_at:  # else it stood by
        told.append((StartName.SESSION, lease.started_at))
    if seen is not None and seen.at >= lease.started_at and seen.step is not None:
        return [*told, (StartName(seen.step), seen.at)]
    return told if lease.session_at is None else [*told, (StartName.PLANNING, lease.session_at)]
