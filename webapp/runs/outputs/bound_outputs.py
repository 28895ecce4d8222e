"""The outputs of a binding: what is stored of each, what a person says of them, and what a runner is told."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import uuid4

from django.db import transaction

from streaming.adapters.registry import output_kinds
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.names import Name
from streaming.definition.streams import AdapterChoice
from streaming.definition.strict import Strict
from streaming.wire.deliveries import BindingDeliveries, DeliveryTarget, Identity, forget_mark
from webapp.accounts.quotas import QUOTAS, Usage, limit, used
from webapp.core.errors import fault
from webapp.runs.kept_folders import rows_beside
from webapp.runs.models import Binding
from webapp.streams.sealing import OUTPUTS, concealed, replaced_secrets, sealed, settled

FILES: Final = "file_bytes"
"""The quota of what lies in the organisation's `files/`, delivered files too."""


class BoundOutput(Strict):
    """An output as it is stored: the results of `node`, with `fields`, are brought to `adapter`.

    `identity` is its own for ever; `revision` counts the changes of its settings.
    """

    identity: Identity
    node: Name
    adapter: AdapterChoice
    revision: int = 1
    fields: dict[str, str]


class OutputSaid(Strict):
    """An output as a person says it; `identity` is that of one that is there, null for a new one."""

    identity: str | None = None
    node: Name
    adapter: AdapterChoice


def outputs_of(binding: Binding) -> list[BoundOutput]:
    """Return the outputs of `binding`, in the order in which they were given."""
    return [BoundOutput.model_validate(each) for each in binding.outputs]


def settled_outputs(binding: Binding, said: Sequence[OutputSaid] | None) -> tuple[list[BoundOutput], list[Fault]]:
    """Return the outputs as they are to be, secrets not yet sealed, and the faults of what was said.

    None: as they are. What is stored of an output, its secrets among it, is kept under its identity alone.
    """
    stored = {each.identity: each for each in outputs_of(binding)}
    if said is None:
        return list(stored.values()), []
    found, faults = [], []
    for place, each in enumerate(said):
        before = None if each.identity is None else stored.pop(each.identity, None)
        if each.identity is not None and before is None:
            message = "There is no such output of this binding, or it is listed twice."
            remedy = "Leave its identity out to have a new one."
            faults.append(fault(FaultCode.BAD_SHAPE, message, remedy, field=f"outputs.{place}.identity"))
        adapter = settled(each.adapter, None if before is None else before.adapter, OUTPUTS)
        identity = str(uuid4()) if before is None else before.identity
        revision = 1 if before is None else before.revision
        found.append(BoundOutput(identity=identity, node=each.node, adapter=adapter, revision=revision, fields={}))
    return found, faults


def store_outputs(binding: Binding, outputs: Sequence[BoundOutput]) -> None:
    """Let `binding`, which is yet to be saved, have `outputs`, sealed; one that is changed has another revision."""
    before = {each.identity: each for each in outputs_of(binding)}
    kept: list[BoundOutput] = []
    for each in outputs:
        after = each.model_copy(update={"adapter": sealed(each.adapter, OUTPUTS)})
        was = before.pop(each.identity, None)
        if was is not None and was != after:
            after = after.model_copy(update={"revision": was.revision + 1})
        kept.append(after)
    write_outputs(binding, kept)
    forget_deliveries(binding, list(before))


def write_outputs(binding: Binding, outputs: Sequence[BoundOutput]) -> None:
    """Let `binding`, which is yet to be saved, have `outputs` as they are given, sealed already."""
    binding.outputs = [each.model_dump(mode="json") for each in outputs]


def forget_deliveries(binding: Binding, identities: Sequence[str]) -> None:
    """Let nothing be kept for outputs that are no more, once the transaction is committed."""
    folder = rows_beside(binding.pk)
    for identity in identities:
        transaction.on_commit(lambda name=identity: forget_mark(folder, name), robust=True)  # type: ignore[misc]


def waiting_for_room(wanted: Mapping[str, BindingDeliveries]) -> dict[str, BindingDeliveries]:
    """Return `wanted`, in which what goes to the organisation's files waits while these have no more room.

    They are counted only where something goes there.
    """
    filling = {kind.kind for kind in output_kinds() if kind.fills_files}
    if not any(target.adapter.kind in filling for each in wanted.values() for target in each.targets):
        return dict(wanted)
    usage = Usage(QUOTAS[FILES], used(FILES), limit(FILES))
    if usage.used < usage.limit:
        return dict(wanted)
    why = f"{usage.sentence}, so that results wait here. {usage.advice} They are brought then."

    def held(target: DeliveryTarget) -> DeliveryTarget:
        return target.model_copy(update={"waits": why}) if target.adapter.kind in filling else target

    return {
        name: each.model_copy(update={"targets": [held(target) for target in each.targets]})
        for name, each in wanted.items()
    }


def audited_outputs(binding: Binding) -> list[dict[str, object]]:
    """Return what the audit log keeps: placeholders in place of secrets."""
    return [shown_output(each) for each in outputs_of(binding)]


def shown_output(output: BoundOutput) -> dict[str, object]:
    """Return an output without its secrets, as JSON values."""
    adapter = concealed(output.adapter, OUTPUTS).model_dump(mode="json")
    return {"identity": output.identity, "node": output.node, "adapter": adapter, "revision": output.revision}


def secrets_replaced(before: Binding, after: Binding) -> list[str]:
    """Return the secrets of outputs that both have and that are others now, as `node.option`."""
    was = {each.identity: each for each in outputs_of(before)}
    pairs = [(was[each.identity], each) for each in outputs_of(after) if each.identity in was]
    return sorted(
        f"{new.node}.{name}" for old, new in pairs for name in replaced_secrets(old.adapter, new.adapter, OUTPUTS)
    )


def wanted_deliveries(bindings: Sequence[Binding]) -> dict[str, BindingDeliveries]:
    """Return what a runner is to bring where, by binding: of those that have outputs."""
    found = {}
    for binding in bindings:
        targets = [
            DeliveryTarget(
                identity=each.identity,
                node=each.node,
                fields=each.fields,
                adapter=each.adapter,
                revision=each.revision,
            )
            for each in outputs_of(binding)
        ]
        if targets:
            results = f"results/{binding.pk}"
            found[str(binding.pk)] = BindingDeliveries(binding=str(binding.pk), results=results, targets=targets)
    return found
