"""Whether the next start of a binding may go on with the state of its last run, in which windows were widened."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pydantic import ValidationError

from streaming.definition.strict import Strict
from streaming.definition.widening import NotCarried
from streaming.wire.beginning import RunBeginning
from streaming.wire.carried_over import carried_over
from streaming.wire.kept import RestartPoint, beginning_path, concealed_spec, facts_of
from streaming.wire.messages import RunSpec
from webapp.core.limited.jobs import TYPING, limited
from webapp.runs.kept_folders import shared_folder
from webapp.runs.models import Binding, Run

DEDICATED: Final = (
    "A streaming query of its own divides its state over the cores, and state is carried over in a shared one alone. "
    "What is open can only be read again."
)
NOT_KNOWN: Final = "It is not known whose state was kept last. What is open can only be read again."


class CarriedState(Strict):
    """How a run begins with the state of the one before, or why it cannot: one of them is null."""

    beginning: RunBeginning | None = None
    refusal: str | None = None


@dataclass(frozen=True)
class KeptRun:
    """The run whose state is kept: what it was told, and how it began where that is said."""

    spec: RunSpec
    beginning: RunBeginning | None


def carrying(binding: Binding, spec: RunSpec, points: Sequence[RestartPoint]) -> CarriedState:
    """Return how a run of `spec` would begin with what `binding` keeps, of which `points` are known, newest first."""
    kept = kept_run(binding, points)
    if kept is None:
        return CarriedState(refusal=NOT_KNOWN)
    if spec.dedicated or kept.spec.dedicated:
        return CarriedState(refusal=DEDICATED)
    return carried_state(concealed_spec(kept.spec), concealed_spec(spec), points[0], kept.beginning)


@limited("Looking whether the state can be carried over", "Make the query smaller.", TYPING)
def carried_state(before: RunSpec, after: RunSpec, point: RestartPoint, said: RunBeginning | None) -> CarriedState:
    """Return how a run of `after` would begin with the state of one of `before`, which left `point` and began so."""
    try:
        return CarriedState(beginning=carried_over(before, after, facts_of(after), [point], said))
    except NotCarried as why:
        return CarriedState(refusal=str(why))


def kept_run(binding: Binding, points: Sequence[RestartPoint]) -> KeptRun | None:
    """Return the run of the newest of `points`, None where that is not known any more, or is of another form."""
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
