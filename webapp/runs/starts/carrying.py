"""The check whether the next start of a binding can carry over its last run's state, after windows were widened."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pydantic import ValidationError

from streaming.definition.strict import Strict
from streaming.definition.versions.widening import NotCarried
from streaming.resume.carried_over import carried_over
from streaming.resume.restart_points import RestartPoint, beginning_path, concealed_spec, facts_of
from streaming.wire.beginning import RunBeginning
from streaming.wire.messages import RunSpec
from webapp.core.limited.jobs import TYPING, limited
from webapp.runs.kept_folders import shared_folder
from webapp.runs.models import Binding, Run

DEDICATED: Final = (
    "A streaming query of its own divides its state among the cores, and state can be carried over only in a shared "
    "one. Open windows can only be rebuilt by reading their rows again."
)
NOT_KNOWN: Final = (
    "It is unknown which run left the saved state. Open windows can only be rebuilt by reading their rows again."
)


class CarriedState(Strict):
    """The start of a run with the state of the previous one, or why that is impossible; exactly one is set."""

    beginning: RunBeginning | None = None
    refusal: str | None = None


@dataclass(frozen=True)
class KeptRun:
    """The run that left the saved state: its specification, and its start position if that was recorded."""

    spec: RunSpec
    beginning: RunBeginning | None


def carrying(binding: Binding, spec: RunSpec, points: Sequence[RestartPoint]) -> CarriedState:
    """Return the start of a run of `spec` with the state of `binding`, which has `points`, newest first."""
    kept = kept_run(binding, points)
    if kept is None:
        return CarriedState(refusal=NOT_KNOWN)
    if spec.dedicated or kept.spec.dedicated:
        return CarriedState(refusal=DEDICATED)
    return carried_state(concealed_spec(kept.spec), concealed_spec(spec), points[0], kept.beginning)


@limited("Checking whether the state can be carried over", "Make the query smaller.", TYPING)
def carried_state(before: RunSpec, after: RunSpec, point: RestartPoint, beginning: RunBeginning | None) -> CarriedState:
    """Return the start of a run of `after` with the state of a run of `before`, which left `point`."""
    try:
        return CarriedState(beginning=carried_over(before, after, facts_of(after), [point], beginning))
    except NotCarried as why:
        return CarriedState(refusal=str(why))


def kept_run(binding: Binding, points: Sequence[RestartPoint]) -> KeptRun | None:
    """Return the run of the newest of `points`; None if it is unknown by now, or has another shape."""
    if not points:
        return None
    with suppress(ValueError, Run.DoesNotExist):
        run = Run.objects.get(binding=binding, pk=UUID(points[0].run))
        spec = run.read_spec()
        if facts_of(concealed_spec(spec)).fits(points[0].shape):
            return KeptRun(spec, _beginning(spec))
    return None


def _beginning(spec: RunSpec) -> RunBeginning | None:
    content = shared_folder().read(beginning_path(spec.binding, spec.run))
    with suppress(ValidationError):  # written by a later version
        return None if content is None else RunBeginning.model_validate_json(content)
    return None
