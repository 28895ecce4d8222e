"""`/api/me/`: who is signed in, and where they may go; `/api/permissions/`: what each role may do."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from streaming.definition.strict import Strict
from webapp.accounts.access import OrganisationEntry, enter
from webapp.accounts.actors import actor_of
from webapp.accounts.models import User
from webapp.accounts.organisations import may_create_organisations
from webapp.accounts.permissions import ALLOWED, MATRIX, Permission, Role
from webapp.accounts.tokens import TokenInUse
from webapp.core.api import answer
from webapp.core.context import installation_context
from webapp.core.errors import ErrorEnvelope


class MyOrganisation(Strict):
    """An organisation I belong to, my role in it, and what I may do there; with a token, what that one may do.

    `delete_after`: an owner asked for its deletion; until then nothing runs.
    """

    slug: str
    name: str
    role: Role
    permissions: list[Permission]
    delete_after: str | None


class Me(Strict):
    """Who is signed in. `impersonator`: the address of the installation's admin who acts as this person."""

    id: str
    email: str
    impersonator: str | None
    may_create_organisations: bool
    organisations: list[MyOrganisation]


class MeView(APIView):
    """Who is signed in."""

    @extend_schema(operation_id="me", responses={200: Me, 401: ErrorEnvelope})
    def get(self, request: Request) -> Response:
        """Return who is signed in and the organisations they belong to; for a token, its person and its one only."""
        token = request.auth if isinstance(request.auth, TokenInUse) else None
        if token is not None:
            return answer(_me_by_token(token, enter(request, token.organisation.slug)))
        assert isinstance(request.user, User)  # nosec B101 # tells the type checker what is so; nothing depends on it
        with installation_context("a person lists their organisations"):
            memberships = list(request.user.memberships.select_related("organisation").order_by("organisation__slug"))
        entries = [OrganisationEntry(each.organisation, Role(each.role), request.user, None) for each in memberships]
        return answer(
            Me(
                id=str(request.user.pk),
                email=request.user.email,
                impersonator=actor_of(request).impersonator,
                may_create_organisations=may_create_organisations(request.user),
                organisations=[mine(each) for each in entries],
            )
        )


def _me_by_token(token: TokenInUse, entry: OrganisationEntry) -> Me:
    return Me(
        id=token.holder,
        email=token.label,
        impersonator=None,
        may_create_organisations=False,
        organisations=[mine(entry)],
    )


def mine(entry: OrganisationEntry) -> MyOrganisation:
    """Return what who entered is told of the organisation."""
    ends = entry.organisation.delete_after
    return MyOrganisation(
        slug=entry.organisation.slug,
        name=entry.organisation.name,
        role=entry.role,
        permissions=sorted(entry.permissions),
        delete_after=None if ends is None else ends.isoformat(),
    )


class RoleShown(Strict):
    """A role, what its people do, and what they may."""

    role: Role
    words: str
    permissions: list[Permission]


class PermissionShown(Strict):
    """A permission and what it allows, as the end of "may ..."."""

    permission: Permission
    allows: str


class PermissionMatrix(Strict):
    """What each role may do."""

    roles: list[RoleShown]
    permissions: list[PermissionShown]


class PermissionsView(APIView):
    """The permission matrix."""

    @extend_schema(operation_id="permissions", responses={200: PermissionMatrix, 401: ErrorEnvelope})
    def get(self, request: Request) -> Response:
        """Return what each role may do, in words too: the pages explain by it what they refuse."""
        roles = [RoleShown(role=each, words=MATRIX.roles[each], permissions=sorted(ALLOWED[each])) for each in Role]
        permissions = [PermissionShown(permission=each, allows=MATRIX.allows[each]) for each in Permission]
        return answer(PermissionMatrix(roles=roles, permissions=permissions))
