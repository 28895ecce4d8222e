"""The pages on which errors of a binding are fixed: those of its streams, of its query, and its own."""

from collections.abc import Iterable, Mapping

from streaming.definition.faults import Fault
from webapp.core.errors import MendableFault, MendTarget, mendable
from webapp.queries.models import Query
from webapp.runs.access import bound_inputs
from webapp.runs.bound_inputs import BoundInput
from webapp.runs.models import Binding, Run


def with_targets(
    faults: Iterable[Fault], inputs: Mapping[str, BoundInput], query: Query, binding: Binding | None
) -> list[MendableFault]:
    """Return each error with the objects that can be changed to fix it; `binding` is None while it is not stored.

    An error of an input usually comes from its stream; one of another node from a change of the query or of a stream.
    """
    own = [] if binding is None else [MendTarget(kind="binding", id=str(binding.pk), name=binding.name)]
    of_query = [MendTarget(kind="query", id=str(query.pk), name=query.name)]
    found = []
    for each in faults:
        read = inputs.get(each.node or "")
        if read is not None:
            targets = [*_streams([read]), *own, *of_query]
        else:
            targets = [*of_query, *own, *_streams(inputs.values())]
        found.append(mendable(each, targets))
    return found


def targets_of(run: Run) -> list[MendTarget]:
    """Return the objects to change before the binding of `run` is started again, by their present names."""
    binding = run.binding
    query = binding.query_version.query
    return [
        *_streams(bound_inputs(binding).values()),
        MendTarget(kind="binding", id=str(binding.pk), name=binding.name),
        MendTarget(kind="query", id=str(query.pk), name=query.name),
    ]


def _streams(inputs: Iterable[BoundInput]) -> list[MendTarget]:
    streams = {each.stream.pk: each.stream for each in inputs}
    return [MendTarget(kind="stream", id=str(pk), name=stream.name) for pk, stream in streams.items()]
