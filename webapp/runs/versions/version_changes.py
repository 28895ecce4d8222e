"""Requests for a change to another version without a pause: refusing, starting and calling them off."""

from datetime import datetime
from typing import Final
from uuid import uuid4

from django.db import IntegrityError, transaction
from django.utils import timezone

from streaming.definition.counts import counted
from streaming.definition.graph import InputNode, QueryGraph, WindowNode
from streaming.definition.streams.stream import Rowtime
from streaming.resume.restart_points import concealed_spec, facts_of, plan_beginning
from streaming.wire.messages import RunSpec
from webapp.accounts.models import User
from webapp.accounts.organisations import check_open
from webapp.audit.recording import record
from webapp.core.context import current_actor
from webapp.core.errors import Conflict, Faulty
from webapp.queries.models import QueryVersion
from webapp.runs.access import open_run
from webapp.runs.audit_targets import target_of
from webapp.runs.bindings.changing import call_off, chosen_for, open_change, refuse_while_changing
from webapp.runs.bindings.mending import with_targets
from webapp.runs.inputs.checking import refuses
from webapp.runs.lifecycle.journal import RunEventKind, note
from webapp.runs.lifecycle.turn_requests import reconcile_soon
from webapp.runs.models import Binding, Run, VersionChange
from webapp.runs.outputs.composing import reader_faults
from webapp.runs.repairs.repair_steps import refuse_while_repaired
from webapp.runs.starts.asked_inputs import gone_inputs
from webapp.runs.starts.next_start import NO_VERSION, restart_points, spec_of_version
from webapp.runs.starts.services import checked_version, spec_from
from webapp.runs.states import ChangeState, Desired, Observed
from webapp.runs.storage.usage import check_room_for_run
from webapp.streams.access import stream_definitions

ORDINARY: Final = "Stop the run and start it with the new version instead."
NOT_RUNNING: Final = "{name} is not running now. Wait until it is, or start it with the new version."
DEDICATED: Final = "A binding with a streaming query of its own can't carry two versions side by side. " + ORDINARY
SAME: Final = "The run already has this version, so its results would not change."
NOTHING_KEPT: Final = "The run has not completed a batch yet. Wait until it has, then change the version."
READS_AGAIN: Final = (
    "The run is still reading again the rows of windows that were open at its start. Wait until it has finished, then "
    "change the version."
)
OTHER_INPUTS: Final = "The inputs of the new version read other sources than those of the run. " + ORDINARY
GONE: Final = "The input {name} no longer has the rows that the new version would have to read again. " + ORDINARY
EARLY: Final = "{which} version emits rows before they are final, which the other one could not retract. " + ORDINARY
EDGES: Final = "An input has edge events, which may stay open for ever. " + ORDINARY
BY_THE_CLOCK: Final = (
    "The time of the input {node} follows the wall clock or another input, so it would differ when the rows are read "
    "again. " + ORDINARY
)
UNDER_WAY: Final = "Version {version} is already catching up in {name}. Wait until it has taken over, or call it off."
BEGUN: Final = "Version {version} is catching up and will take over without a pause."
CANCELLED: Final = "Somebody called it off."
TOO_LATE: Final = "No other version is catching up in {name} now, so there is nothing to call off."


def refusal(binding: Binding, version: QueryVersion) -> str | None:
    """Return why `binding` can't be changed to `version` without a pause now; None if it can."""
    run, change = open_run(binding), open_change(binding)
    if change is not None:
        return UNDER_WAY.format(version=change.version, name=binding.name)
    if run is None or run.observed != Observed.RUNNING or run.desired != Desired.RUNNING:
        return NOT_RUNNING.format(name=binding.name)
    if run.dedicated or binding.dedicated:
        return DEDICATED
    chosen, faults = chosen_for(binding, version)
    if faults:
        return NO_VERSION
    return _refusal_by_state(binding, run, spec_from(run, version.read_graph(), chosen))


def _refusal_by_state(binding: Binding, run: Run, spec: RunSpec) -> str | None:
    before, facts, points = run.read_spec(), facts_of(concealed_spec(spec)), restart_points(binding)
    if not points or run.progress is None:
        return NOTHING_KEPT
    if facts.fits(points[0].shape) and points[0].run == str(run.pk):
        return SAME
    if run.progress.get("reading_again"):
        return READS_AGAIN
    by_definition = _refusal_by_definition(before, spec)
    if by_definition is not None:
        return by_definition
    planned = plan_beginning(points, facts, "oldest_open", None)
    whole = set(planned.kept) == set(facts.sources) == set(before.inputs)
    return None if planned.beginning.how == "oldest_open" and whole else OTHER_INPUTS


def _refusal_by_definition(before: RunSpec, after: RunSpec) -> str | None:
    early = next((which for which, each in (("The old", before), ("The new", after)) if _early(each.query)), None)
    if early is not None:
        return EARLY.format(which=early)
    if any(each.stream.shape == "edge" for each in after.inputs.values()):
        return EDGES
    clock = _by_the_clock(after)
    return None if clock is None else BY_THE_CLOCK.format(node=clock)


def _early(graph: QueryGraph) -> bool:
    return any(isinstance(node, WindowNode) and node.emit != "final" for node in graph.nodes)


def _by_the_clock(spec: RunSpec) -> str | None:
    """Return the first input whose lanes are fed together with others, as time passes."""
    for node in spec.query.nodes:
        if not isinstance(node, InputNode):
            continue
        stream = spec.inputs[node.id].stream
        advance = spec.inputs[node.id].advance or stream.advance
        if stream.rowtime is Rowtime.IMPLICIT or advance.import_from or advance.over or advance.idle_after:
            return node.id
    return None


def begin_change(*, binding: Binding, version: QueryVersion, by: User | None) -> VersionChange:
    """Start `version` next to the run of `binding`; it takes over once it has caught up.

    Raises `Conflict` with the sentence of `refusal`, or if an input has reported that it lacks rows to read again;
    `Faulty` with all errors that a start would have; and `OverQuota`, because it counts as a run while it catches up.
    """
    why = refusal(binding, version)
    if why is not None:
        raise Conflict(why)
    graph, (chosen, _) = version.read_graph(), chosen_for(binding, version)
    planned = spec_of_version(binding, version)
    if planned is not None and (gone := gone_inputs(planned)):
        raise Conflict(GONE.format(name=gone[0]))
    checked, outputs = checked_version(binding, graph, chosen)
    faults = [*checked.faults, *reader_faults(binding, graph, chosen, stream_definitions())]
    if refuses(faults):
        message = f"{counted(len(faults), 'error')} found. Fix them, then change the version again."
        raise Faulty(with_targets(faults, chosen, version.query, binding), message)
    clockless = [each.model_dump(mode="json") for each in checked.clockless]
    settled = {"without_clock": clockless, "fields": {each.identity: each.fields for each in outputs}}
    now = timezone.now()
    try:
        with transaction.atomic():
            check_open("nothing is started")
            run = _running(binding)
            check_room_for_run(dedicated=False)
            refuse_while_repaired(binding)
            change = _made(run, version, now)
            next_run = Run(pk=change.next_run, binding=binding, dedicated=False, created_at=now, changed_at=now)
            spec = spec_from(next_run, graph, chosen).model_copy(update={"takes_over": str(change.pk)})
            change.spec, change.settled, change.asked_by = (
                spec.model_dump(mode="json", exclude_defaults=True),
                settled,
                by,
            )
            change.save()
            note(run, RunEventKind.CHANGED, message=BEGUN.format(version=version.number), at=now)
            after = {"version": version.number, "query": version.query.name, "run": str(run.pk)}
            record("binding.change_begun", target=target_of(binding), after=after)
    except IntegrityError:
        raise Conflict(UNDER_WAY.format(version=version.number, name=binding.name)) from None
    reconcile_soon(binding.organisation_id)
    return change


def _running(binding: Binding) -> Run:
    run = Run.objects.select_for_update(of=("self",)).filter(binding=binding, ended_at__isnull=True).first()
    if run is None or run.desired != Desired.RUNNING:
        raise Conflict(NOT_RUNNING.format(name=binding.name))
    return run


def _made(run: Run, version: QueryVersion, now: datetime) -> VersionChange:
    return VersionChange(
        binding=run.binding,
        run=run,
        query_version=version,
        version=version.number,
        from_version=run.binding.query_version_id,
        next_run=uuid4(),
        state=ChangeState.CATCHING_UP,
        by_label=current_actor().label,
        created_at=now,
    )


def cancel_change(*, binding: Binding) -> VersionChange:
    """Call the change of `binding` off; its run continues. Raises `Conflict` if that is too late."""
    with transaction.atomic():
        refuse_while_changing(binding)
        catching_up = {"binding": binding, "state": ChangeState.CATCHING_UP}
        change = VersionChange.objects.select_for_update(of=("self",)).filter(**catching_up).first()
        if change is None:
            raise Conflict(TOO_LATE.format(name=binding.name))
        call_off(change, ChangeState.CANCELLED, CANCELLED)
        record("binding.change_cancelled", target=target_of(binding), after={"version": change.version})
    reconcile_soon(binding.organisation_id)
    return change


def newest_change(binding: Binding) -> VersionChange | None:
    """Return the change of `binding` that is under way, or the last one."""
    return VersionChange.objects.filter(binding=binding).first()
