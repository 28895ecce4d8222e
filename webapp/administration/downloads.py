"""Addresses that open one export for a quarter of an hour, for a browser or a script without a session."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from django.core import signing

from webapp.accounts.access import access_organisation
from webapp.accounts.models import Organisation, User
from webapp.accounts.permissions import Permission, Role, allows
from webapp.administration.exporting import export_path
from webapp.administration.models import Export
from webapp.core.context import installation_context, organisation_context
from webapp.core.errors import NotFound

VALID_S: Final = 15 * 60
SALT: Final = "webapp.administration.downloads"


@dataclass(frozen=True)
class Download:
    """An export that may be fetched now: the file at `path`, the organisation, and the person it is for."""

    path: Path
    name: str
    organisation: UUID
    person: User


def sign(organisation: Organisation, export: Export, person: User) -> str:
    """Return the text that opens `export` for `person`; it contains no file name and no secret."""
    return signing.dumps({"o": str(organisation.pk), "e": str(export.pk), "p": str(person.pk)}, salt=SALT)


def open_download(signed: str) -> Download:
    """Return the download that `signed` opens. Raises `NotFound` if altered, too old, or its person isn't an owner."""
    try:
        ids = signing.loads(signed, salt=SALT, max_age=VALID_S)
        organisation, export, person = (UUID(ids[each]) for each in "oep")
    except (signing.BadSignature, KeyError, TypeError, ValueError):
        raise NotFound from None
    with installation_context("a signed address names its organisation"):
        found = Organisation.objects.filter(pk=organisation).first()
        user = User.objects.filter(pk=person, is_active=True).first()
    if found is None or user is None:
        raise NotFound
    membership = access_organisation(user, found.slug)
    if not allows(Role(membership.role), Permission.OWN):
        raise NotFound
    with organisation_context(found.pk):
        ready = Export.objects.filter(pk=export, state="ready").first()
        if ready is None or not export_path(ready.pk).is_file():
            raise NotFound
        name = f"{found.slug}-{ready.created_at:%Y-%m-%d}.zip"
        return Download(export_path(ready.pk), name, found.pk, user)
