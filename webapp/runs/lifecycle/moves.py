"""Moving a run from one observed state to the next, and what follows from each."""

import logging
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from streaming.wire.messages import ProgressReport, RunnerLease, RunObserved
from webapp.audit.recording import Target, record
from webapp.core.server_paths import without_server_paths
from webapp.runs.lifecycle.journal import RunEventKind, note
from webapp.runs.lifecycle.liveness import recovering, taken_over
from webapp.runs.lifecycle.starting import begin
from webapp.runs.lifecycle.state_events import announce
from webapp.runs.models import Run
from webapp.runs.states import CARRIED, ENDED, Desired, Observed, may_move

logger = logging.getLogger(__name__)

FIRST_RETRY_S = 5
LONGEST_RETRY_S = 300
_STRIDE = 389
"""Moves a run to another place within that quarter with each failure."""
_RAN = frozenset({Observed.RUNNING, Observed.LOST, Observed.RECOVERING})
SETTLED_AFTER = timedelta(minutes=10)
"""A run that has run for so long before it failed starts its back-off anew."""


def retry_after(failures: int, run: UUID) -> timedelta:
    """Return how long to wait before trying again after so many failures in a row: 5 s, 10 s, 20 s ... 300 s.

    Each run waits up to a quarter longer, by its id: without this, all that a broker has let down would ask it again
    at the same moment.
    """
    pause_s = min(FIRST_RETRY_S * 2 ** (min(failures, 20) - 1), LONGEST_RETRY_S)
    return timedelta(seconds=pause_s * (1 + (run.int + failures * _STRIDE) % 1_000 / 4_000))


def move(run: Run, to: Observed, now: datetime, *, domain: str | None = None, message: str | None = None) -> None:
    """Move `run`, write it and announce it; the caller has asked `may_move`.

    A stop ends the run, and so does the end of its inputs. A failure ends it too, unless the domain is external and
    the user still wants it to run: then it is tried again later. What a full quota stopped says so until its end.
    """
    before = audited(run)
    if to is Observed.FAILED:
        _fail(run, now, domain)
    elif to in ENDED:
        run.ended_at, run.desired = now, Desired.STOPPED
    if to is Observed.REQUESTED:
        run.retry_at = None
    if to in {Observed.REQUESTED, Observed.LOST}:
        begin(run, now)
    if run.stopped_because and message is None:
        domain, message = "user", run.stopped_because
    run.observed, run.domain, run.message, run.changed_at = to, domain, message, now
    fields = ["observed", "domain", "message", "changed_at", "ended_at", "failures", "retry_at", "observed_at", "steps"]
    with transaction.atomic():
        run.save(update_fields=[*fields, "desired"] if run.ended_at else fields)
        note(run, RunEventKind.MOVED, message=message, observed=to, domain=domain, at=now)
        if action := _told(run, to):
            record(action, target=target_of(run), before=before, after=audited(run))
    announce(run)


def target_of(run: Run) -> Target:
    """Return the run as the audit log names it: by its binding."""
    return Target("run", run.pk, run.binding.name)


def audited(run: Run) -> dict[str, Any]:
    """Return what the audit log keeps of a run: what it carries, what is wanted and what was seen."""
    spec = run.read_spec()
    return {
        "binding": str(run.binding_id),
        "query": spec.query.name,
        "dedicated": run.dedicated,
        "desired": run.desired,
        "flush": run.flush,
        "discard": run.discard,
        "observed": run.observed,
        "domain": run.domain,
        "message": run.message,
    }


def _told(run: Run, to: Observed) -> str | None:
    """Return the action of the event that tells of a move; None for what is no end, and for a failure that is retried.

    Without this, an adapter that cannot be reached would write an event every five minutes.
    """
    if to is Observed.LOST:
        return "run.lost"
    if run.ended_at is None:
        return None
    return "run.failed" if to is Observed.FAILED else "run.ended"


def _fail(run: Run, now: datetime, domain: str | None) -> None:
    settled = run.observed == Observed.RUNNING and now - run.changed_at >= SETTLED_AFTER
    run.failures = 1 if settled else run.failures + 1
    if domain == "external" and run.desired == Desired.RUNNING:
        run.retry_at = now + retry_after(run.failures, run.pk)
        return
    run.ended_at, run.desired = now, Desired.STOPPED
    if domain != "user":
        logger.error("run %s of organisation %s failed: domain %s", run.pk, run.organisation_id, domain)


def take_observation(run: Run, seen: RunObserved, lease: RunnerLease | None, now: datetime) -> None:
    """Copy what the runner saw of `run`, unless it was copied before or no such move is legal.

    A run that was thought lost is taken up again by what its runner said before, if that same runner is heard again:
    it does not say it twice.
    """
    same_runner = lease is not None and seen.at >= lease.started_at
    found_again = run.observed == Observed.LOST and same_runner
    if run.observed_at is not None and seen.at <= run.observed_at and not found_again:
        return
    old, new = Observed(run.observed), Observed(seen.state)
    if new is Observed.STARTING and old in _RAN:
        new = Observed.RECOVERING
    if old is not new and not may_move(old, new):
        logger.warning("run %s: the runner reports %s after %s; ignored", run.pk, new, old)
        return
    message = None if seen.message is None else without_server_paths(seen.message, run.organisation_id)
    if new is Observed.RECOVERING and message is None:
        message = recovering(lease)
    anew = same_runner and taken_over(lease, run.changed_at)  # the same, but by another runner: its time counts
    changed = old is not new or anew or (run.domain, run.message) != (seen.domain, message)
    run.observed_at = seen.at
    if changed:
        move(run, new, now, domain=seen.domain, message=message)
    else:
        run.save(update_fields=["observed_at"])


def take_report(run: Run, report: ProgressReport, lease: RunnerLease | None, now: datetime) -> None:
    """Keep the newest report; a run that was thought lost and has made progress since is running."""
    newest = report.model_dump(mode="json")
    if newest != run.progress:
        first = run.progress is None
        run.progress = newest
        with transaction.atomic():
            run.save(update_fields=["progress"])
            if first and report.beginning is not None and report.beginning.how != "carried_over":
                note(run, RunEventKind.BEGAN, message=report.beginning.sentence, at=now)
    away = run.observed in {Observed.LOST, Observed.RECOVERING}
    if away and lease is not None and report.at > run.changed_at.timestamp() * 1_000_000:
        move(run, Observed.RUNNING, now)


def stop_for(run: Run, sentence: str, now: datetime) -> None:
    """Ask `run` to stop with its state kept, because of what `sentence` says."""
    before = audited(run)
    run.desired, run.stopped_because, run.changed_at = Desired.STOPPED, sentence, now
    run.domain, run.message = "user", sentence
    with transaction.atomic():
        run.save(update_fields=["desired", "stopped_because", "changed_at", "domain", "message"])
        note(run, RunEventKind.STOP, message=sentence, domain="user", at=now)
        record("run.stopped", target=target_of(run), before=before, after=audited(run))
    announce(run)


def lose(run: Run, now: datetime) -> None:
    """Mark `run` lost if a runner should uphold it; its runner has gone silent."""
    if Observed(run.observed) in CARRIED:
        move(
            run,
            Observed.LOST,
            now,
            domain="internal",
            message=f"Unknown since {now:%H:%M:%S} UTC: its runner went silent. It is being started again.",
        )


def take_up(run: Run, lease: RunnerLease, now: datetime) -> None:
    """Mark a lost `run` as recovering once a new runner lives."""
    if run.observed == Observed.LOST and taken_over(lease, run.changed_at):
        move(run, Observed.RECOVERING, now, message=recovering(lease))


def settle(run: Run, now: datetime) -> None:
    """Make the moves that need no runner: a stop of what nobody carries, and a retry that is due."""
    if run.ended_at is not None:
        return
    observed = Observed(run.observed)
    if run.desired == Desired.STOPPED:
        waits = observed is Observed.REQUESTED and run.observed_at is None
        needs_runner = run.flush and not run.discard
        if observed is Observed.FAILED or (not needs_runner and (waits or observed is Observed.LOST)):
            move(run, Observed.STOPPED, now)
    elif observed is Observed.FAILED and run.retry_at is not None and run.retry_at <= now:
        move(run, Observed.REQUESTED, now, domain=run.domain, message=run.message)
