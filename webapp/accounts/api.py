"""`/api/me/`: who is signed in, and where they may go."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from streaming.definition.graph import Strict
from webapp.accounts.models import User
from webapp.accounts.permissions import ALLOWED, Permission, Role
from webapp.core.api import answer
from webapp.core.errors import ErrorEnvelope


class MyOrganisation(Strict):
    """An organisation I belong to, my role in it, and what I may do there."""

    slug: str
    name: str
    role: Role
    permissions: list[Permission]


class Me(Strict):
    """Who is signed in."""

    id: str
    email: str
    organisations: list[MyOrganisation]


class MeView(APIView):
    """Who is signed in."""

    @extend_schema(operation_id="me", responses={200: Me, 401: ErrorEnvelope})
    def get(self, request: Request) -> Response:
        """Return who is signed in and the organisations they belong to."""
        assert isinstance(request.user, User)
        memberships = request.user.memberships.select_related("organisation").order_by("organisation__slug")
        mine = [
            MyOrganisation(
                slug=each.organisation.slug,
                name=each.organisation.name,
                role=Role(each.role),
                permissions=sorted(ALLOWED[Role(each.role)]),
            )
            for each in memberships
        ]
        return answer(Me(id=str(request.user.pk), email=request.user.email, organisations=mine))
