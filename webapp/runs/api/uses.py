"""Objects that depend on a binding, over HTTP."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import TenantView
from webapp.core.api import answer
from webapp.core.errors import ErrorEnvelope
from webapp.core.uses import UseList, uses_of
from webapp.runs.access import access_binding

REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


class BindingUsesView(TenantView):
    """The objects that depend on a binding."""

    @extend_schema(operation_id="bindings_uses", responses={200: UseList, **REFUSALS})
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """List the streams that read its results."""
        found = access_binding(binding)
        return answer(UseList(uses_of("binding", found.pk, found.name)))
