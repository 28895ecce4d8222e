"""What inputs have told when they were asked, kept for some minutes: a start at a place asks none of them itself."""

import hashlib
from collections.abc import Sequence
from typing import Final

from django.core.cache import cache

from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from streaming.wire.kept import concealed_spec, shape_of
from streaming.wire.messages import RunSpec
from webapp.core.context import current_organisation
from webapp.core.errors import Conflict, fault
from webapp.runs.starts.held_inputs import InputHeldShown

KEPT_S: Final = 300
"""So long an answer lets a run begin; whether it can is found again by its runner."""
REFUSES_TICKS: Final = 10_000_000
"""So long an answer keeps a run from beginning: what was away may be back."""
NOT_ASKED: Final = (
    "Nothing was started: {inputs} has to be asked first whether a run may begin there. Ask with "
    "`timeline/?input=NAME`, one input at a time, then start it again."
)


class InputTold(Strict):
    """What an input told at `at`, in ticks."""

    at: int
    held: InputHeldShown


class InputsNotAsked(Conflict):
    """It is not known, or not any more, whether a run may begin at a place; a fault for each input to ask."""

    code = "inputs_not_asked"

    def __init__(self, names: Sequence[str]) -> None:
        remedy = "Ask it with `timeline/?input=` and its name."
        faults = [
            fault(FaultCode.BAD_ADAPTER, "It was not asked what it holds.", remedy, node=name, field="begin")
            for name in names
        ]
        super().__init__(NOT_ASKED.format(inputs=", ".join(names)), faults=faults)


def note_told(spec: RunSpec, held: InputHeldShown, at: int) -> None:
    """Keep what an input of a binding that would run as `spec` told at `at`, in ticks."""
    told = InputTold(at=at, held=held).model_dump(mode="json")
    cache.set(_key(spec, held.input), told, KEPT_S)


def told_inputs(spec: RunSpec) -> dict[str, InputTold]:
    """Return what is known of the inputs of `spec`, by name; of another query or source nothing."""
    keys = {_key(spec, name): name for name in spec.inputs}
    return {keys[key]: InputTold.model_validate(told) for key, told in cache.get_many(keys).items()}


def _key(spec: RunSpec, name: str) -> str:
    said = "\n".join([str(current_organisation()), spec.binding, name, shape_of(concealed_spec(spec))])
    return f"input-told:{hashlib.sha256(said.encode()).hexdigest()}"
