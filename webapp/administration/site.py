"""The installation's pages for administrators: Django's admin site with the application's own sign-in."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast
from urllib.parse import quote

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.template.response import SimpleTemplateResponse

from webapp.accounts.models import User
from webapp.core.context import Actor, acting, installation_context

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


class InstallationSite(AdminSite):
    """Shows every organisation to staff. Nobody has access while acting as somebody else.

    Its own sign-in page has neither second factors nor rate limits, so the application's is used.
    """

    site_header = "Punctual: this installation"
    site_title = "Punctual installation"
    index_title = "Organisations, people, runs"
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        """Return whether this is a member of staff who isn't acting as somebody else."""
        return super().has_permission(request) and not request.session.get("hijack_history")

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:  # noqa: ARG002
        """Redirect to the application's sign-in page, and back from there."""
        if request.user.is_authenticated:
            return HttpResponseRedirect("/")
        return HttpResponseRedirect(f"/sign-in?next={quote(request.GET.get('next', '/installation/'))}")

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:  # noqa: ARG002
        """Redirect to the application's page, which requires a second factor, counts attempts, mails and records."""
        return HttpResponseRedirect("/account")

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """Return `view` with access to every organisation, acting as an administrator of the installation."""
        inner = super().admin_view(view, cacheable)

        @wraps(inner)
        def everywhere(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not isinstance(request.user, User) or not self.has_permission(request):
                return inner(request, *args, **kwargs)
            address = request.META.get("REMOTE_ADDR") or None
            actor = Actor("installation", str(request.user.pk), request.user.email, address=address)
            with acting(actor), installation_context("administration of the installation"):
                response = inner(request, *args, **kwargs)
                if isinstance(response, SimpleTemplateResponse):
                    response.render()  # templates read rows too
                return response

        return cast(View, everywhere)


site = InstallationSite(name="installation")
