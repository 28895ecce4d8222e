"""Answers of queried inputs, kept for some minutes, so that a start at a chosen place queries no input itself."""

import hashlib
from collections.abc import Sequence
from typing import Final

from django.core.cache import cache

from streaming.definition.faults import Fault, FaultCode
from streaming.definition.strict import Strict
from streaming.resume.restart_points import concealed_spec, shape_of
from streaming.wire.messages import RunSpec
from webapp.core.context import current_organisation
from webapp.core.errors import Conflict, fault
from webapp.runs.starts.held_inputs import GONE, InputHoldings

KEPT_S: Final = 300
"""The time for which an answer allows a start; the runner checks again."""
REFUSES_TICKS: Final = 10_000_000
"""The time for which an answer refuses a start: an input that was unavailable may be back."""
NOT_AGAIN: Final = "Resume at the last run's read position, which discards open windows, or start from the beginning."
NOT_ASKED: Final = (
    "Not started. First check whether the run can start there, by querying {inputs}: call `timeline/?input=NAME` for "
    "one input at a time. Then start it again."
)


class InputAnswer(Strict):
    """The answer of an input at `at`, in ticks."""

    at: int
    held: InputHoldings


class UnknownInputs(Conflict):
    """Inputs must be queried before a run may start at a place; one error for each of them."""

    code = "inputs_not_asked"

    def __init__(self, names: Sequence[str]) -> None:
        remedy = "Query it with `timeline/?input=` and its name."
        faults = [
            fault(FaultCode.BAD_ADAPTER, "This input has not been queried.", remedy, node=name, field="begin")
            for name in names
        ]
        super().__init__(NOT_ASKED.format(inputs=", ".join(names)), faults=faults)


def note_answer(spec: RunSpec, held: InputHoldings, at: int) -> None:
    """Keep the answer, at `at` in ticks, of an input of a binding that would run as `spec`."""
    answer = InputAnswer(at=at, held=held).model_dump(mode="json")
    cache.set(_key(spec, held.input), answer, KEPT_S)


def known_answers(spec: RunSpec) -> dict[str, InputAnswer]:
    """Return the kept answers of the inputs of `spec`, by name; none for another query or source."""
    keys = {_key(spec, name): name for name in spec.inputs}
    return {keys[key]: InputAnswer.model_validate(answer) for key, answer in cache.get_many(keys).items()}


def _key(spec: RunSpec, name: str) -> str:
    content = "\n".join([str(current_organisation()), spec.binding, name, shape_of(concealed_spec(spec))])
    return f"input-answer:{hashlib.sha256(content.encode()).hexdigest()}"


def gone_inputs(spec: RunSpec) -> list[str]:
    """Return the inputs that recently reported that they no longer have the rows a run of `spec` would read again."""
    answers = known_answers(spec)
    return [name for name in sorted(answers) if (again := answers[name].held.again) and again.standing == "gone"]


def gone_faults(spec: RunSpec) -> list[Fault]:
    """Return an error for each of these inputs."""
    return [fault(FaultCode.BAD_ADAPTER, GONE, NOT_AGAIN, node=name, field="begin") for name in gone_inputs(spec)]
