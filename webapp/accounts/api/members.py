"""Members over HTTP: list, change roles, remove, leave."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.accounts.api.persons import REFUSALS, TenantPersonView
from webapp.accounts.members import access_member, change_role, members, remove_member, with_second_factor
from webapp.accounts.models import Membership, User
from webapp.accounts.permissions import Permission, Role
from webapp.core.api import answer, read_body
from webapp.core.errors import ErrorEnvelope


class MemberResponse(Strict):
    """A member; `me`: the member is the caller. `second_factor` is null for callers who may not administer."""

    id: str
    email: str
    role: Role
    joined_at: str
    me: bool
    second_factor: bool | None


class MemberList(RootModel[list[MemberResponse]]):
    """Members, by address."""


class MemberRole(Strict):
    """The new role of a member."""

    role: Role


def _to_response(member: Membership, me: User | None, second_factor: bool | None) -> MemberResponse:
    return MemberResponse(
        id=str(member.pk),
        email=member.user.email,
        role=Role(member.role),
        joined_at=member.joined_at.isoformat(),
        me=me is not None and member.user_id == me.pk,
        second_factor=second_factor,
    )


class MembersView(TenantView):
    """The members."""

    @extend_schema(operation_id="members_list", responses={200: MemberList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List the members, by address."""
        found = list(members())
        secured = with_second_factor(each.user for each in found) if self.may(Permission.ADMINISTER) else None
        shown = [_to_response(each, self.user, None if secured is None else each.user_id in secured) for each in found]
        return answer(MemberList(shown))


class MemberView(TenantPersonView):
    """One member."""

    @extend_schema(
        operation_id="members_replace",
        request=MemberRole,
        responses={200: MemberResponse, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def put(self, request: Request, slug: str, member: UUID) -> Response:
        """Give a member another role."""
        access_member(member)
        changed = change_role(member=member, role=read_body(request, MemberRole).role, by=self.person)
        return answer(_to_response(changed, self.person, changed.user_id in with_second_factor([changed.user])))

    @extend_schema(operation_id="members_remove", responses={204: None, 409: ErrorEnvelope, **REFUSALS})
    def delete(self, request: Request, slug: str, member: UUID) -> Response:
        """Remove a member, or leave: their tokens here are revoked; runs continue."""
        remove_member(member=member, by=self.person)
        return Response(status=204)
