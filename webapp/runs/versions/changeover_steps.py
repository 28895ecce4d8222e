"""The steps of a change to another version: the new version catches up, takes over, and becomes the run.

Each step may be repeated after a kill of worker, runner or both. The row of the change alone decides what a runner
carries: the run and the one next to it during the catch-up, the next run in their place afterwards. The next run
becomes the run of the binding when the previous one has ended, which nothing prevents any more.
"""

import logging
from datetime import datetime, timedelta
from typing import Any, Final

import redis
from django.db import transaction

from streaming.resume.changeover import forget_held
from streaming.wire import keys
from streaming.wire.messages import BESIDE, RunObserved, RunSpec
from streaming.wire.progress import ProgressReport
from webapp.accounts.organisations import lock_organisation
from webapp.audit.recording import record
from webapp.core.errors import Conflict, Faulty
from webapp.core.server_paths import without_server_paths
from webapp.queries.texts import text_of
from webapp.runs.access import bound_inputs, next_number
from webapp.runs.bindings.binding_rows import write_binding
from webapp.runs.bindings.changing import ChangeProgress, call_off, chosen_for, spec_beside
from webapp.runs.inputs.footprints import note_footprints
from webapp.runs.kept_folders import shared_folder
from webapp.runs.lifecycle.journal import RunEventKind, note
from webapp.runs.lifecycle.moves import audited, move, target_of
from webapp.runs.lifecycle.starting import begin
from webapp.runs.lifecycle.state_events import announce
from webapp.runs.models import Binding, Run, VersionChange
from webapp.runs.outputs.bound_outputs import outputs_of, store_outputs
from webapp.runs.repairs.repair_steps import open_repair
from webapp.runs.states import ChangeState, Desired, Observed

logger = logging.getLogger(__name__)

REPORTS_KEPT_S: Final = 3600
SWEPT_AFTER: Final = timedelta(minutes=1)
"""After a change is called off, its runner may still write a batch of the results that it held."""
RUN_ENDED: Final = "The run ended before the new version had caught up."
BINDING_CHANGED: Final = "The binding has been changed to another version since. Change the version again."
DELETED: Final = "The new version has been deleted since."
HAS_STOPPED: Final = "Version {version} has taken over without a pause."
TOOK_OVER: Final = "{query}, version {version}, takes over from the previous run without a pause."


def bring_on_changes(connection: "redis.Redis", now: datetime) -> dict[str, RunSpec]:
    """Make the next step of every change of the organisation in context; return the specifications to carry, by name.

    They replace a run of the same name. Without a runner nothing happens.
    """
    wanted: dict[str, RunSpec] = {}
    open_ = VersionChange.objects.filter(ended_at__isnull=True).select_related(
        "binding", "run__binding", "query_version"
    )
    for change in open_:
        if change.state == ChangeState.CATCHING_UP:
            _catch_up(connection, change)
        if change.state == ChangeState.TAKING_OVER:
            wanted[str(change.binding_id)] = RunSpec.model_validate(change.spec)
            _finish(connection, change, now)
        elif change.state == ChangeState.CATCHING_UP:
            wanted[f"{change.binding_id}{BESIDE}"] = spec_beside(change)
    for change in VersionChange.objects.filter(ended_at__isnull=False, swept=False):
        _sweep(connection, change, now)
    return wanted


def _read_reports(
    connection: "redis.Redis", change: VersionChange, run: Any
) -> tuple[RunObserved | None, ProgressReport | None]:
    organisation = str(change.organisation_id)
    seen = connection.hget(keys.observed(organisation), str(run))
    report = connection.hget(keys.progress(organisation), str(run))
    return (
        None if seen is None else RunObserved.model_validate_json(seen),
        None if report is None else ProgressReport.model_validate_json(report),
    )


def _catch_up(connection: "redis.Redis", change: VersionChange) -> None:
    """Note the progress of a change; call it off if it can't continue, let it take over if it has caught up."""
    seen, report = _read_reports(connection, change, change.pk)
    if seen is not None and seen.state == "failed":
        _call_off(change, without_server_paths(seen.message or "", change.organisation_id))
    elif change.run.ended_at is not None or change.run.desired != Desired.RUNNING:
        _call_off(change, RUN_ENDED)
    elif report is not None and report.behind is not None:
        _note_progress(change, report, report.behind)
        if report.behind == 0 and seen is not None and seen.state == "running":
            _take_over(change)


def _call_off(change: VersionChange, why: str) -> None:
    with transaction.atomic():
        locked = VersionChange.objects.select_for_update(of=("self",)).get(pk=change.pk)
        if locked.state == ChangeState.CATCHING_UP:
            call_off(locked, ChangeState.FAILED, why)
    change.refresh_from_db(fields=["state", "message", "ended_at", "spec"])


def _note_progress(change: VersionChange, report: ProgressReport, behind: int) -> None:
    before = None if change.progress is None else ChangeProgress.model_validate(change.progress)
    progress = ChangeProgress(
        behind=behind,
        at=report.at,
        first_behind=behind if before is None else before.first_behind,
        first_at=report.at if before is None else before.first_at,
        held=report.results,
        sentence="" if report.beginning is None else report.beginning.sentence,
    ).model_dump(mode="json")
    if progress != change.progress:
        change.progress = progress
        change.save(update_fields=["progress"])


def _take_over(change: VersionChange) -> None:
    """Record that it takes over from now on, if its run is running and nothing else is under way in the binding."""
    with transaction.atomic():
        binding = Binding.objects.select_for_update(of=("self",)).get(pk=change.binding_id)
        locked = VersionChange.objects.select_for_update(of=("self",)).get(pk=change.pk)
        run = Run.objects.select_for_update(of=("self",)).get(pk=change.run_id)
        if locked.state != ChangeState.CATCHING_UP or run.observed != Observed.RUNNING or open_repair(binding.pk):
            return
        why = _write_version(binding, change)
        if why is not None:
            call_off(locked, ChangeState.FAILED, why)
        else:
            locked.state = ChangeState.TAKING_OVER
            locked.save(update_fields=["state"])
    change.refresh_from_db(fields=["state", "message", "ended_at", "spec"])


def _write_version(binding: Binding, change: VersionChange) -> str | None:
    """Change `binding` to the new version, with the fields that its outputs get; return why that is impossible."""
    version = change.query_version
    if version is None:
        return DELETED
    if binding.query_version_id not in (change.from_version, version.pk):
        return BINDING_CHANGED
    fields = change.settled["fields"]
    outputs = [
        each.model_copy(update={"fields": fields.get(each.identity, each.fields)}) for each in outputs_of(binding)
    ]
    try:
        with transaction.atomic():
            chosen, faults = chosen_for(binding, version)
            if faults:
                return BINDING_CHANGED
            store_outputs(binding, outputs)
            write_binding(binding, version, dict(chosen))
    except (Conflict, Faulty) as error:
        return str(error)
    return None


def _finish(connection: "redis.Redis", change: VersionChange, now: datetime) -> None:
    """Make the next run the binding's run once the previous one has ended, by its report or because the next runs."""
    run = change.run
    seen, _ = _read_reports(connection, change, change.next_run)
    if run.ended_at is None and (seen is None or seen.state == "starting"):
        return
    with transaction.atomic():
        if run.ended_at is None:
            run.desired = Desired.STOPPED
            move(run, Observed.STOPPED, now)
        lock_organisation()
        next_run = _next_run(change, now)
        next_run.save(force_insert=True)
        note(run, RunEventKind.CHANGED, message=HAS_STOPPED.format(version=change.version), at=now)
        words = TOOK_OVER.format(query=next_run.query_name, version=change.version)
        note(next_run, RunEventKind.STARTED, message=words, at=now)
        note_footprints(next_run, bound_inputs(change.binding), now)
        record("run.started", target=target_of(next_run), after=audited(next_run))
        change.state, change.ended_at, change.spec = ChangeState.DONE, now, None
        change.ctis = {} if run.progress is None else run.progress["output_ctis"]
        change.save(update_fields=["state", "ended_at", "spec", "ctis"])
    announce(run)
    announce(next_run)


def _next_run(change: VersionChange, now: datetime) -> Run:
    version = change.query_version or change.binding.query_version
    run = Run(
        pk=change.next_run,
        binding=change.binding,
        binding_name=change.binding.name,
        query=version.query,
        query_name=version.query.name,
        query_version=version.number,
        query_text=text_of(version),
        spec=change.spec,
        desired=Desired.RUNNING,
        observed=Observed.REQUESTED,
        without_clock=change.settled["without_clock"],
        started_by=change.asked_by,
        started_by_label=change.by_label,
        created_at=now,
        number=next_number(),
        changed_at=now,
    )
    begin(run, now)
    return run


def _sweep(connection: "redis.Redis", change: VersionChange, now: datetime) -> None:
    """Remove the results that the run held once nothing writes or reads them any more."""
    if change.ended_at is None or now - change.ended_at < SWEPT_AFTER:
        return
    next_run = Run.objects.filter(pk=change.next_run).first()
    if next_run is not None and next_run.progress is None and next_run.ended_at is None:
        return
    try:
        forget_held(shared_folder(), str(change.binding_id), str(change.pk))
    except OSError:
        logger.exception("the results held by the change %s cannot be removed; retrying", change.pk)
        return
    organisation = str(change.organisation_id)
    connection.hdel(keys.observed(organisation), str(change.pk))
    connection.hdel(keys.progress(organisation), str(change.pk))
    connection.expire(keys.reports(organisation, str(change.pk)), REPORTS_KEPT_S)
    change.swept = True
    change.save(update_fields=["swept"])
