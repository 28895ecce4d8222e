"""Who may enter an organisation, and the view that enters it from the URL."""

from typing import Any, ClassVar

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from webapp.accounts.models import Membership, User
from webapp.accounts.permissions import Permission, Role, shared
from webapp.accounts.tokens import TokenInUse
from webapp.core.context import enter_organisation, organisation_context
from webapp.core.errors import Forbidden, NotFound

READS = frozenset({"GET", "HEAD", "OPTIONS"})


def access_organisation(user: User, slug: str) -> Membership:
    """Return the membership of `user` in the organisation `slug`. Raises `NotFound` if absent or not theirs."""
    found = Membership.objects.select_related("organisation").filter(user=user, organisation__slug=slug).first()
    if found is None:
        raise NotFound
    return found


def check_rights(membership: Membership, needed: Permission, token: TokenInUse | None) -> None:
    """Check that the member, and the token if there is one, may do `needed`. Raises `Forbidden`."""
    role = Role(membership.role)
    if needed not in shared(role):
        raise Forbidden(f"Your role {role} may not {needed.value} here. Ask an owner of the organisation.")
    if token is not None and needed not in shared(role, token.role):
        raise Forbidden(
            f"The role {token.role} of this token may not {needed.value} here. Use a token that was made with more."
        )


class TenantView(APIView):
    """A view below `/api/t/<slug>/`: the organisation comes from the URL and is in context for this request only.

    `reading` and `writing` are the permissions that safe and other methods need. `by_token`: a token may come here
    at all. A token sees its own organisation; every other one is absent for it.
    """

    by_token: ClassVar[bool] = True

    reading: ClassVar[Permission] = Permission.VIEW
    writing: ClassVar[Permission] = Permission.EDIT
    membership: Membership

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer with the context closed before and after."""
        with organisation_context(None):
            return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check sign-in, membership and role, then enter the organisation."""
        super().initial(request, *args, **kwargs)
        assert isinstance(request.user, User)
        token = request.auth if isinstance(request.auth, TokenInUse) else None
        if token is not None and token.organisation != kwargs["slug"]:
            raise NotFound
        self.membership = access_organisation(request.user, kwargs["slug"])
        if token is not None and not self.by_token:
            raise Forbidden("A token may not do this. Sign in in the browser and do it there.")
        check_rights(self.membership, self.reading if request.method in READS else self.writing, token)
        enter_organisation(self.membership.organisation_id)

    @property
    def user(self) -> User:
        """Who is signed in."""
        return self.membership.user
