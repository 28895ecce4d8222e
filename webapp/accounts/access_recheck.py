"""Whether somebody who was let in would be let in now: asked again while an answer lasts."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.request import Request

from webapp.accounts.access import OrganisationEntry, check_rights, enter
from webapp.accounts.actors import IMPERSONATED_UNTIL
from webapp.accounts.permissions import RouteRule
from webapp.accounts.tokens import TokenAuthentication
from webapp.core.authentication import SessionAuthentication
from webapp.core.context import organisation_context
from webapp.core.errors import ApiError

LOOKED_AT: Final = frozenset({"HTTP_AUTHORIZATION", "REMOTE_ADDR"})
"""What of a request says who asks, beside its session."""


@dataclass(frozen=True)
class Visit:
    """How somebody came into an organisation: by a session or by a token, from where, and under which rule.

    `holder` is the id of the person; None for a service account. It keeps no row that was read, only what to look for.
    """

    organisation: UUID
    slug: str
    holder: UUID | None
    rule: RouteRule
    meta: dict[str, str]
    session: str | None


def visit_of(request: Request, entry: OrganisationEntry, rule: RouteRule) -> Visit:
    """Return how `entry` was made by `request`, which was allowed by `rule`."""
    meta = {str(name): str(value) for name, value in request.META.items() if name in LOOKED_AT}
    return Visit(
        organisation=entry.organisation.pk,
        slug=entry.organisation.slug,
        holder=None if entry.person is None else entry.person.pk,
        rule=rule,
        meta=meta,
        session=request._request.session.session_key,
    )


def still_allowed(visit: Visit) -> bool:
    """Return whether the same request would be let in now, judged by the code that judged it first.

    The session must still be there, be this person's, and be no impersonation that is over; the token be in force, for
    its network too; person, membership, service account and organisation be there; and the role, by now, suffice.
    """
    with organisation_context(None):
        request = Request(_again(visit), authenticators=[TokenAuthentication(), SessionAuthentication()])
        try:
            if not request.user.is_authenticated or _impersonation_is_over(request):
                return False
            entry = enter(request, visit.slug)
            check_rights(entry, visit.rule)
        except ApiError:
            return False
    holder = None if entry.person is None else entry.person.pk
    return (entry.organisation.pk, holder) == (visit.organisation, visit.holder)


def _impersonation_is_over(request: Request) -> bool:
    until = request._request.session.get(IMPERSONATED_UNTIL)
    return until is not None and until <= timezone.now().isoformat()


def _again(visit: Visit) -> HttpRequest:
    """Return a request that reads, with what the first one came with; session and person are read anew."""
    request: Any = HttpRequest()
    request.method = "GET"
    request.META = dict(visit.meta)
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(visit.session)
    request.user = get_user(request)
    return request  # type: ignore[no-any-return]
