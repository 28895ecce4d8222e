"""The outputs of a binding: their stored form, the form that a person edits, and the form that a runner gets."""

from collections.abc import Collection, Container, Mapping, Sequence
from typing import Final
from uuid import uuid4

from django.db import transaction

from streaming.adapters.registry import output_kinds
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.names import Name
from streaming.definition.streams.stream import AdapterChoice
from streaming.definition.strict import Strict
from streaming.wire.deliveries import BindingDeliveries, DeliveryTarget, Identity, forget_mark
from webapp.accounts.limits.disk_room import disk_usage
from webapp.accounts.limits.quotas import QUOTAS, Usage, limit, used
from webapp.core.disk import is_short
from webapp.core.errors import fault
from webapp.runs.kept_folders import rows_beside
from webapp.runs.models import Binding
from webapp.streams.sealing import OUTPUTS, concealed, replaced_secrets, sealed, settled

FILES: Final = "file_bytes"
"""The quota of the organisation's `files/`, which includes delivered files."""
DISK_IS_FULL: Final = (
    "The disk of this installation is full, so results wait here. They are delivered once there is room: delete "
    "files, results or quarantine, or contact your administrator."
)


class BoundOutput(Strict):
    """An output as it is stored: the results of `node`, with `fields`, are delivered to `adapter`.

    `identity` never changes; `revision` counts the changes of its settings.
    """

    identity: Identity
    node: Name
    adapter: AdapterChoice
    revision: int = 1
    fields: dict[str, str]


class OutputSettings(Strict):
    """An output as a person edits it; `identity` is that of an existing output, null for a new one."""

    identity: str | None = None
    node: Name
    adapter: AdapterChoice


def outputs_of(binding: Binding) -> list[BoundOutput]:
    """Return the outputs of `binding`, in their stored order."""
    return [BoundOutput.model_validate(each) for each in binding.outputs]


def output_names(binding: Binding) -> list[str]:
    """Return a name for people of each output of `binding`, for example `out to CSV file`."""
    titles = {each.kind: each.title for each in output_kinds()}
    return [f"{each.node} to {titles.get(each.adapter.kind, each.adapter.kind)}" for each in outputs_of(binding)]


def settled_outputs(
    binding: Binding, requested: Sequence[OutputSettings] | None
) -> tuple[list[BoundOutput], list[Fault]]:
    """Return the new outputs, secrets not yet sealed, and the errors in `requested`; None: unchanged.

    The stored settings of an output, secrets included, are found by its identity only.
    """
    stored = {each.identity: each for each in outputs_of(binding)}
    if requested is None:
        return list(stored.values()), []
    found, faults = [], []
    for place, each in enumerate(requested):
        before = None if each.identity is None else stored.pop(each.identity, None)
        if each.identity is not None and before is None:
            message = "This binding has no output with this identity, or the identity is listed twice."
            remedy = "Leave the identity out to create a new output."
            faults.append(fault(FaultCode.BAD_SHAPE, message, remedy, field=f"outputs.{place}.identity"))
        adapter = settled(each.adapter, None if before is None else before.adapter, OUTPUTS)
        identity = str(uuid4()) if before is None else before.identity
        revision = 1 if before is None else before.revision
        found.append(BoundOutput(identity=identity, node=each.node, adapter=adapter, revision=revision, fields={}))
    return found, faults


def store_outputs(binding: Binding, outputs: Sequence[BoundOutput], retried: Collection[str] = ()) -> None:
    """Give `outputs`, sealed, to `binding`, which is not saved here; a changed output gets a new revision.

    So do the outputs in `retried`: their deliveries are tried again although nothing changed here.
    """
    before = {each.identity: each for each in outputs_of(binding)}
    kept: list[BoundOutput] = []
    for each in outputs:
        after = each.model_copy(update={"adapter": sealed(each.adapter, OUTPUTS)})
        was = before.pop(each.identity, None)
        if was is not None and (was != after or each.identity in retried):
            after = after.model_copy(update={"revision": was.revision + 1})
        kept.append(after)
    write_outputs(binding, kept)
    forget_deliveries(binding, list(before))


def write_outputs(binding: Binding, outputs: Sequence[BoundOutput]) -> None:
    """Give `outputs`, already sealed, to `binding`, which is not saved here."""
    binding.outputs = [each.model_dump(mode="json") for each in outputs]


def forget_deliveries(binding: Binding, identities: Sequence[str]) -> None:
    """Delete the marks of removed outputs once the transaction is committed."""
    folder = rows_beside(binding.pk)
    for identity in identities:
        transaction.on_commit(lambda name=identity: forget_mark(folder, name), robust=True)  # type: ignore[misc]


def waiting_for_room(wanted: Mapping[str, BindingDeliveries]) -> dict[str, BindingDeliveries]:
    """Return `wanted`, in which deliveries to the organisation's files wait while these have no more room.

    The files are counted only if an output delivers to them.
    """
    filling = {kind.kind for kind in output_kinds() if kind.fills_files}
    if not any(target.adapter.kind in filling for each in wanted.values() for target in each.targets):
        return dict(wanted)
    why = _no_room_for_files()
    if why is None:
        return dict(wanted)

    return waiting(wanted, why, filling)


def waiting(
    wanted: Mapping[str, BindingDeliveries], why: str, kinds: Container[str] | None = None
) -> dict[str, BindingDeliveries]:
    """Return `wanted`, in which all deliveries, or those to outputs of `kinds`, wait for the reason `why`."""

    def held(target: DeliveryTarget) -> DeliveryTarget:
        waits = kinds is None or target.adapter.kind in kinds
        return target.model_copy(update={"waits": why}) if waits else target

    return {
        name: each.model_copy(update={"targets": [held(target) for target in each.targets]})
        for name, each in wanted.items()
    }


def _no_room_for_files() -> str | None:
    if is_short():
        return DISK_IS_FULL
    for usage in (Usage(QUOTAS[FILES], used(FILES), limit(FILES)), disk_usage()):
        if usage.used >= usage.limit:
            return f"{usage.sentence}, so results wait here. {usage.advice} They are delivered after that."
    return None


def audited_outputs(binding: Binding) -> list[dict[str, object]]:
    """Return the outputs as the audit log has them, with placeholders for secrets."""
    return [shown_output(each) for each in outputs_of(binding)]


def shown_output(output: BoundOutput) -> dict[str, object]:
    """Return an output without its secrets, as JSON values."""
    adapter = concealed(output.adapter, OUTPUTS).model_dump(mode="json")
    return {"identity": output.identity, "node": output.node, "adapter": adapter, "revision": output.revision}


def secrets_replaced(before: Binding, after: Binding) -> list[str]:
    """Return the secrets of outputs in both that have changed, as `node.option`."""
    was = {each.identity: each for each in outputs_of(before)}
    pairs = [(was[each.identity], each) for each in outputs_of(after) if each.identity in was]
    return sorted(
        f"{new.node}.{name}" for old, new in pairs for name in replaced_secrets(old.adapter, new.adapter, OUTPUTS)
    )


def wanted_deliveries(bindings: Sequence[Binding]) -> dict[str, BindingDeliveries]:
    """Return the deliveries that a runner is to make, by binding, for bindings that have outputs."""
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
