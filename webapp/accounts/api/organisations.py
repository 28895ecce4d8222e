"""Organisations over HTTP: create, read, rename, transfer, delete and cancel a deletion."""

from typing import Annotated, Any, Final
from uuid import UUID

from drf_spectacular.utils import extend_schema
from pydantic import StringConstraints
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.accounts.api.persons import REFUSALS, PersonView, TenantPersonView, check_rate
from webapp.accounts.members import transfer_organisation
from webapp.accounts.models import Organisation
from webapp.accounts.organisations import (
    ask_for_deletion,
    cancel_deletion,
    create_organisation,
    rename_organisation,
)
from webapp.core.api import answer, read_body
from webapp.core.errors import ErrorEnvelope
from webapp.core.names import AS_TYPED

MAKING: Final = "20/h/user"
REFUSED: Final[dict[int, Any]] = {409: ErrorEnvelope, 422: ErrorEnvelope}
Name = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=120),
    AS_TYPED,
]


class NewOrganisation(Strict):
    """An organisation to make; `slug` is its short name, which addresses contain and which never changes."""

    slug: Annotated[str, StringConstraints(max_length=40)]
    name: Name


class OrganisationName(Strict):
    """The new name of the organisation."""

    name: Name


class OrganisationResponse(Strict):
    """An organisation. `delete_after`: an owner requested its deletion; nothing runs until then."""

    slug: str
    name: str
    created_at: str
    created_by: str
    delete_after: str | None


class Transfer(Strict):
    """The new owner who replaces me: the id of a member."""

    member: UUID


class Deletion(Strict):
    """The request to delete the organisation, with its short name typed again."""

    slug: Annotated[str, StringConstraints(max_length=40)]


def to_response(organisation: Organisation) -> OrganisationResponse:
    """Return what the API shows of an organisation."""
    ends = organisation.delete_after
    return OrganisationResponse(
        slug=organisation.slug,
        name=organisation.name,
        created_at=organisation.created_at.isoformat(),
        created_by=organisation.created_by,
        delete_after=None if ends is None else ends.isoformat(),
    )


class OrganisationsView(PersonView):
    """The collection of organisations."""

    @extend_schema(
        operation_id="organisations_create",
        request=NewOrganisation,
        responses={
            201: OrganisationResponse,
            401: ErrorEnvelope,
            403: ErrorEnvelope,
            429: ErrorEnvelope,
            **REFUSED,
        },
    )
    def post(self, request: Request) -> Response:
        """Make an organisation and become its owner."""
        body = read_body(request, NewOrganisation)
        check_rate(request, "organisations_create", MAKING)
        return answer(to_response(create_organisation(slug=body.slug, name=body.name, by=self.person)), 201)


class OrganisationView(TenantView):
    """The organisation itself."""

    @extend_schema(operation_id="organisation_get", responses={200: OrganisationResponse, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Return the organisation."""
        return answer(to_response(self.entry.organisation))

    @extend_schema(
        operation_id="organisation_replace",
        request=OrganisationName,
        responses={200: OrganisationResponse, 422: ErrorEnvelope, **REFUSALS},
    )
    def put(self, request: Request, slug: str) -> Response:
        """Rename the organisation."""
        return answer(to_response(rename_organisation(name=read_body(request, OrganisationName).name)))


class TransferView(TenantPersonView):
    """The ownership of the organisation."""

    @extend_schema(
        operation_id="organisation_transfer",
        request=Transfer,
        responses={200: OrganisationResponse, **REFUSED, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make another member owner, and yourself admin."""
        member = read_body(request, Transfer).member
        return answer(to_response(transfer_organisation(member=member, by=self.person)))


class DeletionView(TenantPersonView):
    """The deletion of the organisation."""

    @extend_schema(
        operation_id="organisation_delete",
        request=Deletion,
        responses={200: OrganisationResponse, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Request the deletion: everything stops now and is deleted after the days of grace."""
        return answer(to_response(ask_for_deletion(slug=read_body(request, Deletion).slug)))

    @extend_schema(
        operation_id="organisation_keep", responses={200: OrganisationResponse, 409: ErrorEnvelope, **REFUSALS}
    )
    def delete(self, request: Request, slug: str) -> Response:
        """Cancel the deletion; stopped runs stay stopped."""
        return answer(to_response(cancel_deletion()))
