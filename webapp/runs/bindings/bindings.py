"""Writing bindings: create, replace, delete."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from streaming.definition.faults import FaultCode
from streaming.wire.freshness import USUAL, Freshness
from webapp.audit.recording import record
from webapp.audit.revisions import require_current, revision_of
from webapp.core.errors import Conflict, Faulty, NotFound, fault
from webapp.core.turns import alone
from webapp.core.uses import refuse_while_used
from webapp.queries.access import access_version
from webapp.queries.models import QueryVersion
from webapp.queries.texts import settings_of
from webapp.runs.access import open_run
from webapp.runs.audit_targets import BINDING_DELETED, target_of
from webapp.runs.bindings.binding_rows import audited, write_binding
from webapp.runs.bindings.mending import with_targets
from webapp.runs.bindings.service_levels import USUAL_COMPLETENESS, FreshnessLevel, stored_level
from webapp.runs.inputs.checking import bound_faults, refuses
from webapp.runs.inputs.footprints import hurry_footprints
from webapp.runs.inputs.input_resolution import InputChoice, choose
from webapp.runs.lifecycle.journal import RunEventKind, note
from webapp.runs.lifecycle.turn_requests import reconcile_soon
from webapp.runs.models import Binding
from webapp.runs.outputs.bound_outputs import (
    OutputSettings,
    forget_deliveries,
    outputs_of,
    settled_outputs,
    store_outputs,
)
from webapp.runs.outputs.composing import COMPOSED, reader_faults
from webapp.runs.outputs.deliveries import nodes_changed_too_soon
from webapp.runs.outputs.output_checks import checked_outputs
from webapp.runs.storage.storage_cleanup import forget_restart_points
from webapp.streams.access import streams_by_name


@dataclass(frozen=True)
class BindingSettings:
    """The settings of a binding except its query version; `outputs` and `completeness` None: unchanged.

    `freshness_level` None: without one.
    """

    name: str
    inputs: Mapping[str, InputChoice]
    dedicated: bool
    freshness: Freshness = USUAL
    outputs: Sequence[OutputSettings] | None = None
    completeness: float | None = None
    freshness_level: FreshnessLevel | Literal["unchanged"] | None = "unchanged"


def create_binding(*, settings: BindingSettings, query_version: UUID) -> Binding:
    """Create a binding; an input that is left out takes the stream and the settings that the query names.

    Raises `Faulty` with all errors, `Conflict` for a name that is taken.
    """
    binding = Binding(name=settings.name, dedicated=settings.dedicated, freshness=settings.freshness)
    binding.completeness = USUAL_COMPLETENESS if settings.completeness is None else settings.completeness
    binding.freshness_level = _stored_level(settings, None)
    _check_and_write(binding, _version(query_version), settings)
    return binding


def replace_binding(
    *, binding: Binding, settings: BindingSettings, query_version: UUID, upon: str | None = None
) -> None:
    """Replace the settings of `binding`; a run under way keeps those it started with, except its freshness.

    Raises `Faulty` with all errors, and `Conflict` for a name that is taken or an `upon` that is no longer the
    binding's revision.
    """
    with transaction.atomic():
        locked = Binding.objects.select_for_update().filter(pk=binding.pk).first()
        if locked is None:
            raise NotFound  # somebody deleted it since; saving would create it again
        require_current(target_of(locked), upon=upon, now=revision_of(locked.stored()))
        binding.name, binding.dedicated, binding.freshness = settings.name, settings.dedicated, settings.freshness
        binding.completeness = locked.completeness if settings.completeness is None else settings.completeness
        binding.freshness_level = _stored_level(settings, locked.freshness_level)
        _check_and_write(binding, _version(query_version), settings)
        run = open_run(binding)
        if run is not None and locked.freshness != settings.freshness:
            note(run, RunEventKind.CHANGED, message=f"Freshness: {settings.freshness}, was {locked.freshness}.")


def _stored_level(settings: BindingSettings, before: Any) -> Any:
    level = settings.freshness_level
    return before if level == "unchanged" else stored_level(level)


def delete_binding(*, binding: Binding) -> None:
    """Delete a binding with its ended runs; files of results stay. Raises `Conflict` while a run is open."""
    with transaction.atomic():
        Binding.objects.select_for_update(of=("self",)).get(pk=binding.pk)
        pk, target, before = binding.pk, target_of(binding), audited(binding)
        if open_run(binding) is not None:
            raise Conflict(f"{binding.name} has a run that has not ended. Stop it first.")
        alone(COMPOSED)
        refuse_while_used("binding", binding.pk, binding.name)
        binding.runs.all().delete()
        forget_deliveries(binding, [each.identity for each in outputs_of(binding)])
        binding.delete()
        record(BINDING_DELETED, target=target, before=before)
        forget_restart_points(pk)
        hurry_footprints(timezone.now(), pk)


def _version(query_version: UUID) -> QueryVersion:
    try:
        return access_version(query_version)
    except NotFound:
        unknown = fault(
            FaultCode.BAD_SHAPE,
            "This query version does not exist.",
            "Choose a version of one of your queries.",
            field="query_version",
        )
        raise Faulty([unknown]) from None


def _check_and_write(binding: Binding, version: QueryVersion, settings: BindingSettings) -> None:
    graph = version.read_graph()
    streams = streams_by_name()
    chosen, faults = choose(graph, settings_of(version), settings.inputs, streams)
    definitions = {name: each.read_definition() for name, each in streams.items()}
    faults += bound_faults(graph, chosen, definitions)
    outputs, wrong = settled_outputs(binding, settings.outputs)
    faults += wrong + nodes_changed_too_soon(binding, outputs)
    if outputs and not refuses(faults):
        checked = checked_outputs(graph, chosen, definitions, outputs, "options")
        outputs, faults = checked.outputs, [*faults, *checked.faults]
    if not refuses(faults):
        faults += reader_faults(binding, graph, chosen, definitions)
    if refuses(faults):
        raise Faulty(with_targets(faults, chosen, version.query, None if binding._state.adding else binding))
    store_outputs(binding, outputs)
    write_binding(binding, version, chosen)
    reconcile_soon(binding.organisation_id)
