"""The usage of an organisation's quotas, over HTTP."""

from drf_spectacular.utils import extend_schema
from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.accounts.api.persons import REFUSALS
from webapp.accounts.limits.quotas import usages
from webapp.core.api import answer


class UsageResponse(Strict):
    """The usage of a quota: `used` of `limit`, both in `unit`."""

    quota: str
    title: str
    unit: str
    used: int
    limit: int


class UsageList(RootModel[list[UsageResponse]]):
    """Every quota of an organisation."""


class QuotasView(TenantView):
    """The quotas of an organisation."""

    @extend_schema(operation_id="quotas_list", responses={200: UsageList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List every quota with its current usage."""
        shown = [
            UsageResponse(
                quota=each.quota.name,
                title=each.title,
                unit=each.quota.unit,
                used=each.used,
                limit=each.limit,
            )
            for each in usages()
        ]
        return answer(UsageList(shown))
