"""Tokens over HTTP: list, make, revoke; only for people who signed in."""

from typing import Annotated, Any, Literal
from uuid import UUID

from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field, RootModel, StringConstraints
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from webapp.accounts.api.persons import TenantPersonView
from webapp.accounts.models import Token, User
from webapp.accounts.permissions import Permission, Role
from webapp.accounts.tokens import MOST_DAYS, TokenRequest, make_token, rename_token, revoke_token
from webapp.core.api import answer, read_body, read_query
from webapp.core.errors import ErrorEnvelope, Faulty, NotFound, fault
from webapp.core.names import AS_TYPED

MOST_NETWORKS = 20
MOST_SCOPES = 10
TOKENS_LISTED = 100
BEFORE = OpenApiParameter("before", UUID, description="The id of the last token that you have; lists the next ones.")
Network = Annotated[str, StringConstraints(max_length=64)]
TokenName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80), AS_TYPED]


class TokensQuery(Strict):
    """The page of tokens to list: those after `before`, or the first."""

    before: UUID | None = None


class TokenBody(Strict):
    """A token to make: valid for at most a year, and only from `allowed_networks` (CIDRs) if there are any.

    `scopes` are the permissions of the role that it has; empty: all of them.
    """

    name: TokenName
    role: Role
    expires_in_days: Annotated[int, Field(ge=1, le=MOST_DAYS)]
    allowed_networks: Annotated[list[Network], Field(max_length=MOST_NETWORKS)] = Field(default_factory=list)
    scopes: Annotated[list[Permission], Field(max_length=MOST_SCOPES)] = Field(default_factory=list)

    def wish(self) -> TokenRequest:
        """Return the request as the services take it."""
        return TokenRequest(self.name, self.role, self.expires_in_days, self.allowed_networks, self.scopes)


class TokenChange(Strict):
    """The part of a token that can change: its name. Its permissions are fixed when it is made."""

    name: TokenName


class TokenResponse(Strict):
    """A token without its secret; `prefix` is how it starts. Times are ISO text in UTC; the last use to the minute.

    It belongs to the `person` with this address, or to the `service_account` of this name. Empty `scopes`: all of its
    role.
    """

    id: str
    name: str
    prefix: str
    role: Role
    person: str | None
    service_account: str | None
    scopes: list[Permission]
    state: Literal["active", "expired", "revoked"]
    created_at: str
    expires_at: str
    last_used_at: str | None
    revoked_at: str | None
    allowed_networks: list[str]


class TokenMade(TokenResponse):
    """A new token with its text, which is shown only once and not stored."""

    token: str


class TokenList(RootModel[list[TokenResponse]]):
    """At most 100 tokens: the caller's own first, each kind newest first. Expired and revoked tokens stay listed."""


def _state(token: Token) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "expired" if token.expires_at <= timezone.now() else "active"


def shown_fields(token: Token) -> dict[str, Any]:
    """Return the fields of `TokenResponse`."""
    return {
        "id": str(token.pk),
        "name": token.name,
        "prefix": str(token),
        "role": Role(token.role),
        "person": token.user.email if token.user else None,
        "service_account": token.service_account.name if token.service_account else None,
        "scopes": token.scopes,
        "state": _state(token),
        "created_at": token.created_at.isoformat(),
        "expires_at": token.expires_at.isoformat(),
        "last_used_at": None if token.last_used_at is None else token.last_used_at.isoformat(),
        "revoked_at": None if token.revoked_at is None else token.revoked_at.isoformat(),
        "allowed_networks": token.networks,
    }


def listed(request: Request, tokens: "QuerySet[Token]", me: User) -> TokenList:
    """Return 100 of `tokens`: those of `me` first so that others' never hide them, each kind newest first.

    Raises `Faulty` for a `before` that isn't the id of one of `tokens`.
    """
    own = Case(When(user=me, then=Value(1)), default=Value(0), output_field=IntegerField())
    found = tokens.annotate(own=own).order_by("-own", "-created_at", "-pk")
    before = read_query(request, TokensQuery).before
    if before is not None:
        last = found.filter(pk=before).first()
        if last is None:
            remedy = "Leave `before` out, or set it to the id of a token in the list."
            raise Faulty([fault(FaultCode.BAD_SHAPE, "before: this token doesn't exist.", remedy, field="before")])
        same = Q(own=last.own)
        older = Q(created_at__lt=last.created_at) | Q(created_at=last.created_at, pk__lt=last.pk)
        found = found.filter(Q(own__lt=last.own) | (same & older))
    return TokenList([TokenResponse(**shown_fields(each)) for each in found[:TOKENS_LISTED]])


REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


class _TokenView(TenantPersonView):
    """Access to tokens: everybody manages their own, whatever their role; administrators manage all."""

    def tokens(self) -> Any:
        """Return the tokens that this person may see."""
        found = Token.objects.select_related("user", "service_account")
        if self.may(Permission.ADMINISTER):
            return found
        return found.filter(user=self.person)

    def token(self, token: UUID) -> Token:
        """Return one of them. Raises `NotFound`."""
        found: Token | None = self.tokens().filter(pk=token).first()
        if found is None:
            raise NotFound
        return found


class TokensView(_TokenView):
    """The tokens of a person; for administrators, those of the organisation."""

    @extend_schema(
        operation_id="tokens_list", parameters=[BEFORE], responses={200: TokenList, 422: ErrorEnvelope, **REFUSALS}
    )
    def get(self, request: Request, slug: str) -> Response:
        """List 100 tokens without their secrets: the caller's own first, each kind newest first."""
        return answer(listed(request, self.tokens(), self.person))

    @extend_schema(
        operation_id="tokens_create",
        request=TokenBody,
        responses={201: TokenMade, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make a token; only this answer contains its text."""
        made, text = make_token(self.person, read_body(request, TokenBody).wish())
        return answer(TokenMade(**shown_fields(made), token=text), 201)


class TokenView(_TokenView):
    """One token."""

    @extend_schema(
        operation_id="tokens_rename",
        request=TokenChange,
        responses={200: TokenResponse, 422: ErrorEnvelope, **REFUSALS},
    )
    def put(self, request: Request, slug: str, token: UUID) -> Response:
        """Rename a token; programs that use it aren't affected."""
        found = self.token(token)
        rename_token(found, read_body(request, TokenChange).name)
        return answer(TokenResponse(**shown_fields(found)))

    @extend_schema(operation_id="tokens_revoke", responses={204: None, **REFUSALS})
    def delete(self, request: Request, slug: str, token: UUID) -> Response:
        """Revoke a token: the next request with it is refused."""
        revoke_token(self.token(token))
        return Response(status=204)
