"""Invitations over HTTP: for who administers an organisation, and for who was invited."""

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
"""Mails that one person may have sent: an open installation must not be a way to write to strangers."""
TRIES: Final = "30/m/ip"
NO_MAIL_SERVER: Final = (
    "This installation has no mail server, so no mail was sent. Hand the link over yourself; "
    "it is shown once, and “Send again” makes another."
)
NOT_SENT: Final = (
    "The mail was not sent, for the mail server did not take it. "
    "Send it again later, or ask whoever runs this installation."
)


class InvitationBody(Strict):
    """Who to invite, and in which role."""

    email: Annotated[str, StringConstraints(max_length=254)]
    role: Role


class InvitationChange(Strict):
    """The role in which who accepts shall join."""

    role: Role


class InvitationShown(Strict):
    """An invitation that waits or has expired. Without `sent_at` no mail went out, and `message` says what to do.

    `link` opens it; only who made it or sent it again is told, in that answer alone, and only without a mail server.
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


class InvitationList(RootModel[list[InvitationShown]]):
    """Invitations that wait or have expired, newest first."""


class InvitationText(Strict):
    """The text of an invitation, as it stands behind # in the address in the mail."""

    token: Annotated[str, StringConstraints(max_length=200)]


class InvitationSeen(Strict):
    """What an invitation is for, as its holder sees it; `organisation` is the name."""

    organisation: str
    slug: str
    email: str
    role: Role
    invited_by: str
    expires_at: str


def _delivered(made: InvitationDelivery) -> InvitationShown:
    return _shown(made.invitation).model_copy(update={"link": made.link})


def _shown(invitation: Invitation) -> InvitationShown:
    sent = invitation.sent_at
    missing = NOT_SENT if settings.MAIL_GOES_OUT else NO_MAIL_SERVER
    return InvitationShown(
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
        """List those that wait or have expired, newest first."""
        return answer(InvitationList([_shown(each) for each in invitations()]))

    @extend_schema(
        operation_id="invitations_create",
        request=InvitationBody,
        responses={
            201: InvitationShown,
            409: ErrorEnvelope,
            422: ErrorEnvelope,
            429: ErrorEnvelope,
            **REFUSALS,
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        """Invite somebody by mail."""
        body = read_body(request, InvitationBody)
        check_rate(request, "invitation_mails", MAILS)
        return answer(_delivered(invite(email=body.email, role=body.role, by=self.person)), 201)


class InvitationView(TenantPersonView):
    """One invitation."""

    @extend_schema(
        operation_id="invitations_change",
        request=InvitationChange,
        responses={200: InvitationShown, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def put(self, request: Request, slug: str, invitation: UUID) -> Response:
        """Change its role: who accepts it joins in this one. The text that was sent stays good."""
        access_invitation(invitation)
        role = read_body(request, InvitationChange).role
        return answer(_shown(change_role(invitation=invitation, role=role, by=self.person)))

    @extend_schema(operation_id="invitations_revoke", responses={204: None, **REFUSALS})
    def delete(self, request: Request, slug: str, invitation: UUID) -> Response:
        """Take it back: its text opens nothing any more."""
        revoke(invitation=invitation, by=self.person)
        return Response(status=204)


class ResendView(TenantPersonView):
    """One invitation, sent again."""

    @extend_schema(
        operation_id="invitations_resend",
        request=None,
        responses={200: InvitationShown, 409: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, invitation: UUID) -> Response:
        """Send it again with a new secret: the text that was sent before opens nothing any more."""
        access_invitation(invitation)
        check_rate(request, "invitation_mails", MAILS)
        return answer(_delivered(resend(invitation=invitation, by=self.person)))


class LookView(APIView):
    """An invitation, for whoever holds its text; opens sign-up for its address in this session."""

    authentication_classes: Any = ()
    permission_classes: Any = (AllowAny,)

    @extend_schema(
        operation_id="invitations_look",
        request=InvitationText,
        responses={200: InvitationSeen, 404: ErrorEnvelope, 422: ErrorEnvelope, 429: ErrorEnvelope},
        auth=[],
    )
    def post(self, request: Request) -> Response:
        """Return what the invitation is for."""
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
    """An invitation, accepted by who is signed in."""

    @extend_schema(
        operation_id="invitations_accept",
        request=InvitationText,
        responses={200: MyOrganisation, 409: ErrorEnvelope, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request) -> Response:
        """Join the organisation; to accept twice is the same as once."""
        text = read_body(request, InvitationText).token
        check_rate(request, "invitations_accept", TRIES)
        member = accept(text=text, by=self.person)
        request._request.session.pop(SESSION_KEY, None)
        return answer(mine(OrganisationEntry(member.organisation, Role(member.role), self.person, None)))
