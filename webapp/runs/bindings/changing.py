"""The open change of a binding to another version, as starts, stops and edits of the binding need it."""

from collections.abc import Mapping
from typing import Final

from django.utils import timezone

from streaming.definition.faults import Fault
from streaming.definition.strict import Strict
from streaming.resume.changeover import held_folder
from streaming.wire.messages import RunSpec
from webapp.core.errors import Conflict
from webapp.queries.models import QueryVersion
from webapp.queries.texts import settings_of
from webapp.runs.access import bound_inputs
from webapp.runs.bound_inputs import BoundInput
from webapp.runs.inputs.input_resolution import InputChoice, choose
from webapp.runs.lifecycle.journal import RunEventKind, note
from webapp.runs.models import Binding, VersionChange
from webapp.runs.states import ChangeState
from webapp.streams.access import streams_by_name

TAKING_OVER: Final = "Version {version} is taking over in {name}. Wait until it has taken over, then try again."
STOPPED: Final = "The run was asked to stop before version {version} had caught up."
CALLED_OFF: Final = "The change to version {version} was called off: {why}"


class ChangeProgress(Strict):
    """The progress of a run that reads next to another; times in ticks.

    `behind`: the rows that it has still to read, at `at`, and `first_behind` at `first_at`, from its first report.
    `held`: the rows that it holds and the other run has not emitted. `sentence`: the description of its start.
    """

    behind: int
    at: int
    first_behind: int
    first_at: int
    held: int
    sentence: str

    @property
    def seconds_left(self) -> int | None:
        """The time it needs at the present speed; None while the speed is unknown."""
        read, passed = self.first_behind - self.behind, self.at - self.first_at
        if self.behind == 0:
            return 0
        return round(self.behind * passed / read / 1_000_000) if read > 0 and passed > 0 else None


def open_change(binding: Binding) -> VersionChange | None:
    """Return the change of `binding` that is not over."""
    return VersionChange.objects.filter(binding=binding, ended_at__isnull=True).first()


def refuse_while_changing(binding: Binding) -> None:
    """Raise `Conflict` while another version takes over in `binding`."""
    _refuse_taking_over(binding, open_change(binding))


def call_off_by_stop(binding: Binding) -> None:
    """Call the change off because the run is asked to stop. Raises `Conflict` while another version takes over."""
    of_it = VersionChange.objects.filter(binding=binding, ended_at__isnull=True)
    change = of_it.select_for_update(of=("self",)).first()  # read under the lock: it may be taking over by now
    _refuse_taking_over(binding, change)
    if change is not None:
        call_off(change, ChangeState.FAILED, STOPPED.format(version=change.version))


def _refuse_taking_over(binding: Binding, change: VersionChange | None) -> None:
    if change is not None and change.state == ChangeState.TAKING_OVER:
        raise Conflict(TAKING_OVER.format(version=change.version, name=binding.name))


def call_off(change: VersionChange, state: ChangeState, why: str) -> None:
    """End `change` without effect and note it in the journal of the run, in the transaction of the caller."""
    change.state, change.message, change.ended_at, change.spec = state, why, timezone.now(), None
    change.save(update_fields=["state", "message", "ended_at", "spec"])
    words = CALLED_OFF.format(version=change.version, why=why)
    note(change.run, RunEventKind.CHANGED, message=words, at=change.ended_at)


def spec_beside(change: VersionChange) -> RunSpec:
    """Return the specification of the run that reads next to another: that of the next run, with hidden results."""
    held = held_folder(str(change.binding_id), str(change.pk))
    own = {"run": str(change.pk), "results": held, "beside": True, "takes_over": None}
    return RunSpec.model_validate(change.spec).model_copy(update=own)


def chosen_for(binding: Binding, version: QueryVersion) -> tuple[Mapping[str, BoundInput], list[Fault]]:
    """Return the inputs that `version` would have in `binding`, and the errors of those that have no stream yet.

    A version of the same query keeps the streams of its inputs; one of another query reads those that its text names.
    """
    if version.pk == binding.query_version_id:
        return bound_inputs(binding), []
    graph = version.read_graph()
    same = version.query_id == binding.query_version.query_id
    choices = {node: _as_it_is(bound) for node, bound in bound_inputs(binding).items()} if same else {}
    kept = {node: choice for node, choice in choices.items() if any(each.id == node for each in graph.nodes)}
    return choose(graph, settings_of(version), kept, streams_by_name())


def _as_it_is(bound: BoundInput) -> InputChoice:
    return InputChoice(bound.stream.name, bound.advance, bound.event_time)
