"""The steps of a run's start, derived from the runner's lease and its reports about the run."""

from datetime import datetime
from enum import StrEnum
from typing import Final

from streaming.wire.message import Message
from streaming.wire.messages import RunnerLease, RunObserved
from webapp.runs.models import Run
from webapp.runs.runner_models import LaunchNote
from webapp.runs.states import Observed


class StartName(StrEnum):
    """The steps of a start, in order. A run that joins a running streaming query skips most of them.

    `requested`: waits for the reconciler. `launching`: the runner's process starts. `session`: Spark starts in it.
    `standby`: a standby runner is taken, which has done both. `planning`: the streaming query that carries the run
    starts. `first_batch`: it reads for the first time.
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
"""The way in which a runner was started, and the time, in ticks."""


class StartStep(Message):
    """A step of a start and its first tick; it lasts until the next one, the last until the run runs."""

    name: StartName
    at: int


def ticks_of(at: datetime) -> int:
    """Return the tick of a moment."""
    return round(at.timestamp() * 1_000_000)


def steps_of(run: Run) -> list[StartStep]:
    """Return the steps of the latest start of `run`, in order; empty for runs that older versions started."""
    return [StartStep.model_validate(each) for each in run.steps]


def begin(run: Run, at: datetime) -> None:
    """Note in `run`, unsaved, that its start was requested; the steps of an earlier start are removed."""
    run.steps = [StartStep(name=StartName.REQUESTED, at=ticks_of(at)).model_dump(mode="json")]


def launch_step(launch: LaunchNote | None) -> RunnerLaunched | None:
    """Return the step and time of a launch, for the runs that wait for it."""
    if launch is None:
        return None
    return (StartName.STANDBY if launch.stood_by else StartName.LAUNCHING, ticks_of(launch.launched_at))


def step_on(run: Run, lease: RunnerLease | None, seen: RunObserved | None, launched: RunnerLaunched | None) -> bool:
    """Note in `run`, unsaved, the steps that its start has reached since; return whether there were any.

    `launched`: the launch of a runner that had no lease at the last turn. Steps only advance: noted ones stay, and
    what a runner did before the start was requested is not a step of it.
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
    """Return the steps that have started, in order."""
    steps = [] if launched is None else [launched]
    if lease is None:
        return steps
    if lease.session_at != lease.started_at:  # else it was a standby
        steps.append((StartName.SESSION, lease.started_at))
    if seen is not None and seen.at >= lease.started_at and seen.step is not None:
        return [*steps, (StartName(seen.step), seen.at)]
    return steps if lease.session_at is None else [*steps, (StartName.PLANNING, lease.session_at)]
