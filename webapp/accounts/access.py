"""Entry to an organisation: check of membership and rights, and the view that takes the organisation from the URL."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponseBase
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.views import APIView

from webapp.accounts.actors import actor_of
from webapp.accounts.models import Membership, Organisation, User
from webapp.accounts.permissions import Permission, Role, RouteRule, roles_with, route_rule, shared
from webapp.accounts.tokens import TokenInUse
from webapp.core.context import act_as, enter_organisation, installation_context, organisation_context
from webapp.core.errors import Forbidden, NotFound
from webapp.core.limited.admission import admission, admit


@dataclass(frozen=True)
class OrganisationEntry:
    """A request's entry to an organisation: its role, and its person or token. A service account always has a token."""

    organisation: Organisation
    role: Role
    person: User | None
    token: TokenInUse | None

    @property
    def permissions(self) -> frozenset[Permission]:
        """Return the permissions of the role; with a token, only those that the token has too."""
        mine = shared(self.role)
        return mine if self.token is None else mine & self.token.permissions

    @property
    def holder(self) -> str:
        """Return the id of the person or of the service account."""
        if self.token is not None:
            return self.token.holder
        assert self.person is not None  # nosec B101 # without a token somebody has signed in
        return str(self.person.pk)

    def may_propose(self, rule: RouteRule) -> bool:
        """Return whether the token may use `rule` with `propose` instead of the permission that its scopes lack."""
        token = self.token
        if token is None or not rule.by_proposal:
            return False
        return Permission.PROPOSE in self.permissions and rule.permission in token.unscoped


def access_organisation(user: User, slug: str) -> Membership:
    """Return the membership of `user` in the organisation `slug`. Raises `NotFound` if absent or not theirs."""
    with installation_context("a person enters an organisation"):
        found = Membership.objects.select_related("organisation").filter(user=user, organisation__slug=slug).first()
    if found is None:
        raise NotFound
    return found


def enter(request: Request, slug: str) -> OrganisationEntry:
    """Return the entry of this request to the organisation `slug`. Raises `NotFound` if it is absent or not theirs."""
    token = request.auth if isinstance(request.auth, TokenInUse) else None
    if token is not None and token.organisation.slug != slug:
        raise NotFound
    if token is not None and token.person is None:
        return OrganisationEntry(token.organisation, token.role, None, token)
    assert isinstance(request.user, User)  # nosec B101 # for the type checker only
    membership = access_organisation(request.user, slug)
    return OrganisationEntry(membership.organisation, Role(membership.role), request.user, token)


def check_rights(entry: OrganisationEntry, rule: RouteRule) -> None:
    """Check that `entry` has the permission that `rule` requires. Raises `Forbidden` with a sentence."""
    needed = rule.permission
    if needed not in shared(entry.role):
        *others, last = roles_with(needed)
        who = f"{', '.join(others)} or {last}" if others else last
        raise Forbidden(f"Your role {entry.role} may not {needed.value} here. Ask for the role {who}.")
    if entry.token is not None and not rule.by_token:
        raise Forbidden("A token may not do this. Sign in in the browser and do it there.")
    if entry.token is not None and needed not in entry.permissions and not entry.may_propose(rule):
        refused = f"The role {entry.token.role} of this token may not {needed.value} here."
        raise Forbidden(f"{refused} Use a token that has this permission.")


class TenantView(APIView):
    """A view below `/api/t/<slug>/`: the organisation comes from the URL and is in context for this request only.

    The permission matrix holds the permission that each method requires; a method without a rule is refused.
    """

    entry: OrganisationEntry
    rule: RouteRule

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer with the context closed before and after."""
        with organisation_context(None), admission():
            return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check sign-in, membership and right, then enter the organisation and take a place. Raises `Busy`."""
        super().initial(request, *args, **kwargs)
        act_as(actor_of(request))
        self.entry = enter(request, kwargs["slug"])
        if not hasattr(self, str(request.method).lower()):
            raise exceptions.MethodNotAllowed(str(request.method))
        assert request.resolver_match is not None  # nosec B101 # for the type checker
        rule = route_rule(request.resolver_match.route, str(request.method))
        if rule is None:
            raise Forbidden("This address has no rule in the permission matrix. Contact your administrator.")
        check_rights(self.entry, rule)
        self.rule = rule
        enter_organisation(self.entry.organisation.pk)
        admit(self.entry.organisation.pk)

    @property
    def user(self) -> User | None:
        """The person; None for a service account."""
        return self.entry.person

    def may(self, permission: Permission) -> bool:
        """Return whether this request has `permission` here."""
        return permission in self.entry.permissions
