"""Bindings as users of streams and queries, for the lists of what depends on those."""

from uuid import UUID

from webapp.core.errors import Conflict
from webapp.core.uses import ObjectUse, register_uses
from webapp.runs.models import Binding, BindingInput, Run
from webapp.streams.pushing import KIND, inbox_left


def _of_stream(stream: UUID, _: str) -> list[ObjectUse]:
    inputs = BindingInput.objects.filter(stream=stream).select_related("binding")
    return [
        ObjectUse(
            kind="binding", id=str(each.binding_id), name=each.binding.name, says=f"reads it as its input {each.node}"
        )
        for each in inputs
    ]


def _of_query(query: UUID, _: str) -> list[ObjectUse]:
    bindings = Binding.objects.filter(query_version__query=query).select_related("query_version")
    return [
        ObjectUse(kind="binding", id=str(each.pk), name=each.name, says=f"runs its version {each.query_version.number}")
        for each in bindings
    ]


def _on_inbox_left(sender: object, inbox: str, **_: object) -> None:  # noqa: ARG001
    """Refuse to leave an inbox that an open run reads under the definition of its start."""
    for run in Run.objects.filter(ended_at__isnull=True).select_related("binding").only("spec", "binding__name"):
        adapters = [each["adapter"] for each in run.spec["inputs"].values()]
        if any(each["kind"] == KIND and each["options"].get("inbox") == inbox for each in adapters):
            raise Conflict(f"The run of {run.binding.name} reads the inbox {inbox} of this stream. Stop it first.")


inbox_left.connect(_on_inbox_left, dispatch_uid="inboxes of runs")
register_uses("stream", _of_stream)
register_uses("query", _of_query)
