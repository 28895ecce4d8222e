"""Confirmations over HTTP: request, list, read, decide, carry out."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import TenantView
from webapp.accounts.permissions import Permission
from webapp.bundles.bodies import MOST_BODY_BYTES
from webapp.confirmations import services
from webapp.confirmations.bodies import ConfirmationList, ConfirmationResponse, ConfirmationSummary
from webapp.confirmations.models import Confirmation
from webapp.confirmations.requests import CarryOutBody, ConfirmationBody, DecisionBody
from webapp.core.api import answer, read_body
from webapp.core.errors import ErrorEnvelope

LISTED = 100
REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}
WRITES: dict[int, Any] = {409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS}


def _summary(found: Confirmation) -> dict[str, Any]:
    return {
        "id": str(found.pk),
        "kind": found.kind,
        "title": found.title,
        "status": services.status_of(found),
        "permission": Permission(found.permission),
        "requested_by": found.requested_by,
        "token": found.token,
        "requested_at": found.requested_at.isoformat(),
        "expires_at": found.expires_at.isoformat(),
        "decided_by": found.decided_by_label,
        "decided_at": None if found.decided_at is None else found.decided_at.isoformat(),
        "carried_out_at": None if found.carried_out_at is None else found.carried_out_at.isoformat(),
    }


def _whole(found: Confirmation) -> ConfirmationResponse:
    return ConfirmationResponse.model_validate(
        {
            **_summary(found),
            "binding": None if found.binding is None else str(found.binding),
            "sentences": found.sentences,
            "changes": found.changes,
        }
    )


class ConfirmationsView(TenantView):
    """The plans of an organisation that need a confirmation."""

    @extend_schema(operation_id="confirmations_list", responses={200: ConfirmationList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List the newest 100, without their effects."""
        found = Confirmation.objects.defer("sentences", "changes", "settings")[:LISTED]
        return answer(ConfirmationList([ConfirmationSummary.model_validate(_summary(each)) for each in found]))

    @extend_schema(
        operation_id="confirmations_request",
        request=ConfirmationBody,
        responses={201: ConfirmationResponse, **WRITES},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Plan a change and store it for a person to confirm; 422 with all errors, 409 if nothing would change."""
        body = read_body(request, ConfirmationBody, most_bytes=MOST_BODY_BYTES).root
        plan = services.ACTIONS[body.kind].plan(body)
        return answer(_whole(services.request_confirmation(plan=plan, entry=self.entry)), 201)


class ConfirmationView(TenantView):
    """One plan."""

    @extend_schema(operation_id="confirmations_get", responses={200: ConfirmationResponse, **REFUSALS})
    def get(self, request: Request, slug: str, confirmation: UUID) -> Response:
        """Return a plan with its whole effect."""
        return answer(_whole(services.access_confirmation(confirmation)))


class DecisionView(TenantView):
    """The decision about a plan."""

    @extend_schema(
        operation_id="confirmations_decide", request=DecisionBody, responses={200: ConfirmationResponse, **WRITES}
    )
    def post(self, request: Request, slug: str, confirmation: UUID) -> Response:
        """Confirm or refuse a plan, as a person who signed in; no token can do this."""
        found, body = services.access_confirmation(confirmation), read_body(request, DecisionBody)
        return answer(_whole(services.decide(confirmation=found, entry=self.entry, confirm=body.confirm)))


class CarryOutView(TenantView):
    """Carrying out a confirmed plan."""

    @extend_schema(
        operation_id="confirmations_carry_out", request=CarryOutBody, responses={200: ConfirmationResponse, **WRITES}
    )
    def post(self, request: Request, slug: str, confirmation: UUID) -> Response:
        """Carry out a confirmed plan of one's own, once; 409 if it isn't confirmed, or if its state has changed."""
        found = services.access_confirmation(confirmation)
        body = read_body(request, CarryOutBody, most_bytes=MOST_BODY_BYTES)
        return answer(_whole(services.carry_out(confirmation=found, files=body.files, entry=self.entry)))
