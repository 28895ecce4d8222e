"""Writing bindings, and starting and stopping them. The reconciler does the rest."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from streaming.definition.faults import Fault, FaultCode
from streaming.definition.streams import AdvanceTimeSettings
from streaming.wire.messages import InputSpec, RunSpec
from webapp.accounts.models import User
from webapp.core.errors import Conflict, Faulty, NotFound, fault
from webapp.queries.access import access_version, input_streams
from webapp.queries.models import QueryVersion
from webapp.runs.access import bound_inputs, open_run
from webapp.runs.checking import Bound, bind, check_bound, refuses
from webapp.runs.models import Binding, BindingInput, Run
from webapp.runs.state_events import announce
from webapp.runs.states import Desired, Observed
from webapp.runs.tasks import reconcile_soon
from webapp.streams.access import access_stream
from webapp.streams.models import Stream


@dataclass(frozen=True)
class InputChoice:
    """A stream for an input node, and settings that replace the stream's."""

    stream: UUID
    advance: AdvanceTimeSettings | None


def results_folder(binding: Binding) -> str:
    """Return the folder of results and quarantine inside the organisation's folder."""
    return f"results/{binding.pk}"


def create_binding(*, name: str, query_version: UUID, inputs: Mapping[str, InputChoice]) -> Binding:
    """Create a binding; an input that is left out takes the stream that the query names.

    Raises `Faulty` with all faults, `Conflict` for a name that is taken.
    """
    version = _version(query_version)
    chosen, faults = _choose(version, inputs)
    faults += check_bound(version.read_graph(), chosen)
    if refuses(faults):
        raise Faulty(faults)
    try:
        with transaction.atomic():
            binding = Binding(name=name, query_version=version)
            binding.save()
            for node, each in chosen.items():
                settings = None if each.advance is None else each.advance.model_dump(mode="json")
                BindingInput(binding=binding, node=node, stream=each.stream, advance=settings).save()
    except IntegrityError:
        raise Conflict(f"There is a binding {name} already. Choose another name.") from None
    return binding


def _version(query_version: UUID) -> QueryVersion:
    try:
        return access_version(query_version)
    except NotFound:
        unknown = fault(
            FaultCode.BAD_SHAPE,
            "There is no such query version.",
            "Choose a version of one of your queries.",
            field="query_version",
        )
        raise Faulty([unknown]) from None


def _choose(version: QueryVersion, inputs: Mapping[str, InputChoice]) -> tuple[dict[str, Bound], list[Fault]]:
    wanted = input_streams(version)
    chosen: dict[str, Bound] = {}
    faults = [
        fault(
            FaultCode.UNKNOWN_NODE,
            f"The query has no input node {node}.",
            f"Its input nodes are {', '.join(wanted)}.",
            node=node,
        )
        for node in inputs
        if node not in wanted
    ]
    for node, name in wanted.items():
        choice = inputs.get(node)
        stream = _stream(choice.stream) if choice else Stream.objects.filter(name=name).first()
        if stream is None:
            message = f"The input {node} has no stream" + ("." if choice else f": there is no stream {name}.")
            faults.append(fault(FaultCode.UNKNOWN_STREAM, message, "Choose one of your streams for it.", node=node))
        else:
            chosen[node] = Bound(stream, choice.advance if choice else None)
    return chosen, faults


def _stream(stream: UUID) -> Stream | None:
    try:
        return access_stream(stream)
    except NotFound:
        return None


def faults_before_start(binding: Binding) -> list[Fault]:
    """Return all faults of the binding as its query, its streams and their adapters are now."""
    return check_bound(binding.query_version.read_graph(), bound_inputs(binding), connect=True)


def start(*, binding: Binding, by: User) -> Run:
    """Start a run of `binding`. Raises `Faulty` with all faults, `Conflict` while another run has not ended."""
    faults = faults_before_start(binding)
    if refuses(faults):
        raise Faulty(faults)
    now = timezone.now()
    run = Run(
        binding=binding,
        desired=Desired.RUNNING,
        observed=Observed.REQUESTED,
        started_by=by,
        created_at=now,
        changed_at=now,
    )
    run.spec = spec_of(run).model_dump(mode="json")
    try:
        with transaction.atomic():
            run.save()
    except IntegrityError:
        raise Conflict(f"{binding.name} has a run that has not ended. Stop it first.") from None
    announce(run)
    reconcile_soon(binding.organisation_id)
    return run


def spec_of(run: Run) -> RunSpec:
    """Return what a runner must do for `run`, from its binding as it is now."""
    bound = bound_inputs(run.binding)
    inputs = {
        node: InputSpec(stream=each.stream.read_definition(), adapter=each.stream.read_adapter(), advance=each.advance)
        for node, each in bound.items()
    }
    return RunSpec(
        organisation=str(run.binding.organisation_id),
        binding=str(run.binding_id),
        run=str(run.pk),
        desired="running",
        query=bind(run.binding.query_version.read_graph(), bound),
        inputs=inputs,
        results=results_folder(run.binding),
    )


def stop(*, binding: Binding, flush: bool) -> Run:
    """Ask the open run of `binding` to stop; asking again may still add a flush. Raises `Conflict` without one."""
    with transaction.atomic():
        run = open_run(binding)
        if run is None:
            raise Conflict(f"{binding.name} is not running. There is nothing to stop.")
        run.desired = Desired.STOPPED
        run.flush = run.flush or flush
        run.changed_at = timezone.now()
        run.save(update_fields=["desired", "flush", "changed_at"])
    announce(run)
    reconcile_soon(binding.organisation_id)
    return run
