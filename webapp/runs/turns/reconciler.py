"""The reconciler: drives the observed state of an organisation's runs to the desired one.

Level-triggered: every turn starts from the database and from Redis as they are now, so that a turn that was missed, or
repeated, changes nothing. One lock serialises all turns of an organisation.
"""

import logging
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

import redis
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from pydantic import ValidationError

from streaming.wire import keys
from streaming.wire.message import RELEASE
from streaming.wire.messages import RunLimits, RunnerLease, RunObserved, RunSpec, read_lease
from streaming.wire.progress import VERSION, ProgressReport
from webapp.accounts.limits.quotas import limit
from webapp.core.context import organisation_context
from webapp.runs.access import older_than
from webapp.runs.lifecycle.incidents import take_incidents
from webapp.runs.lifecycle.journal import RunEventKind, note
from webapp.runs.lifecycle.liveness import NEWER_RUNNER
from webapp.runs.lifecycle.moves import lose, settle, stop_for, take_observation, take_report, take_up
from webapp.runs.lifecycle.starting import step_on
from webapp.runs.lifecycle.state_events import announce
from webapp.runs.models import Run
from webapp.runs.outputs.composing import keep_for_readers
from webapp.runs.outputs.deliveries import write_deliveries
from webapp.runs.repairs.repair_steps import bring_on_repairs
from webapp.runs.runner_models import PooledRunner, RunnerLaunch
from webapp.runs.runners.launching import (
    Launcher,
    ProcessLauncher,
    end_of_another_size,
    ensure_runner,
    launched,
    runner_log,
    runner_was_heard,
    sizes_to_come,
    wanted_scale,
)
from webapp.runs.runners.places import WAITS, has_place, no_place, no_room, nobody_waits, standbys_wanted
from webapp.runs.runners.pooling import (
    UNKNOWN,
    HomesUnknown,
    RunnerAssignment,
    carrier_of,
    find_assignment,
    pool_launched,
    seat_of,
    take_seat,
)
from webapp.runs.runners.redis_users import RunnerUsersRefused, admit_runner
from webapp.runs.runners.standby_processes import fitting, installed_standbys, runner_arguments, usual_arguments
from webapp.runs.states import Desired, Observed
from webapp.runs.storage.usage import full, measure_running
from webapp.runs.turns.alone import LOCK_S, alone
from webapp.runs.turns.parking import park_or_resume
from webapp.runs.turns.pool_turns import LAUNCHES_IN_VAIN, PoolReconciler, in_vain_sentence, pools_in_use
from webapp.runs.turns.quiet import as_it_should_be, note_quiet, report_digests
from webapp.runs.versions.changeover_steps import bring_on_changes

logger = logging.getLogger(__name__)

ELSEWHERE: Final = (
    "The organisation's runner does not respond, and this installation starts none (PUNCTUAL_RUNNERS). The run waits; "
    "your administrator can check the organisation's runner on its cluster."
)
NO_USER: Final = (
    "No runner can be started: Redis refuses to create a user for it. The run waits; your administrator can find the "
    "reason in the worker's log."
)
REPORTS_KEPT_S = 7 * 24 * 3600


@dataclass(frozen=True)
class Reconciler:
    """One organisation's reconciler; time, Redis and the launcher are injected."""

    organisation: UUID
    connection: "redis.Redis"
    launcher: Launcher
    now: Callable[[], datetime] = timezone.now

    def turn(self) -> bool:
        """Copy observations, make the moves that need no runner, write the desired state, and launch a missing runner.

        Return whether the turn was made. It is not while another one is under way, which may have missed a change.
        """
        with organisation_context(self.organisation), alone(self.connection, self.organisation) as mine:
            if mine:
                self._turn()
            return mine

    def _turn(self) -> None:
        [digest] = report_digests(self.connection, [self.organisation])
        runs = list(Run.objects.filter(ended_at__isnull=True).select_related("binding"))
        outstanding = write_deliveries(self.connection)
        self._keep_for_readers()
        if runs or outstanding:
            self._admit()
        lease = self._lease()
        take_incidents(self.connection, self.organisation)
        self._observe(runs, lease)
        self._stop_when_full(runs)
        park_or_resume(runs, self.now())
        for run in runs:
            if lease is None:
                lose(run, self.now())
            else:
                take_up(run, lease, self.now())
            settle(run, self.now())
        changes = bring_on_changes(self.connection, self.now())
        if changes:
            for run in runs:
                run.refresh_from_db()
        outstanding = outstanding or bool(changes)
        desired = [run for run in runs if run.ended_at is None and run.observed != Observed.FAILED]
        belongs = self._belonging(lease, active=bool(desired) or outstanding)
        repairs = bring_on_repairs(self.now())
        self._write_desired(desired, belongs, repairs, changes)
        self._forget([run for run in runs if run.ended_at is not None])
        if belongs is None:
            self._show(desired, "internal", UNKNOWN)
        else:
            self._be_carried(belongs, lease, desired, outstanding=outstanding)
        if not as_it_should_be(runs) or changes:
            self._call(belongs)
        settled = not outstanding and not repairs and as_it_should_be(runs)
        quiet = settled and belongs is not None and self._is_there(belongs, lease, runs)
        note_quiet(self.connection, self.organisation, digest if quiet else None)

    def _admit(self) -> None:
        """Create the runner's user again in a Redis that has forgotten it; a refusal must not stop the turn."""
        try:
            admit_runner(self.connection, self.organisation)
        except RunnerUsersRefused as error:
            logger.error("organisation %s: %s", self.organisation, error)

    def _call(self, belongs: RunnerAssignment | None) -> None:
        """Wake the runner now instead of at its next poll."""
        place = None if belongs is None else belongs.place
        if place is None:
            return
        organisation = str(self.organisation)
        key = keys.calls(organisation if place == keys.OWN else place)
        with self.connection.pipeline(transaction=True) as together:
            together.rpush(key, organisation)
            together.ltrim(key, -keys.CALLS_KEPT, -1)
            together.expire(key, keys.CALLS_TTL_S)
            together.execute()

    def _is_there(self, belongs: RunnerAssignment, lease: RunnerLease | None, runs: Sequence[Run]) -> bool:
        """Return whether the organisation is carried where it belongs, or needs no runner."""
        if belongs.leaves:
            return False
        if not runs:
            return belongs.seat is None
        if lease is None:
            return False
        wanted = keys.OWN if belongs.seat is None else belongs.seat
        return belongs.place is not None and carrier_of(self.connection, lease, seat_of()) == wanted

    def _keep_for_readers(self) -> None:
        try:
            keep_for_readers()
        except OSError:
            logger.exception(
                "organisation %s: results that bindings have yet to read cannot be marked", self.organisation
            )

    def _lease(self) -> RunnerLease | None:
        """Return the lease of the runner, or None once it has expired; an unreadable lease belongs to a live runner."""
        content = self.connection.get(keys.lease(str(self.organisation)))
        lease = None if content is None else read_lease(content)
        if lease is not None and lease.unread:
            logger.error("organisation %s: the lease cannot be read; its runner is newer", self.organisation)
        return lease

    def _observe(self, runs: Sequence[Run], lease: RunnerLease | None) -> None:
        if not runs:
            return
        organisation, names = str(self.organisation), [str(run.pk) for run in runs]
        observed = self.connection.hmget(keys.observed(organisation), names)
        progress = self.connection.hmget(keys.progress(organisation), names)
        launch = launched() or pool_launched()
        for run, content, report in zip(runs, observed, progress, strict=True):
            try:
                seen = None if content is None else RunObserved.model_validate_json(content)
                if seen is not None:
                    take_observation(run, seen, lease, self.now())
                if step_on(run, lease, seen, launch):
                    run.save(update_fields=["steps"])
                    announce(run)
                if report is not None:
                    take_report(run, ProgressReport.model_validate_json(report), lease, self.now())
            except ValidationError:
                logger.exception("run %s: the runner's report cannot be read; the run stays as it is", run.pk)
                if run.message is None and run.ended_at is None:
                    self._show([run], "internal", NEWER_RUNNER)
            else:
                if run.message == NEWER_RUNNER:
                    self._show([run], None, None)

    def _stop_when_full(self, runs: Sequence[Run]) -> None:
        """Measure the stored data of the runs, and ask all of them to stop, keeping their state, if a quota is full."""
        measure_running(runs)
        wanted = [run for run in runs if run.desired == Desired.RUNNING and run.ended_at is None]
        usage = full() if wanted else None
        if usage is None:
            return
        why = f"{usage.sentence}, so the run was asked to stop; its state is kept."
        sentence = f"{why} {usage.advice} Then start it again: it resumes where it stopped."
        for run in wanted:
            stop_for(run, sentence, self.now())

    def _belonging(self, lease: RunnerLease | None, *, active: bool) -> RunnerAssignment | None:
        try:
            return find_assignment(self.connection, lease, active=active, prepared=self._prepared)
        except HomesUnknown:
            logger.exception(
                "organisation %s: the record of the pools that keep its state cannot be read", self.organisation
            )
            return None

    def _prepared(self) -> bool:
        """Return whether an own runner would be up at once; start one if there is a place for it."""
        if settings.RUNNERS == "elsewhere":
            return True
        has_room = has_place(self.connection, self.launcher, self.now(), self.organisation)
        return has_room and self.launcher.prepare(wanted_scale(), self.now())

    def _be_carried(
        self, belongs: RunnerAssignment, lease: RunnerLease | None, desired: Sequence[Run], *, outstanding: bool
    ) -> None:
        """Take or give back the seat in a pool; launch an own runner if the organisation belongs there."""
        carrier = carrier_of(self.connection, lease, seat_of())
        for pool in sorted(take_seat(belongs.seat, carrier)):
            PoolReconciler(pool, self.connection, self.launcher, self.now).turn()
        if isinstance(carrier, int):
            RunnerLaunch.objects.all().delete()  # the pool has its folder, so its own runner has ended
        elif lease is not None:
            runner_was_heard()
            if belongs.own:
                end_of_another_size(self.launcher)
        elif belongs.own and (desired or outstanding):
            self._launch(desired)
        else:
            self._wait_for_pool(belongs, desired)

    def _wait_for_pool(self, belongs: RunnerAssignment, desired: Sequence[Run]) -> None:
        if belongs.full:
            self._show(desired, "external", no_room())
            return
        pool = None if belongs.seat is None else PooledRunner.objects.filter(number=belongs.seat).first()
        if pool is not None and pool.message is not None:
            self._show(desired, pool.domain, pool.message)
        else:
            self._show([run for run in desired if (run.message or "").startswith(WAITS)], None, None)

    def _write_desired(
        self,
        runs: Sequence[Run],
        belongs: RunnerAssignment | None,
        repairs: Mapping[UUID, str],
        changes: Mapping[str, RunSpec],
    ) -> None:
        """Write the runs that the runner must carry, the runner's place, and the limit for all runs together.

        `repairs`, by run, are those whose rows the runner is to write; `changes`, by name, are the specifications of
        runs
        that catch up next to a run or replace one.
        """
        key, limits = keys.desired(str(self.organisation)), RunLimits(events_per_second=limit("events_per_second"))
        specs = {**{str(run.binding_id): _spec_with(run, repairs) for run in runs}, **changes}
        wanted = {name: spec.to_json() for name, spec in specs.items()}
        with self.connection.pipeline(transaction=True) as together:
            together.delete(key)
            if wanted:
                together.hset(key, mapping=wanted)  # type: ignore[arg-type]
            together.set(keys.limits(str(self.organisation)), limits.model_dump_json())
            releases = {keys.WEB: RELEASE, keys.REPORTS: VERSION}
            together.hset(keys.releases(str(self.organisation)), mapping=releases)  # type: ignore[arg-type]
            if belongs is not None and belongs.place is None:
                together.delete(keys.place(str(self.organisation)))
            elif belongs is not None:
                together.set(keys.place(str(self.organisation)), str(belongs.place))
            together.execute()

    def _forget(self, ended: Sequence[Run]) -> None:
        """Delete stale reports from Redis; the last report of each binding stays, for a runner that resumes it."""
        organisation = str(self.organisation)
        for run in ended:
            self.connection.hdel(keys.observed(organisation), str(run.pk))
            self.connection.expire(keys.reports(organisation, str(run.pk)), REPORTS_KEPT_S)
            earlier = Run.objects.filter(older_than(run), binding=run.binding)
            for old in earlier.values_list("pk", flat=True):
                self.connection.hdel(keys.progress(organisation), str(old))

    def _launch(self, desired: Sequence[Run]) -> None:
        if settings.RUNNERS == "elsewhere":
            self._show(desired, "external", ELSEWHERE)
            return
        with self.connection.lock("punctual:runners", timeout=LOCK_S):  # count places and take one under one lock
            if not has_place(self.connection, self.launcher, self.now(), self.organisation):
                self._show(desired, "external", no_place())
                return
            try:
                in_vain = ensure_runner(self.launcher, self.now())
            except RunnerUsersRefused as error:
                logger.error("organisation %s: no runner is started: %s", self.organisation, error)
                self._show(desired, "internal", NO_USER)
                return
        self._show([run for run in desired if (run.message or "").startswith(WAITS)], None, None)
        if in_vain < LAUNCHES_IN_VAIN:
            return
        message = in_vain_sentence(in_vain)
        logger.error("organisation %s: %s It is %s.", self.organisation, message, runner_log(self.organisation))
        self._show(desired, "internal", message)

    def _show(self, runs: Sequence[Run], domain: str | None, message: str | None) -> None:
        for run in runs:
            if run.message != message:
                run.domain, run.message = domain, message
                with transaction.atomic():
                    run.save(update_fields=["domain", "message"])
                    if message is not None:
                        note(run, RunEventKind.TOLD, message=message, domain=domain, at=self.now())
                announce(run)


def _spec_with(run: Run, repairs: Mapping[UUID, str]) -> RunSpec:
    return run.read_spec().model_copy(update={"repair": repairs.get(run.pk)})


def reconcile_installation(organisation: UUID) -> bool:
    """Make one turn for `organisation` with this installation's Redis and this machine; return whether it was made."""
    with redis.Redis.from_url(settings.REDIS_URL) as connection:
        return Reconciler(organisation, connection, ProcessLauncher()).turn()


def reconcile_pools() -> None:
    """Make one turn for each pool with this installation's Redis and processes of this machine."""
    with redis.Redis.from_url(settings.REDIS_URL) as connection:
        for number in sorted(pools_in_use()):
            PoolReconciler(number, connection, ProcessLauncher()).turn()


def keep_standbys() -> None:
    """Keep as many standby runners on this machine as are wanted and have room."""
    standbys = installed_standbys()
    if not settings.STANDBY_RUNNERS and not standbys.any():
        return
    now = timezone.now()
    with (
        redis.Redis.from_url(settings.REDIS_URL) as connection,
        alone(connection, f"standbys-of-{socket.gethostname()}") as mine,
    ):
        if mine:
            wanted = standbys_wanted(connection, ProcessLauncher(), now)
            promised = {fitting(runner_arguments(*size)) for size in sizes_to_come()}
            fits = fitting(usual_arguments())
            standbys.tend(wanted, fits, now, quiet=nobody_waits(now), promised=promised)
