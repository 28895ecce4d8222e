"""Service accounts over HTTP, and their tokens."""

from typing import Annotated
from uuid import UUID

from drf_spectacular.utils import extend_schema
from pydantic import RootModel, StringConstraints
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from webapp.accounts.api.persons import REFUSALS, TenantPersonView
from webapp.accounts.api.tokens import BEFORE, TokenBody, TokenList, TokenMade, listed, shown_fields
from webapp.accounts.models import ServiceAccount
from webapp.accounts.permissions import Role
from webapp.accounts.service_accounts import (
    access_service_account,
    create_service_account,
    delete_service_account,
    replace_service_account,
    service_accounts,
)
from webapp.accounts.tokens import make_service_token
from webapp.core.api import answer, read_body
from webapp.core.errors import ErrorEnvelope
from webapp.core.names import AS_TYPED


class ServiceAccountBody(Strict):
    """A service account; while `disabled` its tokens are refused."""

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80), AS_TYPED]
    role: Role
    disabled: bool = False


class ServiceAccountResponse(Strict):
    """A service account with the number of its valid tokens, and the time when one of its tokens was last used."""

    id: str
    name: str
    role: Role
    disabled: bool
    created_at: str
    created_by: str
    tokens: int
    last_used_at: str | None


class ServiceAccountList(RootModel[list[ServiceAccountResponse]]):
    """Service accounts, by name."""


def _to_response(account: ServiceAccount) -> ServiceAccountResponse:
    used = getattr(account, "used_at", None)
    return ServiceAccountResponse(
        id=str(account.pk),
        name=account.name,
        role=Role(account.role),
        disabled=account.disabled_at is not None,
        created_at=account.created_at.isoformat(),
        created_by=account.created_by,
        tokens=getattr(account, "tokens_in_force", 0),
        last_used_at=None if used is None else used.isoformat(),
    )


class ServiceAccountsView(TenantPersonView):
    """The service accounts of an organisation."""

    @extend_schema(operation_id="service_accounts_list", responses={200: ServiceAccountList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List them, by name."""
        return answer(ServiceAccountList([_to_response(each) for each in service_accounts()]))

    @extend_schema(
        operation_id="service_accounts_create",
        request=ServiceAccountBody,
        responses={201: ServiceAccountResponse, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make one; it has no token yet."""
        body = read_body(request, ServiceAccountBody)
        made = create_service_account(name=body.name, role=body.role, disabled=body.disabled, by=self.person)
        return answer(_to_response(made), 201)


class ServiceAccountView(TenantPersonView):
    """One service account."""

    @extend_schema(
        operation_id="service_accounts_replace",
        request=ServiceAccountBody,
        responses={200: ServiceAccountResponse, 422: ErrorEnvelope, **REFUSALS},
    )
    def put(self, request: Request, slug: str, account: UUID) -> Response:
        """Replace its name and role, disable or enable it; its tokens follow at once."""
        access_service_account(account)
        body = read_body(request, ServiceAccountBody)
        changed = replace_service_account(
            account=account, name=body.name, role=body.role, disabled=body.disabled, by=self.person
        )
        return answer(_to_response(changed))

    @extend_schema(operation_id="service_accounts_delete", responses={204: None, **REFUSALS})
    def delete(self, request: Request, slug: str, account: UUID) -> Response:
        """Delete it with its tokens; the audit log keeps what it did under its name."""
        delete_service_account(account=account, by=self.person)
        return Response(status=204)


class ServiceAccountTokensView(TenantPersonView):
    """The tokens of one service account."""

    @extend_schema(
        operation_id="service_account_tokens_list",
        parameters=[BEFORE],
        responses={200: TokenList, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str, account: UUID) -> Response:
        """List 100 tokens, newest first, without their secrets."""
        tokens = access_service_account(account).tokens.select_related("user", "service_account")
        return answer(listed(request, tokens, self.person))

    @extend_schema(
        operation_id="service_account_tokens_create",
        request=TokenBody,
        responses={201: TokenMade, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, account: UUID) -> Response:
        """Make a token; only this answer contains its text."""
        found = access_service_account(account)
        made, text = make_service_token(found, read_body(request, TokenBody).wish(), by=self.person)
        return answer(TokenMade(**shown_fields(made), token=text), 201)
