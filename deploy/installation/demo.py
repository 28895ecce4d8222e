"""Watching the demo run until its numbers change."""

from collections.abc import Callable
from dataclasses import dataclass, field

import redis

from deploy.prepare.console import SetupError
from streaming.temporal.ticks import Tick
from streaming.wire.messages import RunObserved
from streaming.wire.progress import ProgressReport


@dataclass(frozen=True)
class RunnerReports:
    """The runners' reports of an installation: rows received by each run, and the state of each run."""

    received: dict[str, int]
    states: dict[str, RunObserved]


def look(client: redis.Redis) -> RunnerReports:
    """Read the latest reports of all runs of all organisations."""
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
    """Detects that a run progresses: its number of received rows has grown since the first report.

    `since` is the wall clock in ticks: earlier reports of runners belong to an earlier start.
    """

    say: Callable[[str], None]
    since: Tick
    first: dict[str, int] = field(default_factory=dict)
    printed: dict[str, str] = field(default_factory=dict)

    def moved(self, seen: RunnerReports) -> bool:
        """Return whether a running run's numbers have grown; prints each change of state.

        Raises SetupError if a run failed and none is running or starting.
        """
        fresh = {run: observed for run, observed in seen.states.items() if observed.at >= self.since}
        for run, observed in fresh.items():
            if self.printed.get(run) != observed.state:
                self.printed[run] = observed.state
                self.say(f"  ... demo run: {observed.state}{': ' + observed.message if observed.message else ''}")
        failed = [one for one in fresh.values() if one.state == "failed"]
        if failed and len(failed) == len(fresh):
            raise SetupError(f"The demo run failed: {failed[-1].message}")
        grown = [run for run, count in seen.received.items() if count > self.first.setdefault(run, count)]
        return any(run in seen.states and seen.states[run].state == "running" for run in grown)
