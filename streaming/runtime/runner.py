"""The main loop of a runner: what is desired becomes commands, what is committed becomes reports."""

import json
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Literal

import redis

from streaming.runtime.deliveries import Deliveries
from streaming.runtime.fleet import Fleet
from streaming.runtime.lease import Heart, wall_clock
from streaming.runtime.mailbox import Mailbox
from streaming.runtime.meter import RateMeter
from streaming.runtime.rate_split import CarrierNeed
from streaming.runtime.run_decisions import AddRun, RunDecisions, RunStateSeen, Step, StopRun
from streaming.runtime.secret_server import KeysOutdated
from streaming.spark.manifests import Manifest
from streaming.wire.messages import ProgressReport, RunIncident, RunLimits, RunObserved, RunSpec

log = logging.getLogger(__name__)

StartStep = Literal["planning", "first_batch"]
"""How far a run is that starts (`RunObserved.step`)."""


class RunnerExit(StrEnum):
    """Why the runner ends."""

    IDLE = "nothing is desired"
    LEASE_LOST = "another runner has the lease"
    ASKED = "it was asked to"
    KEYS_OUTDATED = "its keys are outdated"
    MOVED = "its organisation is carried elsewhere from now on"


class Runner:
    """One organisation's runner; `turn` is one round of its loop and never waits."""

    def __init__(
        self,
        mailbox: Mailbox,
        heart: Heart,
        fleet: Fleet,
        deliveries: Deliveries,
        *,
        idle_exit_s: float = 60.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._elsewhere = False
        self._mailbox = mailbox
        self._heart = heart
        self._fleet = fleet
        self._deliveries = deliveries
        self._idle_exit_s = idle_exit_s
        self._monotonic = monotonic
        self._idle_since: float | None = None
        self._outbox: deque[RunObserved] = deque()
        self._unsent: deque[list[ProgressReport]] = deque()
        self._happened: list[RunIncident] = []
        self._unbegun: list[str] = []
        self._limits: RunLimits | None = None
        self._books = RunDecisions()
        self._last_seen = 0
        self._meter = RateMeter(monotonic)
        self._rate_told = 0
        self._steps: dict[str, StartStep] = {}

    def resume(self) -> None:
        """Learn from the folders of the carriers what was going on; reports that Redis has not had yet follow."""
        self._books.carried = self._fleet.resume()
        self._books.resume(self._fleet.last_runs())
        try:
            reported = self._mailbox.reported()
        except redis.RedisError:
            reported = {}  # What was sent before is sent again: reports hold totals, so nothing is counted twice.
        kept: dict[str, list[Manifest]] = {}
        for name, manifest in self._fleet.manifests():
            kept.setdefault(name, []).append(manifest)
        for name, manifests in kept.items():
            log.info("carrier %s: resuming after batch %s", name, manifests[-1].batch)
            runs = {report["run"] for manifest in manifests for report in manifest.reports}
            last = max((reported.get(run, 0) for run in runs), default=0)
            self._unsent += [list(self._reports(each)) for each in manifests if each.batch > last]
        log.info("resuming with %s bindings", len(self._books.carried))

    def close(self) -> None:
        """End the deliveries that are at work."""
        self._deliveries.close()

    @property
    def ended(self) -> bool:
        """Whether nothing of it is at work any more, after `close`."""
        return self._deliveries.ended

    def turn(self) -> RunnerExit | None:
        """One round; why the runner has to end, None while it goes on."""
        self._heart.turned()
        if self._heart.lost.is_set():
            return RunnerExit.LEASE_LOST
        try:
            desired = self._mailbox.desired()
            limits = self._mailbox.limits()
            self._deliveries.want(self._mailbox.deliveries())
            self._elsewhere = self._mailbox.place() not in (None, self._fleet.place)
        except redis.RedisError as error:
            log.warning("Redis cannot be reached, the runs go on as they are: %s", error)
            desired, limits = None, None
        except KeysOutdated as error:
            log.warning("%s", error)
            return RunnerExit.KEYS_OUTDATED
        if self._elsewhere and not self._fleet.pooled:
            return RunnerExit.MOVED  # who carries them next may open all that is kept here
        if self._elsewhere and desired is not None:
            desired = {}
        self._limits = limits or self._limits  # the last ones hold, which the folders of the carriers keep too
        if desired is not None:
            self._divide(desired)
            for step in self._books.decide(desired):
                self._take(step)
            self._fleet.freshen(desired)
            self._fleet.repair(desired)
            self._tell_unbegun()
        self._uphold()
        self._learn()
        if desired is not None:
            self._happened += [each.told(wall_clock()) for each in self._fleet.incidents.taken(desired)]
        self._send()
        self._tidy()
        if self._elsewhere and self._fleet.leave() and not self._unsent and not self._outbox:
            return RunnerExit.MOVED
        return RunnerExit.IDLE if desired is not None and self._idle_for(desired) >= self._idle_exit_s else None

    def _tidy(self) -> None:
        try:
            self._fleet.tidy()
        except OSError:
            log.exception("old batches could not be merged; they are read as they are")

    def _take(self, step: Step) -> None:
        match step:
            case AddRun(spec):
                log.info("run %s: carry binding %s", spec.run, spec.binding)
                self._fleet.add(spec)
            case StopRun(binding, flush, discard):
                how = ", its state is thrown away" if discard else ", flush" if flush else ""
                log.info("binding %s: stop%s", binding, how)
                if not self._fleet.stop(binding, flush=flush, discard=discard):
                    self._unbegun.append(binding)
            case RunStateSeen():
                self._tell(step)

    def _tell_unbegun(self) -> None:
        """Runs that were stopped while they waited for what their binding keeps elsewhere have stopped."""
        for binding in self._unbegun:
            run = self._books.carried.get(binding)
            if run in self._books.stopping:
                for told in self._books.note(binding, RunStateSeen(run, "stopped")):
                    self._tell(told)
        self._unbegun.clear()

    def _divide(self, desired: Mapping[str, RunSpec]) -> None:
        """Give each carrier its part of the limit, before anything is carried."""
        if self._limits is None:
            return
        runs: dict[str, list[str]] = {}
        for spec in desired.values():
            if spec.desired == "running" and spec.run not in self._books.over:
                runs.setdefault(self._fleet.carrier_of(spec), []).append(spec.run)
        needs = {
            name: CarrierNeed(len(mine), self._meter.per_second(mine), any(map(self._meter.held, mine)))
            for name, mine in runs.items()
        }
        self._fleet.limit(self._limits.events_per_second, needs)

    def _uphold(self) -> None:
        """Start the queries that anyone needs; one that stopped fails every run that it carried, and no other."""
        for broken in self._fleet.uphold(self._books.active):
            failure = broken.failure
            log.error(
                "the query of carrier %s stopped: %s", broken.name, failure.message, extra={"detail": failure.detail}
            )
            self._learn()
            for seen in self._books.fail_all(failure, self._fleet.left_by(broken)):
                self._tell(seen)

    def _learn(self) -> None:
        for name, manifest in self._fleet.manifests():
            self._unsent.append(list(self._reports(manifest)))
            self._measure(manifest)
            self._deliveries.look()
            for change in manifest.changes:
                seen = RunStateSeen(change.run, change.state, change.domain, change.message)
                if change.run not in self._books.over and self._fleet.goes_on(name, change):
                    continue
                if change.state == "failed":
                    log.error("run %s failed: %s", seen.run, seen.message, extra={"detail": change.detail})
                for told in self._books.note(change.binding, seen):
                    self._tell(told)
        for seen in self._books.restarted(self._fleet.restarted()):
            self._tell(seen)
        for runs in self._fleet.planned_runs():
            for told in self._books.ready(runs):
                self._tell(told)
        self._tell_steps()

    def _tell_steps(self) -> None:
        """Tell how far each run is that starts, whenever that changes."""
        steps: dict[str, StartStep] = {}
        for binding, run in self._books.carried.items():
            seen = self._books.states.get(run)
            if seen is not None and seen.state == "starting" and run not in self._books.over:
                steps[run] = "first_batch" if self._fleet.plans(binding) else "planning"
                if self._steps.get(run) != steps[run]:
                    self._tell(seen, steps[run])
        self._steps = steps

    def _reports(self, manifest: Manifest) -> Iterator[ProgressReport]:
        """The reports of a batch; one that its carrier's part of the limit held back says the whole limit."""
        most = None if self._limits is None else self._limits.events_per_second
        for each in manifest.reports:
            report = ProgressReport.model_validate_json(json.dumps(each))
            held = report.held_back is not None and most is not None
            yield report.model_copy(update={"held_back": most}) if held else report

    def _measure(self, manifest: Manifest) -> None:
        for report in self._unsent[-1]:
            sentence = self._meter.take(report)
            if sentence is not None:
                log.info("%s", sentence)
        for change in manifest.changes:
            if change.state != "running":
                self._meter.forget(change.run)

    def _tell(self, seen: RunStateSeen, step: StartStep | None = None) -> None:
        how = f", {step}" if step else f": {seen.message}" if seen.message else ""
        log.info("run %s is %s%s", seen.run, seen.state, how)
        self._last_seen = max(self._last_seen + 1, wall_clock())
        self._outbox.append(
            RunObserved(
                kind="observed",
                run=seen.run,
                state=seen.state,
                domain=seen.domain,
                message=seen.message,
                at=self._last_seen,
                step=step,
            )
        )

    def _send(self) -> None:
        """Reports first: who sees a run stopped must already see its last totals."""
        try:
            while self._unsent:
                self._mailbox.report({report.run: report for report in self._unsent[0]})
                self._unsent.popleft()
            while self._outbox:
                self._mailbox.observe(self._outbox[0])
                self._outbox.popleft()
            if self._happened:
                self._mailbox.tell_incidents(self._happened)
                self._happened.clear()
            self._deliveries.tell(self._mailbox.tell_deliveries)
            rate = self._meter.per_second()
            if rate or self._rate_told:
                self._mailbox.tell_rate(rate)
            self._rate_told = rate
        except redis.RedisError as error:
            log.warning("Redis cannot be reached, %s messages wait: %s", len(self._unsent) + len(self._outbox), error)

    def _idle_for(self, desired: Mapping[str, RunSpec]) -> float:
        """For how many seconds nothing has been desired, and nothing was to be brought anywhere."""
        if desired or self._outbox or self._unsent or self._deliveries.outstanding:
            self._idle_since = None
            return 0.0
        if self._idle_since is None:
            self._idle_since = self._monotonic()
        return self._monotonic() - self._idle_since
