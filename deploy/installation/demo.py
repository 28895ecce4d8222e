"""Watching the demo run until its numbers move."""

from collections.abc import Callable
from dataclasses import dataclass, field

import redis

from deploy.prepare.console import CannotGoOn
from streaming.temporal.ticks import Tick
from streaming.wire.messages import ProgressReport, RunObserved


@dataclass(frozen=True)
class RunnerReports:
    """What the runners of an installation tell: rows received by each run, and the state of each run."""

    received: dict[str, int]
    states: dict[str, RunObserved]


def look(client: redis.Redis) -> RunnerReports:
    """Read the latest reports of all runs, of whatever organisation."""
    received: dict[str, int] = {}
    states: dict[str, RunObserved] = {}
    for key in client.scan_iter("punctual:*:progress"):
        for value in client.hgetall(key).values():
            report = ProgressReport.model_validate_json(value)
            received[report.run] = sum(one.received for one in report.inputs.values())
    for key in client.scan_iter("punctual:*:observed"):
        for value in client.hgetall(key).values():
            observed = RunObserved.model_validate_json(value)
            states[observed.run] = observed
    return RunnerReports(received, states)


@dataclass
class DemoWatch:
    """Tells when a run has moved: when its rows received have grown since it was first looked at.

    `since` is the wall clock in ticks: what runners told before belongs to an earlier start.
    """

    say: Callable[[str], None]
    since: Tick
    first: dict[str, int] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)

    def moved(self, seen: RunnerReports) -> bool:
        """Tell whether a running run's numbers have grown; says each change of state.

        Raises CannotGoOn when a run failed and none is running or starting.
        """
        fresh = {run: observed for run, observed in seen.states.items() if observed.at >= self.since}
        for run, observed in fresh.items():
            if self.told.get(run) != observed.state:
                self.told[run] = observed.state
                self.say(f"  ... demo run: {observed.state}{': ' + observed.message if observed.message else ''}")
        failed = [one for one in fresh.values() if one.state == "failed"]
        if failed and len(failed) == len(fresh):
            raise CannotGoOn(f"The demo run failed: {failed[-1].message}")
        grown = [run for run, count in seen.received.items() if count > self.first.setdefault(run, count)]
        return any(run in seen.states and seen.states[run].state == "running" for run in grown)
