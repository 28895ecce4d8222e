"""Asking for a change to another version without a pause: what is refused with a sentence, begun, and called off."""

from datetime import datetime
from typing import Final
from uuid import uuid4

from django.db import IntegrityError, transaction
from django.utils import timezone

from streaming.definition.counts import counted
from streaming.definition.graph import InputNode, QueryGraph, WindowNode
from streaming.definition.streams import Rowtime
from streaming.wire.kept import concealed_spec, facts_of, plan_beginning
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
from webapp.runs.starts.next_start import NO_VERSION, restart_points, spec_of_version
from webapp.runs.starts.rows_again import gone_inputs
from webapp.runs.starts.services import checked_version, spec_from
from webapp.runs.states import ChangeState, Desired, Observed
from webapp.runs.storage.usage import check_room_for_run
from webapp.streams.access import stream_definitions

ORDINARY: Final = "Change the version by a stop and a start."
NOT_RUNNING: Final = "{name} does not run now. Wait until it does, or start it with the new version."
DEDICATED: Final = "A binding with a streaming query of its own cannot carry two versions side by side. " + ORDINARY
SAME: Final = "The run has this version already: what it computes would not change."
NOTHING_KEPT: Final = "The run has not been through a batch yet. Wait until it has, then change the version."
READS_AGAIN: Final = (
    "The run still reads again what was open when it began. Wait until it has, then change the version."
)
OTHER_INPUTS: Final = "The inputs of the new version read something else than those of the run. " + ORDINARY
GONE: Final = "The input {name} no longer has the rows that the new version would have to read again. " + ORDINARY
EARLY: Final = "{which} version gives rows before they are final, which another one could not take back. " + ORDINARY
EDGES: Final = "An input brings edges, which may be open for ever. " + ORDINARY
BY_THE_CLOCK: Final = (
    "The time of the input {node} moves by the clock on the wall or by another input, so that it is another one when "
    "it is read again. " + ORDINARY
)
UNDER_WAY: Final = "Version {version} is catching up in {name} already. Wait until it has taken over, or call it off."
BEGUN: Final = "Version {version} catches up beside it, to take over without a pause."
CANCELLED: Final = "Somebody called it off."
TOO_LATE: Final = "No other version is catching up in {name} now. There is nothing to call off."


def refusal(binding: Binding, version: QueryVersion) -> str | None:
    """Return why `binding` cannot be changed to `version` without a pause now; None where it can."""
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
    return _by_what_it_is(binding, run, spec_from(run, version.read_graph(), chosen))


def _by_what_it_is(binding: Binding, run: Run, spec: RunSpec) -> str | None:
    before, facts, points = run.read_spec(), facts_of(concealed_spec(spec)), restart_points(binding)
    if not points or run.progress is None:
        return NOTHING_KEPT
    if facts.fits(points[0].shape) and points[0].run == str(run.pk):
        return SAME
    if run.progress.get("reading_again"):
        return READS_AGAIN
    said = _by_what_it_says(before, spec)
    if said is not None:
        return said
    planned = plan_beginning(points, facts, "oldest_open", None)
    whole = set(planned.kept) == set(facts.sources) == set(before.inputs)
    return None if planned.said.how == "oldest_open" and whole else OTHER_INPUTS


def _by_what_it_says(before: RunSpec, after: RunSpec) -> str | None:
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
        said = spec.inputs[node.id].advance or stream.advance
        if stream.rowtime is Rowtime.IMPLICIT or said.import_from or said.over or said.idle_after:
            return node.id
    return None


def begin_change(*, binding: Binding, version: QueryVersion, by: User | None) -> VersionChange:
    """Let `version` catch up beside the run of `binding`, and take over when it has.

    Raises `Conflict` with the sentence of `refusal`, or where an input has said that it no longer has what would be
    read again, `Faulty` with all faults that a start would have, `OverQuota`: while it catches up it counts as a run.
    """
    why = refusal(binding, version)
    if why is not None:
        raise Conflict(why)
    graph, (chosen, _) = version.read_graph(), chosen_for(binding, version)
    told = spec_of_version(binding, version)
    if told is not None and (gone := gone_inputs(told)):
        raise Conflict(GONE.format(name=gone[0]))
    checked, outputs = checked_version(binding, graph, chosen)
    faults = [*checked.faults, *reader_faults(binding, graph, chosen, stream_definitions())]
    if refuses(faults):
        message = f"{counted(len(faults), 'fault')} found. Mend what is listed, then change the version again."
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
            change.spec, change.settled, change.asked_by = spec.model_dump(mode="json"), settled, by
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
    """Call the change of `binding` off; its run goes on. Raises `Conflict` where that is too late."""
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
