"""What an organisation uses of its quotas, over HTTP."""

from drf_spectacular.utils import extend_schema
from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.accounts.api.persons import REFUSALS
from webapp.accounts.quotas import usages
from webapp.core.api import answer


class UsageShown(Strict):
    """How much of a quota is used: `used` of `limit`, both in `unit`."""

    quota: str
    title: str
    unit: str
    used: int
    limit: int


class UsageList(RootModel[list[UsageShown]]):
    """Every quota of an organisation."""


class QuotasView(TenantView):
    """The quotas of an organisation."""

    @extend_schema(operation_id="quotas_list", responses={200: UsageList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List every quota with what is used of it now."""
        shown = [
            UsageShown(
                quota=each.quota.name,
                title=each.title,
                unit=each.quota.unit,
                used=each.used,
                limit=each.limit,
            )
            for each in usages()
        ]
        return answer(UsageList(shown))
