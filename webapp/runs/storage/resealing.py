"""Seals every stored secret of an organisation again, so that an old key may be removed from the settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import transaction

from streaming.adapters.registry import output_secrets_among, secrets_among
from streaming.wire.sealed import SealBroken, concealed
from webapp.core.secrets import sealed_anew
from webapp.runs.models import Binding, InputFootprint, Run, VersionChange
from webapp.streams.models import Stream

SecretsAmong = Callable[[str, Mapping[str, Any]], frozenset[str]]
Reseal = Callable[["ResealingCounts"], None]
_further: list[Reseal] = []


@dataclass
class ResealingCounts:
    """The numbers of secrets that were resealed, already had the newest key, or were removed from ended runs.

    `broken` names the streams and runs with a secret that no key opens.
    """

    anew: int = 0
    already: int = 0
    dropped: int = 0
    broken: list[str] = field(default_factory=list)


def reseals(function: Reseal) -> Reseal:
    """Register the function of a room above this one that reseals its own secrets."""
    _further.append(function)
    return function


def reseal(counts: ResealingCounts) -> None:
    """Seal the secrets of the organisation in context under its newest key, one row at a time; add to `counts`.

    The specification of an ended run loses its secrets, because the run needs them no more.
    """
    for stream in Stream.objects.values_list("pk", flat=True):
        _reseal_source(Stream, stream, counts)
    for binding in Binding.objects.exclude(outputs=[]).values_list("pk", flat=True):
        _reseal_binding(binding, counts)
    for run in Run.objects.values_list("pk", flat=True):
        _reseal_run(Run, run, counts)
    for change in VersionChange.objects.filter(ended_at__isnull=True).values_list("pk", flat=True):
        _reseal_run(VersionChange, change, counts)
    for footprint in InputFootprint.objects.values_list("pk", flat=True):
        _reseal_source(InputFootprint, footprint, counts)
    for further in _further:
        further(counts)


@transaction.atomic
def _reseal_source(model: type[Stream] | type[InputFootprint], pk: UUID, counts: ResealingCounts) -> None:
    found = model.objects.select_for_update().filter(pk=pk).first()
    if found is None:
        return
    adapter = reseal_adapter(found.adapter, f"{model._meta.verbose_name} {found}", counts)
    if adapter != found.adapter:
        model.objects.filter(pk=pk).update(adapter=adapter)


@transaction.atomic
def _reseal_binding(pk: UUID, counts: ResealingCounts) -> None:
    binding = Binding.objects.select_for_update(of=("self",)).filter(pk=pk).first()
    if binding is None:
        return
    of = f"an output of binding {binding.name}"
    outputs = [
        {**each, "adapter": reseal_adapter(each["adapter"], of, counts, output_secrets_among)}
        for each in binding.outputs
    ]
    if outputs != binding.outputs:
        Binding.objects.filter(pk=pk).update(outputs=outputs)


@transaction.atomic
def _reseal_run(model: type[Run] | type[VersionChange], pk: UUID, counts: ResealingCounts) -> None:
    run = model.objects.select_for_update(of=("self",)).filter(pk=pk).first()
    if run is None or run.spec is None:
        return
    inputs = {}
    for name, item in run.spec["inputs"].items():
        if run.ended_at is None:
            adapter = reseal_adapter(item["adapter"], f"run {run.pk}", counts)
        else:
            adapter = _without_secrets(item["adapter"], counts)
        inputs[name] = {**item, "adapter": adapter}
    if inputs != run.spec["inputs"]:
        model.objects.filter(pk=pk).update(spec={**run.spec, "inputs": inputs})


def reseal_adapter(
    adapter: Mapping[str, Any], of: str, counts: ResealingCounts, secrets: SecretsAmong = secrets_among
) -> dict[str, Any]:
    """Return `adapter` with its secrets under the newest key, as `of` in messages; add to `counts`."""
    options = dict(adapter["options"])
    for name in sorted(secrets(adapter["kind"], options) & options.keys()):
        try:
            resealed = sealed_anew(options[name])
        except SealBroken:
            counts.broken.append(of)
            continue
        counts.anew += resealed is not None
        counts.already += resealed is None
        options[name] = options[name] if resealed is None else resealed
    return {**adapter, "options": options}


def _without_secrets(adapter: Mapping[str, Any], counts: ResealingCounts) -> dict[str, Any]:
    options = adapter["options"]
    without = concealed(options, secrets_among(adapter["kind"], options))
    counts.dropped += sum(without[name] != options[name] for name in options)
    return {**adapter, "options": without}
