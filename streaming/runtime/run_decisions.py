"""What a runner knows of its runs, and what has to happen next: decisions without Spark, Redis or clock.

Level-triggered: `decide` compares what is desired with what is carried and may be called any number of times.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from streaming.spark.errors import Domain, RunFailure
from streaming.spark.manifests import RunChange
from streaming.wire.messages import BESIDE, RunSpec

State = Literal["starting", "running", "stopping", "stopped", "completed", "failed"]


@dataclass(frozen=True)
class AddRun:
    """Carry the binding of `spec`."""

    spec: RunSpec


@dataclass(frozen=True)
class StopRun:
    """Carry `binding` no longer; `discard`: its state is thrown away, also where it is carried no longer."""

    binding: str
    flush: bool
    discard: bool = False


@dataclass(frozen=True)
class RunStateSeen:
    """A new state of a run, to be told to the web application."""

    run: str
    state: State
    domain: Domain | None = None
    message: str | None = None


Step = AddRun | StopRun | RunStateSeen


@dataclass
class RunDecisions:
    """`carried`: binding to run, as the control log has it. `states`: the last state of each run that was told.

    `over`: runs that have ended, by themselves or by a fault, and are still desired: they are left alone until they
    have been absent from what is desired, which is how the web application asks to try again.
    `stopping`: runs that their users wish to end. The stop of any other one is no news, for nobody wished it to end: of
    one that was absent, that is moved or leaves a pool, also where a predecessor had told it to stop.
    `discarded`: runs whose state was told to be thrown away.
    """

    carried: dict[str, str] = field(default_factory=dict)
    states: dict[str, RunStateSeen] = field(default_factory=dict)
    over: dict[str, RunStateSeen] = field(default_factory=dict)
    stopping: set[str] = field(default_factory=set)
    discarded: set[str] = field(default_factory=set)

    def decide(self, desired: Mapping[str, RunSpec]) -> list[Step]:
        """What to do so that `desired` (by binding) comes true; the books are then as if it had been done."""
        wanted = {spec.run for spec in desired.values()}
        self.over = {run: seen for run, seen in self.over.items() if run in wanted}
        self.discarded &= wanted
        steps: list[Step] = []
        for spec in desired.values():
            if spec.takes_over is not None and spec.run != self.carried.get(spec.binding):
                self.carried.pop(f"{spec.binding}{BESIDE}", None)  # its state goes on in the run that takes over
        for binding in sorted(set(self.carried) - set(desired)):
            steps += self._drop(binding, flush=False)
        for binding in sorted(desired):
            spec = desired[binding]
            steps += self._keep(spec) if spec.desired == "running" else self._end(spec)
        return steps

    def note(self, binding: str, seen: RunStateSeen) -> list[RunStateSeen]:
        """Take a change that a manifest or the query's end brought; what of it is to be told."""
        current = self.carried.get(binding) == seen.run
        if seen.state == "stopped" and seen.run not in self.stopping:
            return []  # where it is carried, it was told to go on after that stop
        if seen.state == "running":
            return self._told(seen) if current and seen.run not in self.stopping | set(self.over) else []
        if current:
            del self.carried[binding]
        self.stopping.discard(seen.run)
        if seen.run in self.over:
            return []
        self.over[seen.run] = seen
        return self._told(seen)

    def fail_all(self, failure: RunFailure, bindings: Collection[str]) -> list[RunStateSeen]:
        """The query that carries `bindings` has stopped: each of their runs fails, and keeps its place in the log."""
        found: list[RunStateSeen] = []
        for binding, run in self.carried.items():
            if binding in bindings and run not in self.over:
                seen = RunStateSeen(run, "failed", failure.domain, failure.message)
                self.over[run] = seen
                self.stopping.discard(run)
                found += self._told(seen)
        return found

    def restarted(self, bindings: Collection[str]) -> list[RunStateSeen]:
        """The query of `bindings` was started again: those of their runs that were said to run start again."""
        found: list[RunStateSeen] = []
        for binding in sorted(bindings):
            told = self.states.get(self.carried.get(binding, ""))
            if told is not None and told.state == "running":
                found += self._told(RunStateSeen(told.run, "starting"))
        return found

    def ready(self, runs: Mapping[str, RunChange]) -> list[RunStateSeen]:
        """A query runs: those that its manifest (`runs`) calls running do so again."""
        found: list[RunStateSeen] = []
        for run in self.carried.values():
            told = self.states.get(run)
            change = runs.get(run)
            if told is None or change is None:
                continue
            if told.state == "starting" and change.state == "running":
                found += self._told(RunStateSeen(run, "running", None, change.message))
        return found

    @property
    def active(self) -> set[str]:
        """The bindings for which a query has anything to do."""
        return {binding for binding, run in self.carried.items() if run not in self.over}

    def resume(self, runs: Mapping[str, RunChange]) -> None:
        """Learn from the newest manifest (`runs`) what has ended, after a restart of the runner."""
        for run, change in runs.items():
            if change.state == "running":
                continue
            if change.state != "stopped":  # one that was may be wanted again; if not, that is told when it is asked
                self.over[run] = RunStateSeen(run, change.state, change.domain, change.message)
            if self.carried.get(change.binding) == run:
                del self.carried[change.binding]

    def _keep(self, spec: RunSpec) -> list[Step]:
        if spec.run in self.over:
            return list(self._told(self.over[spec.run]))
        if self.carried.get(spec.carried_as) == spec.run:
            told = self.states.get(spec.run)
            if told is None or told.state == "failed":
                return list(self._told(RunStateSeen(spec.run, "starting")))
            return []
        steps: list[Step] = []
        replaced = self.carried.get(spec.carried_as)
        if replaced is not None:
            steps += self._drop(spec.carried_as, flush=False)
            self.stopping.add(replaced)  # its end is told
        self.stopping.discard(spec.run)
        self.carried[spec.carried_as] = spec.run
        return [*steps, AddRun(spec), *self._told(RunStateSeen(spec.run, "starting"))]

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
            return [*(steps or [StopRun(spec.binding, spec.flush)]), *self._told(RunStateSeen(spec.run, "stopping"))]
        if is_carried:
            dropped = self._drop(spec.binding, flush=False)
            steps = steps or dropped
        over = self.over.get(spec.run) or RunStateSeen(spec.run, "stopped")
        return [*steps, *self._told(over)]

    def _drop(self, binding: str, *, flush: bool) -> list[Step]:
        run = self.carried.pop(binding)
        self.stopping.discard(run)
        return [StopRun(binding, flush)]

    def _told(self, seen: RunStateSeen) -> list[RunStateSeen]:
        if self.states.get(seen.run) == seen:
            return []
        self.states[seen.run] = seen
        return [seen]
