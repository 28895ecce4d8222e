"""Moves of a run from one observed state to the next, and their consequences."""

import logging
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from streaming.wire.messages import RunnerLease, RunObserved
from streaming.wire.progress import ProgressReport
from webapp.audit.recording import Target, record
from webapp.core.server_paths import without_server_paths
from webapp.runs.lifecycle.journal import RunEventKind, note
from webapp.runs.lifecycle.liveness import UNHEARD, recovering, taken_over
from webapp.runs.lifecycle.starting import begin
from webapp.runs.lifecycle.state_events import announce
from webapp.runs.models import Run
from webapp.runs.states import CARRIED, ENDED, Desired, Observed, may_move

logger = logging.getLogger(__name__)

FIRST_RETRY_S = 5
LONGEST_RETRY_S = 300
_STRIDE = 389
"""Shifts a run's wait within the added quarter at each failure."""
_RAN = frozenset({Observed.RUNNING, Observed.LOST, Observed.RECOVERING})
SETTLED_AFTER = timedelta(minutes=10)
"""The back-off starts again for a run that ran for so long before it failed."""


def retry_after(failures: int, run: UUID) -> timedelta:
    """Return the wait after so many failures in a row: 5 s, 10 s, 20 s ... 300 s.

    Each run waits up to a quarter longer, depending on its id. Without this, all runs that lost a broker would ask it
    again at the same moment.
    """
    pause_s = min(FIRST_RETRY_S * 2 ** (min(failures, 20) - 1), LONGEST_RETRY_S)
    return timedelta(seconds=pause_s * (1 + (run.int + failures * _STRIDE) % 1_000 / 4_000))


def move(run: Run, to: Observed, now: datetime, *, domain: str | None = None, message: str | None = None) -> None:
    """Move `run`, save it and announce it; the caller has checked `may_move`.

    A stop ends the run, and so does the end of its inputs. A failure ends it too, unless the domain is external and
    the user still wants it to run: then it is retried later. A run stopped by a full quota says so until its end.
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
        if action := _audit_action(run, to):
            record(action, target=target_of(run), before=before, after=audited(run))
    announce(run)


def target_of(run: Run) -> Target:
    """Return the run as the audit log names it: by its binding."""
    return Target("run", run.pk, run.binding.name)


def audited(run: Run) -> dict[str, Any]:
    """Return the entry of a run in the audit log: its query, and its desired and observed state."""
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


def _audit_action(run: Run, to: Observed) -> str | None:
    """Return the audit action of a move; None if the run has not ended, for example while a failure is retried.

    Otherwise an adapter that cannot be reached would write an audit event every five minutes.
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
    """Copy the runner's observation of `run`, unless it was copied already or the move is not legal.

    A lost run is taken up again by an earlier observation if the same runner responds again: it does not repeat it.
    """
    same_runner = lease is not None and seen.at >= lease.started_at
    is_back = run.observed == Observed.LOST and same_runner
    if run.observed_at is not None and seen.at <= run.observed_at and not is_back:
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
    by_new_runner = same_runner and taken_over(lease, run.changed_at)  # the same state, dated by the new runner
    changed = old is not new or by_new_runner or (run.domain, run.message) != (seen.domain, message)
    run.observed_at = seen.at
    if changed:
        move(run, new, now, domain=seen.domain, message=message)
    else:
        run.save(update_fields=["observed_at"])


def take_report(run: Run, report: ProgressReport, lease: RunnerLease | None, now: datetime) -> None:
    """Store the newest report; a lost run that has made progress since then is running."""
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
    """Ask `run` to stop, keeping its state, for the reason in `sentence`."""
    before = audited(run)
    run.desired, run.stopped_because, run.changed_at = Desired.STOPPED, sentence, now
    run.domain, run.message = "user", sentence
    with transaction.atomic():
        run.save(update_fields=["desired", "stopped_because", "changed_at", "domain", "message"])
        note(run, RunEventKind.STOP, message=sentence, domain="user", at=now)
        record("run.stopped", target=target_of(run), before=before, after=audited(run))
    announce(run)


def park(run: Run, sentence: str, now: datetime) -> None:
    """Let `run` wait, keeping its state, for the reason in `sentence`; only `unpark` starts it again."""
    move(run, Observed.FAILED, now, domain="external", message=sentence)
    run.failures, run.retry_at = 0, None
    run.save(update_fields=["failures", "retry_at"])


def unpark(run: Run, now: datetime) -> None:
    """Start a parked run again where it stopped."""
    move(run, Observed.REQUESTED, now)


def lose(run: Run, now: datetime) -> None:
    """Mark `run` lost if a runner should carry it; its runner has gone silent."""
    if Observed(run.observed) in CARRIED:
        move(
            run,
            Observed.LOST,
            now,
            domain="internal",
            message=f"Unknown since {now:%H:%M:%S} UTC: {UNHEARD}",
        )


def take_up(run: Run, lease: RunnerLease, now: datetime) -> None:
    """Mark a lost `run` as recovering once a new runner lives."""
    if run.observed == Observed.LOST and taken_over(lease, run.changed_at):
        move(run, Observed.RECOVERING, now, message=recovering(lease))


def settle(run: Run, now: datetime) -> None:
    """Make the moves that need no runner: a stop of a run that no runner carries, and a retry that is due."""
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
