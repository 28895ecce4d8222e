"""The states of a runner's runs and its next steps: decisions without Spark, Redis or clock.

Level-triggered: `decide` compares desired with carried runs and may be called any number of times.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from streaming.spark.errors import Domain, RunFailure
from streaming.spark.query.manifests import RunChange
from streaming.wire.messages import BESIDE, RunSpec

State = Literal["starting", "running", "stopping", "stopped", "completed", "failed"]


@dataclass(frozen=True)
class AddRun:
    """Carry the binding of `spec`."""

    spec: RunSpec


@dataclass(frozen=True)
class StopRun:
    """Stop carrying `binding`; `discard`: discard its state, even if the binding isn't carried any more."""

    binding: str
    flush: bool
    discard: bool = False


@dataclass(frozen=True)
class RunStateSeen:
    """A new state of a run, to be reported to the web application."""

    run: str
    state: State
    domain: Domain | None = None
    message: str | None = None


Step = AddRun | StopRun | RunStateSeen


@dataclass
class RunDecisions:
    """`carried`: binding to run, as in the control log. `states`: the last reported state of each run.

    `over`: runs that have completed, stopped or failed and are still desired. They are left alone until they have been
    absent from the desired runs: so the web application requests a retry. `stopping`: runs that their users want to
    stop. The stop of any other run isn't reported, because no user wanted it: that of a run that was absent, that moves
    or leaves a pool, also if a predecessor had stopped it. `discarded`: runs whose state the runner was commanded to
    discard.
    """

    carried: dict[str, str] = field(default_factory=dict)
    states: dict[str, RunStateSeen] = field(default_factory=dict)
    over: dict[str, RunStateSeen] = field(default_factory=dict)
    stopping: set[str] = field(default_factory=set)
    discarded: set[str] = field(default_factory=set)

    def decide(self, desired: Mapping[str, RunSpec], unread: Collection[str] = ()) -> list[Step]:
        """Return the steps to reach `desired` (by binding); the recorded states then assume that they were done.

        Bindings in `unread`, whose desired state is unreadable, stay as they are.
        """
        wanted = {spec.run for spec in desired.values()}
        wanted |= {run for binding, run in self.carried.items() if binding in unread}
        self.over = {run: seen for run, seen in self.over.items() if run in wanted}
        self.discarded &= wanted
        steps: list[Step] = []
        for spec in desired.values():
            if spec.takes_over is not None and spec.run != self.carried.get(spec.binding):
                self.carried.pop(f"{spec.binding}{BESIDE}", None)  # the run that takes over continues with its state
        for binding in sorted(set(self.carried) - set(desired) - set(unread)):
            steps += self._drop(binding, flush=False)
        for binding in sorted(desired):
            spec = desired[binding]
            steps += self._keep(spec) if spec.desired == "running" else self._end(spec)
        return steps

    def note(self, binding: str, seen: RunStateSeen) -> list[RunStateSeen]:
        """Record a change from a manifest or the end of a query; return the states to report."""
        current = self.carried.get(binding) == seen.run
        if seen.state == "stopped" and seen.run not in self.stopping:
            return []  # its carrier was commanded to continue it after that stop
        if seen.state == "running":
            return self._record(seen) if current and seen.run not in self.stopping | set(self.over) else []
        if current:
            del self.carried[binding]
        self.stopping.discard(seen.run)
        if seen.run in self.over:
            return []
        self.over[seen.run] = seen
        return self._record(seen)

    def fail_all(self, failure: RunFailure, bindings: Collection[str]) -> list[RunStateSeen]:
        """Fail the runs of `bindings`, whose query has stopped; they stay in the control log."""
        reports: list[RunStateSeen] = []
        for binding, run in self.carried.items():
            if binding in bindings and run not in self.over:
                seen = RunStateSeen(run, "failed", failure.domain, failure.message)
                self.over[run] = seen
                self.stopping.discard(run)
                reports += self._record(seen)
        return reports

    def restarted(self, bindings: Collection[str]) -> list[RunStateSeen]:
        """Set running runs of `bindings` to starting: their query was started again."""
        reports: list[RunStateSeen] = []
        for binding in sorted(bindings):
            reported = self.states.get(self.carried.get(binding, ""))
            if reported is not None and reported.state == "running":
                reports += self._record(RunStateSeen(reported.run, "starting"))
        return reports

    def ready(self, runs: Mapping[str, RunChange]) -> list[RunStateSeen]:
        """Set starting runs to running if the manifest of their query (`runs`) says so: the query runs."""
        reports: list[RunStateSeen] = []
        for run in self.carried.values():
            reported = self.states.get(run)
            change = runs.get(run)
            if reported is None or change is None:
                continue
            if reported.state == "starting" and change.state == "running":
                reports += self._record(RunStateSeen(run, "running", None, change.message))
        return reports

    @property
    def active(self) -> set[str]:
        """The bindings that need a running query."""
        return {binding for binding, run in self.carried.items() if run not in self.over}

    def resume(self, runs: Mapping[str, RunChange]) -> None:
        """Read the ended runs from the newest manifest (`runs`), after a restart of the runner."""
        for run, change in runs.items():
            if change.state == "running":
                continue
            if change.state != "stopped":  # a stopped one may be desired again; if not, `decide` reports it
                self.over[run] = RunStateSeen(run, change.state, change.domain, change.message)
            if self.carried.get(change.binding) == run:
                del self.carried[change.binding]

    def _keep(self, spec: RunSpec) -> list[Step]:
        if spec.run in self.over:
            return list(self._record(self.over[spec.run]))
        if self.carried.get(spec.carried_as) == spec.run:
            reported = self.states.get(spec.run)
            if reported is None or reported.state == "failed":
                return list(self._record(RunStateSeen(spec.run, "starting")))
            return []
        steps: list[Step] = []
        replaced = self.carried.get(spec.carried_as)
        if replaced is not None:
            steps += self._drop(spec.carried_as, flush=False)
            self.stopping.add(replaced)  # its end is reported
        self.stopping.discard(spec.run)
        self.carried[spec.carried_as] = spec.run
        return [*steps, AddRun(spec), *self._record(RunStateSeen(spec.run, "starting"))]

    def _end(self, spec: RunSpec) -> list[Step]:
        carried = self.carried.get(spec.binding)
        is_carried = carried == spec.run
        discard = spec.discard and spec.run not in self.discarded and carried in (None, spec.run)
        if discard:
            self.discarded.add(spec.run)
        steps: list[Step] = [StopRun(spec.binding, flush=False, discard=True)] if discard else []
        if is_carried and spec.run not in self.over:
            if spec.run in self.stopping:
                return steps
            self.stopping.add(spec.run)
            return [*(steps or [StopRun(spec.binding, spec.flush)]), *self._record(RunStateSeen(spec.run, "stopping"))]
        if is_carried:
            dropped = self._drop(spec.binding, flush=False)
            steps = steps or dropped
        over = self.over.get(spec.run) or RunStateSeen(spec.run, "stopped")
        return [*steps, *self._record(over)]

    def _drop(self, binding: str, *, flush: bool) -> list[Step]:
        run = self.carried.pop(binding)
        self.stopping.discard(run)
        return [StopRun(binding, flush)]

    def _record(self, seen: RunStateSeen) -> list[RunStateSeen]:
        """Record `seen` as reported; return it unless it was reported already."""
        if self.states.get(seen.run) == seen:
            return []
        self.states[seen.run] = seen
        return [seen]
