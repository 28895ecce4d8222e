"""Organisations over HTTP: make, look, rename, hand over, delete and take that back."""

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
    create_organisation,
    rename_organisation,
    take_deletion_back,
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
    """An organisation to make; `slug` is its short name, which stands in addresses and stays."""

    slug: Annotated[str, StringConstraints(max_length=40)]
    name: Name


class OrganisationName(Strict):
    """The organisation's name from now on."""

    name: Name


class OrganisationShown(Strict):
    """An organisation. `delete_after`: an owner asked for its deletion; until then nothing runs."""

    slug: str
    name: str
    created_at: str
    created_by: str
    delete_after: str | None


class Transfer(Strict):
    """Who shall be owner in my place: the id of a member."""

    member: UUID


class Deletion(Strict):
    """The wish to delete the organisation, with its short name typed again."""

    slug: Annotated[str, StringConstraints(max_length=40)]


def shown(organisation: Organisation) -> OrganisationShown:
    """Return what is shown of an organisation."""
    ends = organisation.delete_after
    return OrganisationShown(
        slug=organisation.slug,
        name=organisation.name,
        created_at=organisation.created_at.isoformat(),
        created_by=organisation.created_by,
        delete_after=None if ends is None else ends.isoformat(),
    )


class OrganisationsView(PersonView):
    """Organisations that are made."""

    @extend_schema(
        operation_id="organisations_create",
        request=NewOrganisation,
        responses={
            201: OrganisationShown,
            401: ErrorEnvelope,
            403: ErrorEnvelope,
            429: ErrorEnvelope,
            **REFUSED,
        },
    )
    def post(self, request: Request) -> Response:
        """Make an organisation, of which one is the owner then."""
        body = read_body(request, NewOrganisation)
        check_rate(request, "organisations_create", MAKING)
        return answer(shown(create_organisation(slug=body.slug, name=body.name, by=self.person)), 201)


class OrganisationView(TenantView):
    """The organisation itself."""

    @extend_schema(operation_id="organisation_get", responses={200: OrganisationShown, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Return the organisation."""
        return answer(shown(self.entry.organisation))

    @extend_schema(
        operation_id="organisation_replace",
        request=OrganisationName,
        responses={200: OrganisationShown, 422: ErrorEnvelope, **REFUSALS},
    )
    def put(self, request: Request, slug: str) -> Response:
        """Give it another name."""
        return answer(shown(rename_organisation(name=read_body(request, OrganisationName).name)))


class TransferView(TenantPersonView):
    """Who owns the organisation."""

    @extend_schema(
        operation_id="organisation_transfer",
        request=Transfer,
        responses={200: OrganisationShown, **REFUSED, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make another member owner, and oneself admin."""
        member = read_body(request, Transfer).member
        return answer(shown(transfer_organisation(member=member, by=self.person)))


class DeletionView(TenantPersonView):
    """The deletion of the organisation."""

    @extend_schema(
        operation_id="organisation_delete",
        request=Deletion,
        responses={200: OrganisationShown, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Ask for the deletion: everything is stopped now and deleted after the days of grace."""
        return answer(shown(ask_for_deletion(slug=read_body(request, Deletion).slug)))

    @extend_schema(operation_id="organisation_keep", responses={200: OrganisationShown, 409: ErrorEnvelope, **REFUSALS})
    def delete(self, request: Request, slug: str) -> Response:
        """Take the deletion back; what was stopped stays stopped."""
        return answer(shown(take_deletion_back()))
