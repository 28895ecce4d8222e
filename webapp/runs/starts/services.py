"""Requests to start and stop bindings. The reconciler does the rest."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import IntegrityError, transaction
from django.utils import timezone

from streaming.definition.counts import counted
from streaming.definition.graph import QueryGraph
from streaming.wire.beginning import BeginAt
from streaming.wire.freshness import Freshness
from streaming.wire.messages import InputSpec, RunSpec
from webapp.accounts.models import User
from webapp.accounts.organisations import check_open
from webapp.audit.recording import record
from webapp.core.context import current_actor
from webapp.core.errors import Conflict, Faulty
from webapp.queries.texts import text_of
from webapp.runs.access import bound_inputs, latest_run, next_number, open_run
from webapp.runs.bindings.changing import call_off_by_stop, refuse_while_changing
from webapp.runs.bindings.mending import with_targets
from webapp.runs.bound_inputs import BoundInput
from webapp.runs.inputs.checking import BoundChecked, bind, checked_for_start, definitions, refuses
from webapp.runs.inputs.footprints import note_footprints
from webapp.runs.lifecycle.journal import RunEventKind, note
from webapp.runs.lifecycle.moves import audited, target_of
from webapp.runs.lifecycle.starting import begin
from webapp.runs.lifecycle.state_events import announce
from webapp.runs.lifecycle.turn_requests import reconcile_soon
from webapp.runs.models import Binding, Run
from webapp.runs.outputs.bound_outputs import BoundOutput, outputs_of, store_outputs
from webapp.runs.outputs.composing import check_composed, input_faults, with_reader
from webapp.runs.outputs.deliveries import stopped_deliveries
from webapp.runs.outputs.output_checks import checked_outputs
from webapp.runs.repairs.repair_steps import finish_repair, refuse_while_repaired
from webapp.runs.starts.discarding import begin_after, state_is_dropped
from webapp.runs.starts.shown_starts import ChangedMeanwhile, mark_of
from webapp.runs.states import Desired, Observed
from webapp.runs.storage.usage import check_room_for_run, measure
from webapp.streams.access import stream_definitions

KEPT: Final = "Its state is kept: the next start resumes from there."
FLUSHED: Final = "All windows are closed first, as if its inputs had ended."
DISCARDED: Final = "Its state is discarded, so the next start can't resume from it. Emitted results stay."


def results_folder(binding: Binding) -> str:
    """Return the folder of results and quarantine inside the organisation's folder."""
    return f"results/{binding.pk}"


def checked_before_start(binding: Binding) -> BoundChecked:
    """Return the errors of the binding as it is now, with its adapters tried, and its nodes without a clock.

    If it has no errors, stopped deliveries are tried again, because their targets were just checked.
    """
    checked, outputs = checked_version(binding, binding.query_version.read_graph(), bound_inputs(binding))
    if refuses(checked.faults) or not outputs:
        return checked
    stopped = stopped_deliveries() & {each.identity for each in outputs}
    if stopped or outputs != outputs_of(binding):  # the fields of the streams have changed
        store_outputs(binding, outputs, retried=stopped)
        binding.save(update_fields=["outputs"])
    return checked


def checked_version(
    binding: Binding, graph: QueryGraph, inputs: Mapping[str, BoundInput]
) -> tuple[BoundChecked, list[BoundOutput]]:
    """Return the errors of `binding` with `graph` and `inputs`, and its outputs with their new fields."""
    streams, outputs = stream_definitions(), outputs_of(binding)
    checked = checked_for_start(graph, inputs, streams)
    if not refuses(checked.faults):
        checked = BoundChecked([*checked.faults, *input_faults(inputs)], checked.clockless)
    if not outputs or refuses(checked.faults):
        return checked, outputs
    tried = checked_outputs(graph, inputs, streams, outputs, "mendable")
    found = BoundChecked([*checked.faults, *tried.faults], checked.clockless)
    return found, outputs if tried.faults else tried.outputs


@dataclass(frozen=True)
class StartOutcome:
    """The result of a start request: the run, and whether this request created it."""

    run: Run
    is_new: bool


def start(
    *,
    binding: Binding,
    by: User | None,
    begin_at: BeginAt | None = None,
    shown: str | None = None,
    within: Callable[[], object] = lambda: None,
) -> StartOutcome:
    """Start a run of `binding`. Raises `Faulty` with all errors, `Conflict` while another run is open.

    `shown`: the mark (`mark_of`) of the start that the user saw; raises `ChangedMeanwhile` if it no longer applies.
    `within` is called in the transaction before the run is stored; its exceptions undo everything.

    A second request for the same start, before a runner carries the first or while that is being checked, returns
    the same run. Raises `Conflict` while the organisation waits for its deletion; that is checked under the lock under
    which a deletion stops runs, so no run slips in between. The same lock covers the count of places: raises
    `OverQuota` while too many runs are open or the storage quota is full. `begin_at`: the start position
    (`streaming/wire/beginning.py`); discarded state is not resumed (`discarding`).
    """
    now = timezone.now()
    same, last = _same_start(binding, now, begin_at), latest_run(binding)
    if same is not None:
        return StartOutcome(same, is_new=False)
    checked = checked_before_start(binding)
    if refuses(checked.faults):
        inputs, query = bound_inputs(binding), binding.query_version.query
        message = f"{counted(len(checked.faults), 'error')} found. Fix them, then start {binding.name} again."
        raise Faulty(with_targets(checked.faults, inputs, query, binding), message)
    measure(binding)
    run = _new_run(binding, by, now)
    spec = _with_position(spec_of(run), begin_at, dropped=state_is_dropped(binding))
    if shown is not None and shown != mark_of(last, spec) and open_run(binding) is None:
        raise ChangedMeanwhile(binding)
    run.spec = spec.model_dump(mode="json", exclude_defaults=True)
    begin(run, now)
    finish_repair(binding)
    run.without_clock = [each.model_dump(mode="json") for each in checked.clockless]
    try:
        with transaction.atomic():
            check_open("nothing is started")
            if open_run(binding) is None:  # else the check below refuses it with a better message
                check_room_for_run(dedicated=binding.dedicated)
                if shown is not None and latest_run(binding) != last:  # a run started and ended during the check
                    raise ChangedMeanwhile(binding)
            _refuse_while_under_way(binding)
            within()
            run.number = next_number()
            run.save()
            note(run, RunEventKind.STARTED, message=f"{run.query_name}, version {run.query_version}.", at=now)
            note_footprints(run, bound_inputs(binding), now)
            check_composed()
            record("run.started", target=target_of(run), after=audited(run))
    except IntegrityError:
        same = _same_start(binding, now, begin_at)
        if same is not None:
            return StartOutcome(same, is_new=False)
        raise Conflict(f"{binding.name} has a run that has not ended. Stop it first.") from None
    announce(run)
    reconcile_soon(binding.organisation_id)
    return StartOutcome(run, is_new=True)


def _new_run(binding: Binding, by: User | None, now: datetime) -> Run:
    """Return a requested run of `binding`, unsaved and without its specification."""
    version = binding.query_version
    return Run(
        binding=binding,
        binding_name=binding.name,
        query=version.query,
        query_name=version.query.name,
        query_version=version.number,
        query_text=text_of(version),
        desired=Desired.RUNNING,
        observed=Observed.REQUESTED,
        dedicated=binding.dedicated,
        started_by=by,
        started_by_label=current_actor().label,
        created_at=now,
        changed_at=now,
    )


def _refuse_while_under_way(binding: Binding) -> None:
    """Raise `Conflict` while a repair of `binding` is being applied, or another version takes over."""
    refuse_while_repaired(binding)
    refuse_while_changing(binding)


def _same_start(binding: Binding, since: datetime, begin_at: BeginAt | None) -> Run | None:
    """Return the open run that a request made at `since` repeats: same specification, not carried yet or newer.

    Without this the second click of a double-click would be answered by a conflict with the first.
    """
    run = open_run(binding)
    if run is None or run.desired != Desired.RUNNING or run.failures:
        return None
    if run.observed not in {Observed.REQUESTED, Observed.STARTING} and run.created_at < since:
        return None
    known = run.read_spec()
    asked = _with_position(spec_of(run), begin_at, dropped=known.after_discard)
    return run if known == asked.model_copy(update={"dedicated": binding.dedicated}) else None


def _with_position(spec: RunSpec, begin: BeginAt | None, *, dropped: bool) -> RunSpec:
    """Return `spec` with the start position `begin`; `dropped`: the previous state was discarded."""
    return spec.model_copy(update={"begin": begin_after(begin, dropped=dropped), "after_discard": dropped})


def spec_of(run: Run) -> RunSpec:
    """Return what a runner must do for `run`, from its binding as it is now."""
    return spec_from(run, run.binding.query_version.read_graph(), bound_inputs(run.binding))


def spec_from(run: Run, graph: QueryGraph, bound: Mapping[str, BoundInput]) -> RunSpec:
    """Return what a runner would have to do for `run` if its binding had `graph` with the inputs `bound`."""
    read = definitions(graph, bound)
    inputs = {
        node: InputSpec(
            stream=read[node],
            adapter=with_reader(each.stream.read_adapter(), run.binding_id, node),
            advance=each.advance,
        )
        for node, each in bound.items()
    }
    return RunSpec(
        organisation=str(run.binding.organisation_id),
        binding=str(run.binding_id),
        run=str(run.pk),
        desired="running",
        query=bind(graph, bound),
        inputs=inputs,
        results=results_folder(run.binding),
        dedicated=run.dedicated,
        freshness=Freshness(run.binding.freshness).ticks,
    )


def stop(*, binding: Binding, flush: bool, discard: bool = False) -> Run:
    """Ask the open run of `binding` to stop; a further call may add a flush, or replace it by a discard.

    Rows that a flush under way has emitted stay. Repeating the same request, as a double-click does, changes and
    records nothing. Raises `Conflict` if no run is open.
    """
    with transaction.atomic():
        Binding.objects.select_for_update(of=("self",)).get(pk=binding.pk)  # the second of two calls sees the first
        run = open_run(binding)
        if run is None:
            raise Conflict(f"{binding.name} is not running, so there is nothing to stop.")
        if run.desired == Desired.STOPPED and (run.flush or not flush) and (run.discard or not discard):
            return run
        call_off_by_stop(binding)
        before = audited(run)
        run.desired = Desired.STOPPED
        run.flush, run.discard = run.flush or flush, run.discard or discard
        run.changed_at = timezone.now()
        run.save(update_fields=["desired", "flush", "discard", "changed_at"])
        words = DISCARDED if run.discard else FLUSHED if run.flush else KEPT
        note(run, RunEventKind.STOP, message=words, at=run.changed_at)
        record("run.stopped", target=target_of(run), before=before, after=audited(run))
    announce(run)
    reconcile_soon(binding.organisation_id)
    return run
