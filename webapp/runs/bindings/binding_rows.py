"""Database rows of a binding, and its entries in the audit log."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from webapp.audit.recording import record
from webapp.core.errors import Conflict
from webapp.queries.models import QueryVersion
from webapp.runs.access import listed_bindings
from webapp.runs.audit_targets import target_of
from webapp.runs.bound_inputs import BoundInput
from webapp.runs.inputs.footprints import hurry_footprints
from webapp.runs.models import Binding, BindingInput
from webapp.runs.outputs.bound_outputs import audited_outputs, secrets_replaced
from webapp.runs.outputs.composing import check_read_outputs


def audited(binding: Binding) -> dict[str, Any]:
    """Return the entry of a stored binding in the audit log."""
    stored = listed_bindings().get(pk=binding.pk)
    version = stored.query_version
    inputs = {
        each.node: {"stream": each.stream.name, "advance": each.advance, "event_time": each.event_time}
        for each in stored.inputs.all()
    }
    named = {"name": stored.name, "query": version.query.name, "version": version.number, "inputs": inputs}
    own = {"dedicated": stored.dedicated, "freshness": stored.freshness, "completeness": stored.completeness}
    own["freshness_level"] = stored.freshness_level
    return {**named, **own, "outputs": audited_outputs(stored)}


def write_binding(binding: Binding, version: QueryVersion, chosen: Mapping[str, BoundInput]) -> None:
    """Write `binding` as one of `version` with the checked inputs `chosen`. Raises `Conflict`."""
    binding.query_version = version
    try:
        with transaction.atomic():
            was = None if binding._state.adding else Binding.objects.get(pk=binding.pk)
            before = None if was is None else audited(was)
            binding.save()
            binding.inputs.all().delete()
            for node, each in chosen.items():
                BindingInput(
                    binding=binding,
                    node=node,
                    stream=each.stream,
                    advance=None if each.advance is None else each.advance.model_dump(mode="json"),
                    event_time=None if each.event_time is None else each.event_time.model_dump(mode="json"),
                ).save()
            check_read_outputs(binding)
            hurry_footprints(timezone.now(), binding.pk)
            action = "binding.created" if before is None else "binding.replaced"
            after = audited(binding)
            if replaced := [] if was is None else secrets_replaced(was, binding):
                after["secrets_replaced"] = replaced
            record(action, target=target_of(binding), before=before, after=after)
    except IntegrityError:
        raise Conflict(f"A binding named {binding.name} already exists. Choose another name.") from None
