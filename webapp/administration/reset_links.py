"""Links that reset a password: an administrator of an installation without mail makes them and sends them."""

from uuid import UUID

from allauth.account import app_settings as sign_in
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse

from webapp.accounts.models import User
from webapp.administration.impersonation import may_act_as
from webapp.administration.site import site
from webapp.audit.recording import Target, record


def may_make_link(*, by: User, person: User) -> bool:
    """Return whether `by` may make a link for `person`: no mail goes out, and `by` may also act as `person`."""
    return not settings.MAIL_GOES_OUT and may_act_as(hijacker=by, hijacked=person)


def reset_link(person: User) -> str:
    """Return an address at which `person` sets a new password, once and within an hour; recorded without its secret.

    It is the link of the mail that nobody sends. A second factor is still required after it.
    """
    key = f"{user_pk_to_url_str(person)}-{sign_in.PASSWORD_RESET_TOKEN_GENERATOR().make_token(person)}"
    record("person.reset_link_made", target=Target("person", person.pk, person.email))
    return f"{settings.ADDRESS_OF_PAGES}/reset-password/{key}"


def reset_link_page(request: HttpRequest, object_id: str) -> HttpResponseBase:
    """Make a link for the person of that id, and show it once. Raises `PermissionDenied`, `Http404`."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        person = get_object_or_404(User, pk=UUID(object_id))
    except ValueError:
        raise Http404 from None
    if not isinstance(request.user, User) or not may_make_link(by=request.user, person=person):
        raise PermissionDenied
    context = {
        **site.each_context(request),
        "title": f"A link for {person.email}",
        "person": person,
        "link": reset_link(person),
        "minutes": settings.PASSWORD_RESET_TIMEOUT // 60,
    }
    return TemplateResponse(request, "administration/reset_link.html", context)
