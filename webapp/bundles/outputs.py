"""The outputs of a binding in its file: the targets of its results, without their secrets.

An output has no name. An output of the file is the stored one that is equal; else the one of the same node and kind
with most options in common. So its delivered rows and secrets stay its own.
"""

from collections.abc import Collection, Sequence
from typing import Any

from streaming.definition.names import Name
from streaming.definition.streams.stream import AdapterChoice
from streaming.definition.strict import Strict
from webapp.bundles.yaml_text import in_order
from webapp.runs.models import Binding
from webapp.runs.outputs.bound_outputs import BoundOutput, OutputSettings, outputs_of, settled_outputs
from webapp.streams.sealing import OUTPUTS, concealed, replaced_secrets, sealed


class OutputFile(Strict):
    """One output in a file of `bindings/`: the results of `node` are delivered to `adapter`."""

    node: Name
    adapter: AdapterChoice


def written_outputs(outputs: Sequence[BoundOutput], before: Collection[BoundOutput] = ()) -> list[dict[str, Any]]:
    """Return `outputs` as in a file; a secret that differs from `before` shows "secret changed"."""
    was = {each.identity: each.adapter for each in before}
    found = []
    for each in outputs:
        options = in_order(concealed(each.adapter, OUTPUTS).options)
        if each.identity in was:
            replaced = replaced_secrets(was[each.identity], each.adapter, OUTPUTS)
            options |= {name: {"sealed": "secret changed"} for name in sorted(replaced)}
        found.append({"node": each.node, "adapter": {"kind": each.adapter.kind, "options": options}})
    return found


def outputs_after(written: Sequence[OutputFile], present: Binding | None) -> list[BoundOutput]:
    """Return the outputs of the file as they will be stored, except for their fields; their secrets are encrypted.

    A placeholder without a stored secret stays, so that the check of the outputs refuses it by name.
    """
    binding = Binding() if present is None else present
    named = zip(written, _identities(written, outputs_of(binding)), strict=True)
    settled, _ = settled_outputs(
        binding, [OutputSettings(identity=identity, node=each.node, adapter=each.adapter) for each, identity in named]
    )
    return [each.model_copy(update={"adapter": sealed(each.adapter, OUTPUTS)}) for each in settled]


def _identities(written: Sequence[OutputFile], stored: Sequence[BoundOutput]) -> list[str | None]:
    """Return the identity of the stored output for each one of the file; None for a new one."""
    left = list(stored)
    found: list[str | None] = [None] * len(written)
    shown = {each.identity: concealed(each.adapter, OUTPUTS) for each in stored}
    for whole in (True, False):
        for place, each in enumerate(written):
            fits = [one for one in left if one.node == each.node and one.adapter.kind == each.adapter.kind]
            if whole:
                fits = [one for one in fits if shown[one.identity] == each.adapter]
            if found[place] is not None or not fits:
                continue
            nearest = max(fits, key=lambda one: _in_common(shown[one.identity], each.adapter))
            found[place] = nearest.identity
            left.remove(nearest)
    return found


def _in_common(one: AdapterChoice, other: AdapterChoice) -> int:
    return sum(name in other.options and other.options[name] == value for name, value in one.options.items())
