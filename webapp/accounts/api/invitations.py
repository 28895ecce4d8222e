"""Invitations over HTTP: for those who administer an organisation, and for those who are invited."""

from typing import Annotated, Any, Final, Literal
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from pydantic import RootModel, StringConstraints
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from streaming.definition.strict import Strict
from webapp.accounts.access import OrganisationEntry
from webapp.accounts.api.me import MyOrganisation, mine
from webapp.accounts.api.persons import REFUSALS, PersonView, TenantPersonView, check_rate
from webapp.accounts.invitations import (
    InvitationDelivery,
    InvitationOver,
    accept,
    access_invitation,
    change_role,
    find,
    invitations,
    invite,
    resend,
    revoke,
)
from webapp.accounts.models import Invitation
from webapp.accounts.permissions import Role
from webapp.accounts.sign_in.invited import SESSION_KEY
from webapp.core.api import answer, read_body
from webapp.core.errors import ErrorEnvelope

MAILS: Final = "100/h/user"
"""Limit of mails for each person: an open installation must not be a way to write to strangers."""
TRIES: Final = "30/m/ip"
NO_MAIL_SERVER: Final = (
    "This installation has no mail server, so no mail was sent. Send the link yourself; "
    "it is shown once, and “Send again” makes another."
)
NOT_SENT: Final = (
    "The mail was not sent: the mail server refused it or is unreachable. "
    "Send it again later, or contact your administrator."
)


class InvitationBody(Strict):
    """The address to invite, and the role."""

    email: Annotated[str, StringConstraints(max_length=254)]
    role: Role


class InvitationChange(Strict):
    """The new role of an invitation: its person joins in this role."""

    role: Role


class InvitationResponse(Strict):
    """An invitation that is open or has expired. Without `sent_at` no mail was sent, and `message` says what to do.

    `link` opens it. Only the answer to creating or resending contains it, and only without a mail server.
    """

    id: str
    email: str
    role: Role
    state: Literal["open", "expired"]
    invited_by: str
    created_at: str
    sent_at: str | None
    expires_at: str
    message: str | None
    link: str | None = None


class InvitationList(RootModel[list[InvitationResponse]]):
    """Open and expired invitations, newest first."""


class InvitationText(Strict):
    """The text of an invitation: the part after # of the link in the mail."""

    token: Annotated[str, StringConstraints(max_length=200)]


class InvitationSeen(Strict):
    """The invitation that a link opens; `organisation` is the name."""

    organisation: str
    slug: str
    email: str
    role: Role
    invited_by: str
    expires_at: str


def _delivered(made: InvitationDelivery) -> InvitationResponse:
    return _to_response(made.invitation).model_copy(update={"link": made.link})


def _to_response(invitation: Invitation) -> InvitationResponse:
    sent = invitation.sent_at
    missing = NOT_SENT if settings.MAIL_GOES_OUT else NO_MAIL_SERVER
    return InvitationResponse(
        id=str(invitation.pk),
        email=invitation.email,
        role=Role(invitation.role),
        state="open" if invitation.expires_at > timezone.now() else "expired",
        invited_by=invitation.invited_by,
        created_at=invitation.created_at.isoformat(),
        sent_at=None if sent is None else sent.isoformat(),
        expires_at=invitation.expires_at.isoformat(),
        message=missing if sent is None else None,
    )


class InvitationsView(TenantPersonView):
    """The invitations of an organisation."""

    @extend_schema(operation_id="invitations_list", responses={200: InvitationList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List open and expired invitations, newest first."""
        return answer(InvitationList([_to_response(each) for each in invitations()]))

    @extend_schema(
        operation_id="invitations_create",
        request=InvitationBody,
        responses={
            201: InvitationResponse,
            409: ErrorEnvelope,
            422: ErrorEnvelope,
            429: ErrorEnvelope,
            **REFUSALS,
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        """Invite a person by mail."""
        body = read_body(request, InvitationBody)
        check_rate(request, "invitation_mails", MAILS)
        return answer(_delivered(invite(email=body.email, role=body.role, by=self.person)), 201)


class InvitationView(TenantPersonView):
    """One invitation."""

    @extend_schema(
        operation_id="invitations_change",
        request=InvitationChange,
        responses={200: InvitationResponse, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def put(self, request: Request, slug: str, invitation: UUID) -> Response:
        """Change its role: the invited person joins in this one. The link that was sent stays valid."""
        access_invitation(invitation)
        role = read_body(request, InvitationChange).role
        return answer(_to_response(change_role(invitation=invitation, role=role, by=self.person)))

    @extend_schema(operation_id="invitations_revoke", responses={204: None, **REFUSALS})
    def delete(self, request: Request, slug: str, invitation: UUID) -> Response:
        """Revoke the invitation: its link becomes invalid."""
        revoke(invitation=invitation, by=self.person)
        return Response(status=204)


class ResendView(TenantPersonView):
    """One invitation, sent again."""

    @extend_schema(
        operation_id="invitations_resend",
        request=None,
        responses={200: InvitationResponse, 409: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, invitation: UUID) -> Response:
        """Send it again with a new secret: the earlier link becomes invalid."""
        access_invitation(invitation)
        check_rate(request, "invitation_mails", MAILS)
        return answer(_delivered(resend(invitation=invitation, by=self.person)))


class LookView(APIView):
    """The invitation that a link opens; sign-up for its address is then open in this session."""

    authentication_classes: Any = ()
    permission_classes: Any = (AllowAny,)

    @extend_schema(
        operation_id="invitations_look",
        request=InvitationText,
        responses={200: InvitationSeen, 404: ErrorEnvelope, 422: ErrorEnvelope, 429: ErrorEnvelope},
        auth=[],
    )
    def post(self, request: Request) -> Response:
        """Return the invitation's organisation, role and address."""
        text = read_body(request, InvitationText).token
        check_rate(request, "invitations_look", TRIES)
        found = find(text)
        if found is None:
            raise InvitationOver
        request._request.session[SESSION_KEY] = text
        return answer(
            InvitationSeen(
                organisation=found.organisation.name,
                slug=found.organisation.slug,
                email=found.email,
                role=Role(found.role),
                invited_by=found.invited_by,
                expires_at=found.expires_at.isoformat(),
            )
        )


class AcceptView(PersonView):
    """Acceptance of an invitation by the person who is signed in."""

    @extend_schema(
        operation_id="invitations_accept",
        request=InvitationText,
        responses={200: MyOrganisation, 409: ErrorEnvelope, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        """Join the organisation; accepting twice has the same effect as once."""
        text = read_body(request, InvitationText).token
        check_rate(request, "invitations_accept", TRIES)
        member = accept(text=text, by=self.person)
        request._request.session.pop(SESSION_KEY, None)
        return answer(mine(OrganisationEntry(member.organisation, Role(member.role), self.person, None)))
