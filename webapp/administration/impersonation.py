"""Impersonation: started and ended by django-hijack, with audit events, a banner and limits."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.contrib.auth import logout
from django.dispatch import receiver
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from hijack.signals import hijack_ended, hijack_started
from hijack.views import AcquireUserView

from webapp.accounts.actors import IMPERSONATED_UNTIL, IMPERSONATOR
from webapp.accounts.models import User
from webapp.audit.recording import Target, record
from webapp.core.context import Actor, acting
from webapp.core.errors import ErrorEnvelope

LASTS: Final = timedelta(hours=1)
PROOF: Final = "impersonator_proof"
"""Session key of the digest of the administrator's password, with which Django recognises outdated sessions."""
LASTING: Final = (
    *("/_allauth/", "/tokens/", "/service-accounts/", "/invitations/", "/members/", "/organisations/"),
    *("/organisation/", "/exports/", "/decision/"),
)
"""Addresses of what lasts longer than the hour or must be one's own: keys, sign-ins, members, owners, decisions."""
READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def may_act_as(*, hijacker: User, hijacked: User) -> bool:
    """Return whether `hijacker` may act as `hijacked`: superusers may act as any active person who isn't staff."""
    staff = hijacked.is_staff or hijacked.is_superuser
    return hijacker.is_active and hijacker.is_superuser and hijacked.is_active and not staff


class ActAs(AcquireUserView):  # type: ignore[misc]
    """Start to act as somebody; an unknown id is 404, not an error."""

    def get_object(self, queryset: Any = None) -> User:  # noqa: ARG002
        """Return the person that the form names."""
        try:
            return get_object_or_404(User, pk=UUID(self.request.POST["user_pk"]))
        except ValueError:
            raise Http404 from None


@receiver(hijack_started)
def begun(request: HttpRequest, hijacker: User, hijacked: User, **_: Any) -> None:
    """Record the administrator who acts in the session, when that ends, and that it started."""
    request.session[IMPERSONATOR] = hijacker.email
    request.session[PROOF] = hijacker.get_session_auth_hash()
    request.session[IMPERSONATED_UNTIL] = (timezone.now() + LASTS).isoformat()
    _record("impersonation.started", request, hijacker, hijacked)


@receiver(hijack_ended)
def ended(request: HttpRequest, hijacker: User, hijacked: User, **_: Any) -> None:
    """Record that it ended; the session is the administrator's own again."""
    for name in (IMPERSONATOR, IMPERSONATED_UNTIL, PROOF):
        request.session.pop(name, None)
    _record("impersonation.ended", request, hijacker, hijacked)


def _record(action: str, request: HttpRequest, hijacker: User, hijacked: User) -> None:
    address = request.META.get("REMOTE_ADDR") or None
    with acting(Actor("installation", str(hijacker.pk), hijacker.email, address=address)):
        record(action, target=Target("person", hijacked.pk, hijacked.email))


def _admin_stands(request: HttpRequest) -> bool:
    """Return whether the administrator could start the impersonation now, with an unchanged password."""
    behind = request.session.get("hijack_history") or [None]
    admin = User.objects.filter(pk=behind[0], is_active=True, is_superuser=True).first()
    proof = str(request.session.get(PROOF, ""))
    return admin is not None and constant_time_compare(admin.get_session_auth_hash(), proof)


class ImpersonationLimits:
    """Ends impersonation after an hour, and refuses requests whose effects would last longer.

    It ends at once if the administrator is no superuser any more or has another password. The session is the other
    person's, so nothing else would end it, and leaving it would restore the administrator's own session.

    Without this, an administrator who acts as an owner for a minute could leave with a token that is valid for a year.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer within the limits."""
        if IMPERSONATOR not in request.session:
            return self.get_response(request)
        if request.session[IMPERSONATED_UNTIL] <= timezone.now().isoformat() or not _admin_stands(request):
            logout(request)
            return self.get_response(request)
        signs_out = request.method == "DELETE" and request.path == "/_allauth/browser/v1/auth/session"
        if request.method not in READS and not signs_out and any(part in request.path for part in LASTING):
            message = "You can't do this while you act as somebody else. Stop acting as them first."
            body = ErrorEnvelope(code="forbidden", message=message, faults=[])
            return HttpResponse(body.model_dump_json(), status=403, content_type="application/json")
        return self.get_response(request)
