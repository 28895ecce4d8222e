"""The main loop of a runner: desired states become commands, committed manifests become reports."""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Literal

import redis

from streaming.runtime.carriers.fleet import Fleet
from streaming.runtime.carriers.rate_split import CarrierNeed
from streaming.runtime.deliveries import Deliveries
from streaming.runtime.lease import LeaseHeartbeat, wall_clock
from streaming.runtime.mailbox import Mailbox
from streaming.runtime.meter import RateMeter
from streaming.runtime.process.stillness import keep_still
from streaming.runtime.run_decisions import AddRun, RunDecisions, RunStateSeen, Step, StopRun
from streaming.runtime.secret_server import KeysOutdated
from streaming.spark.query.manifests import Manifest
from streaming.wire.message import RELEASE
from streaming.wire.messages import RunIncident, RunLimits, RunObserved, RunSpec
from streaming.wire.progress import ProgressReport

log = logging.getLogger(__name__)

StartStep = Literal["planning", "first_batch"]
"""The progress of a starting run (`RunObserved.step`)."""


class RunnerExit(StrEnum):
    """The reason why the runner ends."""

    IDLE = "nothing is desired"
    LEASE_LOST = "another runner has the lease"
    ASKED = "it was asked to end"
    KEYS_OUTDATED = "its keys are outdated"
    MOVED = "another runner carries its organisation from now on"


class Runner:
    """One organisation's runner; `turn` is one round of its loop and never blocks."""

    def __init__(
        self,
        mailbox: Mailbox,
        heart: LeaseHeartbeat,
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
        self._unread_reported: set[tuple[str, str]] = set()
        self._stopped_before_start: list[str] = []
        self._limits: RunLimits | None = None
        self._books = RunDecisions()
        self._last_seen = 0
        self._meter = RateMeter(monotonic)
        self._rate_reported = 0
        self._steps: dict[str, StartStep] = {}

    def resume(self) -> None:
        """Read the states of runs from the folders of the carriers; queue the reports that Redis doesn't have yet."""
        self._books.carried = self._fleet.resume()
        self._books.resume(self._fleet.last_runs())
        try:
            self._mailbox.report_release()
            reported = self._mailbox.reported()
        except redis.RedisError:
            reported = {}  # All reports are sent again: they hold totals, so nothing is counted twice.
        by_carrier: dict[str, list[Manifest]] = {}
        for name, manifest in self._fleet.manifests():
            by_carrier.setdefault(name, []).append(manifest)
        for name, manifests in by_carrier.items():
            log.info("carrier %s: resuming after batch %s", name, manifests[-1].batch)
            runs = {report.run for manifest in manifests for report in manifest.reports}
            last = max((reported.get(run, 0) for run in runs), default=0)
            self._unsent += [list(self._reports(each)) for each in manifests if each.batch > last]
        log.info("resuming with %s bindings", len(self._books.carried))

    def close(self) -> None:
        """End the deliveries."""
        self._deliveries.close()

    @property
    def ended(self) -> bool:
        """True if no delivery is active after `close`."""
        return self._deliveries.ended

    def turn(self) -> RunnerExit | None:
        """Make one round; return why the runner has to end, None while it continues."""
        self._heart.turned()
        if self._heart.lost.is_set():
            return RunnerExit.LEASE_LOST
        try:
            desired = self._mailbox.desired()
            limits = self._mailbox.limits()
            self._deliveries.want(self._mailbox.deliveries())
            # a successor couldn't start bindings with an unreadable spec; here they continue
            self._elsewhere = self._mailbox.place() not in (None, self._fleet.place) and not self._mailbox.unread
        except redis.RedisError as error:
            log.warning("Redis cannot be reached, the runs continue as they are: %s", error)
            desired, limits = None, None
        except KeysOutdated as error:
            log.warning("%s", error)
            return RunnerExit.KEYS_OUTDATED
        if self._elsewhere and not self._fleet.pooled:
            return RunnerExit.MOVED  # the next runner may open all state here
        if self._elsewhere and desired is not None:
            desired = {}
        self._limits = limits or self._limits  # the last limits stay valid; the carriers store them too
        if desired is not None:
            self._divide(desired)
            for step in self._books.decide(desired, self._mailbox.unread):
                self._take(step)
            self._note_unread()
            self._fleet.freshen(desired)
            self._fleet.repair(desired)
            self._report_stopped_before_start()
        self._uphold()
        self._learn()
        if desired is not None:
            self._happened += [each.to_message(wall_clock()) for each in self._fleet.incidents.taken(desired)]
        self._send()
        self._compact()
        if self._elsewhere and self._fleet.leave() and not self._unsent and not self._outbox:
            return RunnerExit.MOVED
        return RunnerExit.IDLE if desired is not None and self._idle_for(desired) >= self._idle_exit_s else None

    def hold_still(self) -> bool:
        """Change nothing while a backup clones the files; return whether one waits for a batch."""
        return keep_still(self._deliveries.folder, self._is_quiet, self._heart.turned)

    def _is_quiet(self) -> bool:
        return self._fleet.quiet and self._deliveries.quiet

    def _compact(self) -> None:
        try:
            self._fleet.compact()
        except OSError:
            log.exception("old batches could not be merged; they stay unmerged")

    def _take(self, step: Step) -> None:
        match step:
            case AddRun(spec):
                log.info("run %s: carry binding %s", spec.run, spec.binding)
                self._fleet.add(spec)
            case StopRun(binding, flush, discard):
                how = ", discard its state" if discard else ", flush" if flush else ""
                log.info("binding %s: stop%s", binding, how)
                if not self._fleet.stop(binding, flush=flush, discard=discard):
                    self._stopped_before_start.append(binding)
            case RunStateSeen():
                self._report(step)

    def _report_stopped_before_start(self) -> None:
        """Report as stopped the runs that were stopped while they waited for their binding's state to move."""
        for binding in self._stopped_before_start:
            run = self._books.carried.get(binding)
            if run in self._books.stopping:
                for seen in self._books.note(binding, RunStateSeen(run, "stopped")):
                    self._report(seen)
        self._stopped_before_start.clear()

    def _note_unread(self) -> None:
        """Add an incident, once, for each run with an unreadable desired state."""
        for binding, entry in self._mailbox.unread.items():
            run = self._books.carried.get(binding) or entry.run
            if run is not None and (binding, entry.digest) not in self._unread_reported:
                self._unread_reported.add((binding, entry.digest))
                self._happened.append(RunIncident(run=run, at=wall_clock(), what="unread", release=RELEASE))

    def _divide(self, desired: Mapping[str, RunSpec]) -> None:
        """Give each carrier its part of the limit, before carrying any binding."""
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
        """Start the needed queries; a query that stopped fails the runs that it carried, and no others."""
        for broken in self._fleet.uphold(self._books.active):
            failure = broken.failure
            log.error(
                "the query of carrier %s stopped: %s", broken.name, failure.message, extra={"detail": failure.detail}
            )
            self._learn()
            for seen in self._books.fail_all(failure, self._fleet.left_by(broken)):
                self._report(seen)

    def _learn(self) -> None:
        for name, manifest in self._fleet.manifests():
            self._unsent.append(list(self._reports(manifest)))
            self._measure(manifest)
            self._deliveries.wake()
            for change in manifest.changes:
                seen = RunStateSeen(change.run, change.state, change.domain, change.message)
                if change.run not in self._books.over and self._fleet.continues_elsewhere(name, change):
                    continue
                if change.state == "failed":
                    log.error("run %s failed: %s", seen.run, seen.message, extra={"detail": change.detail})
                for each in self._books.note(change.binding, seen):
                    self._report(each)
        for seen in self._books.restarted(self._fleet.restarted()):
            self._report(seen)
        for runs in self._fleet.planned_runs():
            for seen in self._books.ready(runs):
                self._report(seen)
        self._report_steps()

    def _report_steps(self) -> None:
        """Report the progress of each starting run when it changes."""
        steps: dict[str, StartStep] = {}
        for binding, run in self._books.carried.items():
            seen = self._books.states.get(run)
            if seen is not None and seen.state == "starting" and run not in self._books.over:
                steps[run] = "first_batch" if self._fleet.plans(binding) else "planning"
                if self._steps.get(run) != steps[run]:
                    self._report(seen, steps[run])
        self._steps = steps

    def _reports(self, manifest: Manifest) -> Iterator[ProgressReport]:
        """Yield the reports of a batch; one with a carrier's part of the limit as `held_back` gets the whole limit."""
        most = None if self._limits is None else self._limits.events_per_second
        for report in manifest.reports:
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

    def _report(self, seen: RunStateSeen, step: StartStep | None = None) -> None:
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
        """Send reports before states, so that a run that is reported as stopped has its last totals."""
        try:
            while self._unsent:
                self._mailbox.report({report.run: report for report in self._unsent[0]})
                self._unsent.popleft()
            while self._outbox:
                self._mailbox.observe(self._outbox[0])
                self._outbox.popleft()
            if self._happened:
                self._mailbox.report_incidents(self._happened)
                self._happened.clear()
            self._deliveries.report(self._mailbox.report_deliveries)
            rate = self._meter.per_second()
            if rate or self._rate_reported:
                self._mailbox.report_rate(rate)
            self._rate_reported = rate
        except redis.RedisError as error:
            log.warning("Redis cannot be reached, %s messages wait: %s", len(self._unsent) + len(self._outbox), error)

    def _idle_for(self, desired: Mapping[str, RunSpec]) -> float:
        """Return for how many seconds no run was desired and no delivery was outstanding."""
        if desired or self._mailbox.unread or self._outbox or self._unsent or self._deliveries.outstanding:
            self._idle_since = None
            return 0.0
        if self._idle_since is None:
            self._idle_since = self._monotonic()
        return self._monotonic() - self._idle_since
