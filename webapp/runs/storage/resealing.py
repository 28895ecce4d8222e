"""Sealing every stored secret of an organisation anew, so that an old key may be taken out of the settings."""

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


@dataclass
class ResealingCounts:
    """How many secrets were sealed anew, had the newest key already, were taken out of ended runs; what is `broken`.

    `broken` names the streams and runs with a secret that no key opens.
    """

    anew: int = 0
    already: int = 0
    dropped: int = 0
    broken: list[str] = field(default_factory=list)


def reseal(told: ResealingCounts) -> None:
    """Seal the secrets of the organisation in context under its newest key, one row at a time; add to `told`.

    A run that has ended needs no secret any more, so that its specification keeps none.
    """
    for stream in Stream.objects.values_list("pk", flat=True):
        _reseal_source(Stream, stream, told)
    for binding in Binding.objects.exclude(outputs=[]).values_list("pk", flat=True):
        _reseal_binding(binding, told)
    for run in Run.objects.values_list("pk", flat=True):
        _reseal_run(Run, run, told)
    for change in VersionChange.objects.filter(ended_at__isnull=True).values_list("pk", flat=True):
        _reseal_run(VersionChange, change, told)
    for footprint in InputFootprint.objects.values_list("pk", flat=True):
        _reseal_source(InputFootprint, footprint, told)


@transaction.atomic
def _reseal_source(model: type[Stream] | type[InputFootprint], pk: UUID, told: ResealingCounts) -> None:
    found = model.objects.select_for_update().filter(pk=pk).first()
    if found is None:
        return
    adapter = _reseal_adapter(found.adapter, f"{model._meta.verbose_name} {found}", told)
    if adapter != found.adapter:
        model.objects.filter(pk=pk).update(adapter=adapter)


@transaction.atomic
def _reseal_binding(pk: UUID, told: ResealingCounts) -> None:
    binding = Binding.objects.select_for_update(of=("self",)).filter(pk=pk).first()
    if binding is None:
        return
    of = f"an output of binding {binding.name}"
    outputs = [
        {**each, "adapter": _reseal_adapter(each["adapter"], of, told, output_secrets_among)}
        for each in binding.outputs
    ]
    if outputs != binding.outputs:
        Binding.objects.filter(pk=pk).update(outputs=outputs)


@transaction.atomic
def _reseal_run(model: type[Run] | type[VersionChange], pk: UUID, told: ResealingCounts) -> None:
    run = model.objects.select_for_update(of=("self",)).filter(pk=pk).first()
    if run is None or run.spec is None:
        return
    inputs = {}
    for name, item in run.spec["inputs"].items():
        if run.ended_at is None:
            adapter = _reseal_adapter(item["adapter"], f"run {run.pk}", told)
        else:
            adapter = _without_secrets(item["adapter"], told)
        inputs[name] = {**item, "adapter": adapter}
    if inputs != run.spec["inputs"]:
        model.objects.filter(pk=pk).update(spec={**run.spec, "inputs": inputs})


def _reseal_adapter(
    adapter: Mapping[str, Any], of: str, told: ResealingCounts, secrets: SecretsAmong = secrets_among
) -> dict[str, Any]:
    options = dict(adapter["options"])
    for name in sorted(secrets(adapter["kind"], options) & options.keys()):
        try:
            anew = sealed_anew(options[name])
        except SealBroken:
            told.broken.append(of)
            continue
        told.anew += anew is not None
        told.already += anew is None
        options[name] = options[name] if anew is None else anew
    return {**adapter, "options": options}


def _without_secrets(adapter: Mapping[str, Any], told: ResealingCounts) -> dict[str, Any]:
    options = adapter["options"]
    without = concealed(options, secrets_among(adapter["kind"], options))
    told.dropped += sum(without[name] != options[name] for name in options)
    return {**adapter, "options": without}
