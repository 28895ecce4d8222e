"""The reconciler: makes what is observed of an organisation's runs follow what is desired.

Level-triggered: every turn starts from the database and from what Redis holds now, so that a turn that was missed, or
made twice, changes nothing. All of an organisation's turns are behind one lock.
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
from streaming.wire.messages import ProgressReport, RunLimits, RunnerLease, RunObserved, RunSpec
from webapp.accounts.quotas import limit
from webapp.core.context import organisation_context
from webapp.runs.lifecycle.incidents import take_incidents
from webapp.runs.lifecycle.journal import RunEventKind, note
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
    Belonging,
    HomesUnknown,
    belonging,
    carrier_of,
    pool_launched,
    seat_of,
    take_seat,
)
from webapp.runs.runners.redis_users import admit_runner
from webapp.runs.runners.standby_processes import fitting, installed_standbys, runner_arguments, usual_arguments
from webapp.runs.states import Desired, Observed
from webapp.runs.storage.usage import full, measure_running
from webapp.runs.turns.alone import LOCK_S, alone
from webapp.runs.turns.pool_turns import LAUNCHES_IN_VAIN, PoolReconciler, in_vain_sentence, pools_in_use
from webapp.runs.turns.quiet import as_it_should_be, heard, note_quiet
from webapp.runs.versions.changeover_steps import bring_on_changes

logger = logging.getLogger(__name__)

ELSEWHERE: Final = (
    "No runner of this organisation is heard of, and this installation starts none (PUNCTUAL_RUNNERS). The run waits; "
    "whoever runs this installation can see to the organisation's runner on its cluster."
)
REPORTS_KEPT_S = 7 * 24 * 3600


@dataclass(frozen=True)
class Reconciler:
    """One organisation's reconciler; time, Redis and the launcher are given."""

    organisation: UUID
    connection: "redis.Redis"
    launcher: Launcher
    now: Callable[[], datetime] = timezone.now

    def turn(self) -> bool:
        """Copy what was observed, settle what needs no runner, write what is desired, and see that a runner lives.

        Return whether it was made: none is while another one is under way, which may not know what has changed since.
        """
        with organisation_context(self.organisation), alone(self.connection, self.organisation) as mine:
            if mine:
                self._turn()
            return mine

    def _turn(self) -> None:
        [digest] = heard(self.connection, [self.organisation])
        runs = list(Run.objects.filter(ended_at__isnull=True).select_related("binding"))
        outstanding = write_deliveries(self.connection)
        self._keep_for_readers()
        if runs or outstanding:
            admit_runner(self.connection, self.organisation)
        lease = self._lease()
        take_incidents(self.connection, self.organisation)
        self._observe(runs, lease)
        self._stop_when_full(runs)
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
            self._tell(desired, "internal", UNKNOWN)
        else:
            self._be_carried(belongs, lease, desired, outstanding=outstanding)
        if not as_it_should_be(runs) or changes:
            self._call(belongs)
        settled = not outstanding and not repairs and as_it_should_be(runs)
        quiet = settled and belongs is not None and self._is_there(belongs, lease, runs)
        note_quiet(self.connection, self.organisation, digest if quiet else None)

    def _call(self, belongs: Belonging | None) -> None:
        """Let the runner look now, not at its next turn."""
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

    def _is_there(self, belongs: Belonging, lease: RunnerLease | None, runs: Sequence[Run]) -> bool:
        """Whether the organisation is carried where it belongs, or nobody needs to carry it."""
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
            logger.exception("organisation %s: what bindings have still to read cannot be marked", self.organisation)

    def _lease(self) -> RunnerLease | None:
        """Return the lease of the runner that was heard of within LEASE_TTL_S."""
        content = self.connection.get(keys.lease(str(self.organisation)))
        try:
            return None if content is None else RunnerLease.model_validate_json(content)
        except ValidationError:
            logger.exception("organisation %s: the runner's lease cannot be read", self.organisation)
            return None

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
                logger.exception("run %s: the runner wrote what cannot be read", run.pk)

    def _stop_when_full(self, runs: Sequence[Run]) -> None:
        """Measure what the runs keep, and ask all of them to stop, their state kept, when there is no more room."""
        measure_running(runs)
        wanted = [run for run in runs if run.desired == Desired.RUNNING and run.ended_at is None]
        usage = full() if wanted else None
        if usage is None:
            return
        why = f"{usage.sentence}, so the run was asked to stop; its state is kept."
        sentence = f"{why} {usage.advice} Then start it again: it goes on where it stopped."
        for run in wanted:
            stop_for(run, sentence, self.now())

    def _belonging(self, lease: RunnerLease | None, *, active: bool) -> Belonging | None:
        try:
            return belonging(self.connection, lease, active=active, prepared=self._prepared)
        except HomesUnknown:
            logger.exception("organisation %s: it cannot be read which pools keep something of it", self.organisation)
            return None

    def _prepared(self) -> bool:
        """Whether an own runner of the organisation would be up at once; one is begun if there is a place for it."""
        if settings.RUNNERS == "elsewhere":
            return True
        has_room = has_place(self.connection, self.launcher, self.now(), self.organisation)
        return has_room and self.launcher.prepare(wanted_scale(), self.now())

    def _be_carried(
        self, belongs: Belonging, lease: RunnerLease | None, desired: Sequence[Run], *, outstanding: bool
    ) -> None:
        """Take or give back the seat in a pool; launch a runner of the organisation's own where it belongs there."""
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

    def _wait_for_pool(self, belongs: Belonging, desired: Sequence[Run]) -> None:
        if belongs.full:
            self._tell(desired, "external", no_room())
            return
        pool = None if belongs.seat is None else PooledRunner.objects.filter(number=belongs.seat).first()
        if pool is not None and pool.message is not None:
            self._tell(desired, pool.domain, pool.message)
        else:
            self._tell([run for run in desired if (run.message or "").startswith(WAITS)], None, None)

    def _write_desired(
        self,
        runs: Sequence[Run],
        belongs: Belonging | None,
        repairs: Mapping[UUID, str],
        changes: Mapping[str, RunSpec],
    ) -> None:
        """Write what the runner must do, and which one; the limit that holds for all runs together goes with it.

        `repairs`, by run, are those whose rows it is to give; `changes`, by name, what is carried beside a run, or in
        the place of one.
        """
        key, limits = keys.desired(str(self.organisation)), RunLimits(events_per_second=limit("events_per_second"))
        specs = {**{str(run.binding_id): _spec_with(run, repairs) for run in runs}, **changes}
        wanted = {name: spec.model_dump_json() for name, spec in specs.items()}
        with self.connection.pipeline(transaction=True) as together:
            together.delete(key)
            if wanted:
                together.hset(key, mapping=wanted)  # type: ignore[arg-type]
            together.set(keys.limits(str(self.organisation)), limits.model_dump_json())
            if belongs is not None and belongs.place is None:
                together.delete(keys.place(str(self.organisation)))
            elif belongs is not None:
                together.set(keys.place(str(self.organisation)), str(belongs.place))
            together.execute()

    def _forget(self, ended: Sequence[Run]) -> None:
        """Take out of Redis what nobody reads; the last report of each binding stays, for a runner that resumes."""
        organisation = str(self.organisation)
        for run in ended:
            self.connection.hdel(keys.observed(organisation), str(run.pk))
            self.connection.expire(keys.reports(organisation, str(run.pk)), REPORTS_KEPT_S)
            earlier = Run.objects.filter(binding=run.binding, created_at__lt=run.created_at)
            for old in earlier.values_list("pk", flat=True):
                self.connection.hdel(keys.progress(organisation), str(old))

    def _launch(self, desired: Sequence[Run]) -> None:
        if settings.RUNNERS == "elsewhere":
            self._tell(desired, "external", ELSEWHERE)
            return
        with self.connection.lock("punctual:runners", timeout=LOCK_S):  # who counts places and takes one is alone
            if not has_place(self.connection, self.launcher, self.now(), self.organisation):
                self._tell(desired, "external", no_place())
                return
            in_vain = ensure_runner(self.launcher, self.now())
        self._tell([run for run in desired if (run.message or "").startswith(WAITS)], None, None)
        if in_vain < LAUNCHES_IN_VAIN:
            return
        message = in_vain_sentence(in_vain)
        logger.error("organisation %s: %s It is %s.", self.organisation, message, runner_log(self.organisation))
        self._tell(desired, "internal", message)

    def _tell(self, runs: Sequence[Run], domain: str | None, message: str | None) -> None:
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
    """Make one turn for `organisation` with this installation's Redis and processes of this machine; whether it was."""
    with redis.Redis.from_url(settings.REDIS_URL) as connection:
        return Reconciler(organisation, connection, ProcessLauncher()).turn()


def reconcile_pools() -> None:
    """Make one turn for each pool with this installation's Redis and processes of this machine."""
    with redis.Redis.from_url(settings.REDIS_URL) as connection:
        for number in sorted(pools_in_use()):
            PoolReconciler(number, connection, ProcessLauncher()).turn()


def keep_standbys() -> None:
    """See that as many runners stand by on this machine as are wanted and have room."""
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
