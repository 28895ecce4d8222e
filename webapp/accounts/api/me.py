"""`/api/me/`: the person signed in and their organisations; `/api/permissions/`: what each role may do."""

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
    """An organisation that I belong to, my role in it, and what I may do there; with a token, what that token may do.

    `delete_after`: an owner requested its deletion; nothing runs until then.
    """

    slug: str
    name: str
    role: Role
    permissions: list[Permission]
    delete_after: str | None


class Me(Strict):
    """The person signed in. `impersonator`: the address of the installation's administrator who acts as this person."""

    id: str
    email: str
    impersonator: str | None
    may_create_organisations: bool
    organisations: list[MyOrganisation]


class MeView(APIView):
    """The person signed in."""

    @extend_schema(operation_id="me", responses={200: Me, 401: ErrorEnvelope})
    def get(self, request: Request) -> Response:
        """Return the person signed in and their organisations; for a token, its person and its organisation only."""
        token = request.auth if isinstance(request.auth, TokenInUse) else None
        if token is not None:
            return answer(_me_by_token(token, enter(request, token.organisation.slug)))
        assert isinstance(request.user, User)  # nosec B101 # for the type checker only
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
    """Return what the API shows of the organisation to those who entered it."""
    ends = entry.organisation.delete_after
    return MyOrganisation(
        slug=entry.organisation.slug,
        name=entry.organisation.name,
        role=entry.role,
        permissions=sorted(entry.permissions),
        delete_after=None if ends is None else ends.isoformat(),
    )


class RoleResponse(Strict):
    """A role, a description of its people, and its permissions."""

    role: Role
    words: str
    permissions: list[Permission]


class PermissionResponse(Strict):
    """A permission and what it allows, as the end of "may ..."."""

    permission: Permission
    allows: str


class PermissionMatrix(Strict):
    """The permissions of each role."""

    roles: list[RoleResponse]
    permissions: list[PermissionResponse]


class PermissionsView(APIView):
    """The permission matrix."""

    @extend_schema(operation_id="permissions", responses={200: PermissionMatrix, 401: ErrorEnvelope})
    def get(self, request: Request) -> Response:
        """Return the permissions of each role, with descriptions, so that the pages can explain a refusal."""
        roles = [RoleResponse(role=each, words=MATRIX.roles[each], permissions=sorted(ALLOWED[each])) for each in Role]
        permissions = [PermissionResponse(permission=each, allows=MATRIX.allows[each]) for each in Permission]
        return answer(PermissionMatrix(roles=roles, permissions=permissions))
