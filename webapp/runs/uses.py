"""Bindings that need streams and queries, told where it is asked what depends on them."""

from uuid import UUID

from webapp.core.uses import ObjectUse, register_uses
from webapp.runs.models import Binding, BindingInput


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


register_uses("stream", _of_stream)
register_uses("query", _of_query)
