"""`manage.py createtoken`: make a token for a script, by an administrator. Prints only the token."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from webapp.accounts.access import access_organisation
from webapp.accounts.models import Organisation, ServiceAccount, User
from webapp.accounts.permissions import Permission, Role
from webapp.accounts.tokens import MOST_DAYS, TokenRequest, make_service_token, make_token
from webapp.core.context import Actor, acting, installation_context, organisation_context
from webapp.core.errors import ApiError

ACTOR = Actor("installation", None, "manage.py createtoken")


class Command(BaseCommand):
    """Makes a token of a member or of a service account and prints it, alone on its line, to standard output."""

    help = "Make a token of a member, or of a service account, of an organisation. Prints it once; it is not stored."

    def add_arguments(self, parser: CommandParser) -> None:
        """Define options for the person or the service account, the organisation, the role and the days."""
        whose = parser.add_mutually_exclusive_group(required=True)
        whose.add_argument("--email", help="owner of the token; a member of the organisation")
        whose.add_argument("--service-account", metavar="NAME", help="owner of the token")
        parser.add_argument("--organisation", required=True, help="the organisation's short name, as in addresses")
        parser.add_argument("--role", required=True, choices=[role.value for role in Role])
        parser.add_argument("--days", required=True, type=int, help=f"days until it expires, 1 to {MOST_DAYS}")
        parser.add_argument("--name", default="made by manage.py", help="name in the list of tokens")
        parser.add_argument("--network", action="append", default=[], metavar="CIDR", help="the only network")
        scopes = [permission.value for permission in Permission]
        parser.add_argument("--scope", action="append", default=[], choices=scopes, help="limit to this permission")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        """Make the token; refuse what the API would refuse, with the same sentences."""
        if not 1 <= options["days"] <= MOST_DAYS:
            raise CommandError(f"--days must be from 1 to {MOST_DAYS}.")
        scopes = [Permission(each) for each in options["scope"]]
        wish = TokenRequest(options["name"], Role(options["role"]), options["days"], options["network"], scopes)
        try:
            with acting(ACTOR):
                text = _made(wish, options)
        except ApiError as error:
            faults = "".join(f"\n  {fault.message} {fault.remedy}" for fault in error.faults)
            raise CommandError(f"{error.message}{faults}") from None
        self.stdout.write(text)


def _made(wish: TokenRequest, options: dict[str, Any]) -> str:
    slug, name = options["organisation"], options["service_account"]
    if name is None:
        user = User.objects.filter(email=options["email"]).first()
        if user is None:
            raise CommandError(f"No account has the address {options['email']}. Make the account first.")
        with organisation_context(access_organisation(user, slug).organisation_id):
            return make_token(user, wish)[1]
    with installation_context("an administrator of the installation makes a token"):
        organisation = Organisation.objects.filter(slug=slug).first()
    if organisation is None:
        raise CommandError(f"There is no organisation {slug}. Check its short name.")
    with organisation_context(organisation.pk):
        account = ServiceAccount.objects.filter(name=name).first()
        if account is None:
            raise CommandError(f"There is no service account {name} in {slug}. Make it on the organisation's pages.")
        return make_service_token(account, wish, by=None)[1]
