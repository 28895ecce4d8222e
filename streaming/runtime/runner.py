"""The main loop of a runner: what is desired becomes commands, what is committed becomes reports."""

import json
import logging
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol

import redis

from streaming.runtime.books import Add, Books, Seen, Step, Stop
from streaming.runtime.keeper import KeysOutdated
from streaming.runtime.lease import Heart, wall_clock
from streaming.runtime.mailbox import Mailbox
from streaming.runtime.meter import Meter
from streaming.spark.errors import Failure, explain_query
from streaming.wire.messages import ProgressReport, RunObserved, RunSpec

log = logging.getLogger(__name__)


class CarrierLike(Protocol):
    """What the runner needs of a carrier (streaming.spark.carrier)."""

    @property
    def running(self) -> bool:
        """Whether the streaming query runs."""

    @property
    def ready(self) -> bool:
        """Whether it plans batches."""

    def start(self) -> None:
        """Start the query, or go on."""

    def close(self) -> None:
        """Stop the query."""

    def failure(self) -> Failure | None:
        """Why the query stopped by itself."""

    def add(self, spec: RunSpec) -> None:
        """Carry a binding."""

    def stop(self, binding: str, *, flush: bool) -> None:
        """Carry it no longer."""

    def tidy(self) -> None:
        """Merge or delete some of what is old."""

    def limit(self, events_per_second: int | None) -> None:
        """Let all bindings together read no more than this."""

    def manifests_after(self, batch: int) -> Sequence[Mapping[str, Any]]:
        """What was committed."""

    def last_runs(self) -> Mapping[str, Mapping[str, Any]]:
        """The last change of each run."""

    def commanded(self) -> dict[str, str]:
        """Binding to run by the control log."""


class Exit(StrEnum):
    """Why the runner ends."""

    IDLE = "nothing is desired"
    LEASE_LOST = "another runner has the lease"
    ASKED = "it was asked to"
    KEYS_OUTDATED = "its keys are outdated"


class Runner:
    """One organisation's runner; `turn` is one round of its loop and never waits."""

    def __init__(
        self,
        mailbox: Mailbox,
        heart: Heart,
        carrier: CarrierLike,
        *,
        idle_exit_s: float = 60.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._mailbox = mailbox
        self._heart = heart
        self._carrier = carrier
        self._idle_exit_s = idle_exit_s
        self._monotonic = monotonic
        self._idle_since: float | None = None
        self._outbox: deque[RunObserved] = deque()
        self._unsent: deque[Mapping[str, Any]] = deque()
        self._batch = 0
        self._books = Books()
        self._last_seen = 0
        self._meter = Meter(monotonic)
        self._rate_told = 0

    def resume(self) -> None:
        """Learn from the carrier's folder what was going on; reports that Redis has not had yet follow."""
        self._books.carried = self._carrier.commanded()
        self._books.resume(self._carrier.last_runs())
        try:
            reported = self._mailbox.last_reported()
        except redis.RedisError:
            reported = 0  # Reports that were sent before are sent again: they hold totals, so nothing is counted twice.
        for manifest in self._carrier.manifests_after(0):
            self._batch = manifest["batch"]
            if self._batch > reported:
                self._unsent.append(manifest)
        log.info("resuming after batch %s with %s bindings", self._batch, len(self._books.carried))

    def turn(self) -> Exit | None:
        """One round; why the runner has to end, None while it goes on."""
        self._heart.turned()
        if self._heart.lost.is_set():
            return Exit.LEASE_LOST
        try:
            desired = self._mailbox.desired()
            limits = self._mailbox.limits()
        except redis.RedisError as error:
            log.warning("Redis cannot be reached, the runs go on as they are: %s", error)
            desired, limits = None, None
        except KeysOutdated as error:
            log.warning("%s", error)
            return Exit.KEYS_OUTDATED
        if limits is not None:  # else the last ones hold, which the carrier's folder keeps
            self._carrier.limit(limits.events_per_second)
        if desired is not None:
            for step in self._books.decide(desired):
                self._take(step)
        self._uphold()
        self._learn()
        self._send()
        self._tidy()
        return Exit.IDLE if desired is not None and self._idle_for(desired) >= self._idle_exit_s else None

    def _tidy(self) -> None:
        try:
            self._carrier.tidy()
        except OSError:
            log.exception("old batches could not be merged; they are read as they are")

    def _take(self, step: Step) -> None:
        match step:
            case Add(spec):
                log.info("run %s: carry binding %s", spec.run, spec.binding)
                self._carrier.add(spec)
            case Stop(binding, flush):
                log.info("binding %s: stop%s", binding, ", flush" if flush else "")
                self._carrier.stop(binding, flush=flush)
            case Seen():
                self._tell(step)

    def _uphold(self) -> None:
        """Start the query if anyone needs it; a query that stopped fails every run that it carried."""
        failure = self._carrier.failure()
        if failure is None and self._books.active and not self._carrier.running:
            try:
                self._carrier.start()
            except Exception as error:  # noqa: BLE001 - the border to Spark: its runs fail, the runner lives
                failure = explain_query(error)
        if failure is not None:
            log.error("the query stopped: %s", failure.message, extra={"detail": failure.detail})
            self._carrier.close()
            self._learn()
            for seen in self._books.fail_all(failure):
                self._tell(seen)

    def _learn(self) -> None:
        for manifest in self._carrier.manifests_after(self._batch):
            self._batch = manifest["batch"]
            self._unsent.append(manifest)
            self._measure(manifest)
            for change in manifest["changes"]:
                seen = Seen(change["run"], change["state"], change["domain"], change["message"])
                if change["state"] == "failed":
                    log.error("run %s failed: %s", seen.run, seen.message, extra={"detail": change["detail"]})
                for told in self._books.note(change["binding"], seen):
                    self._tell(told)
        if self._carrier.ready:
            for told in self._books.ready(self._carrier.last_runs()):
                self._tell(told)

    def _measure(self, manifest: Mapping[str, Any]) -> None:
        for report in manifest["reports"]:
            sentence = self._meter.take(ProgressReport.model_validate_json(json.dumps(report)))
            if sentence is not None:
                log.info("%s", sentence)
        for change in manifest["changes"]:
            if change["state"] != "running":
                self._meter.forget(change["run"])

    def _tell(self, seen: Seen) -> None:
        log.info("run %s is %s%s", seen.run, seen.state, f": {seen.message}" if seen.message else "")
        self._last_seen = max(self._last_seen + 1, wall_clock())
        self._outbox.append(
            RunObserved(
                kind="observed",
                run=seen.run,
                state=seen.state,
                domain=seen.domain,
                message=seen.message,
                at=self._last_seen,
            )
        )

    def _send(self) -> None:
        """Reports first: who sees a run stopped must already see its last totals."""
        try:
            while self._unsent:
                reports = (ProgressReport.model_validate_json(json.dumps(each)) for each in self._unsent[0]["reports"])
                self._mailbox.report({report.run: report for report in reports})
                self._unsent.popleft()
            while self._outbox:
                self._mailbox.observe(self._outbox[0])
                self._outbox.popleft()
            rate = self._meter.per_second()
            if rate or self._rate_told:
                self._mailbox.tell_rate(rate)
            self._rate_told = rate
        except redis.RedisError as error:
            log.warning("Redis cannot be reached, %s messages wait: %s", len(self._unsent) + len(self._outbox), error)

    def _idle_for(self, desired: Mapping[str, RunSpec]) -> float:
        """For how many seconds nothing has been desired."""
        if desired or self._outbox or self._unsent:
            self._idle_since = None
            return 0.0
        if self._idle_since is None:
            self._idle_since = self._monotonic()
        return self._monotonic() - self._idle_since
