"""`manage.py createtoken`: make a token for a script, by those who run the installation. Prints the token alone."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from webapp.accounts.access import access_organisation
from webapp.accounts.models import User
from webapp.accounts.permissions import Role
from webapp.accounts.tokens import MOST_DAYS, Wish, make_token
from webapp.core.context import organisation_context
from webapp.core.errors import ApiError


class Command(BaseCommand):
    """Makes a token of a member and writes it, alone on its line, to standard output."""

    help = "Make a token of a member of an organisation. Prints it once; it is kept nowhere."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask for the person, the organisation, the role and the days."""
        parser.add_argument("--email", required=True, help="whose token it is; a member of the organisation")
        parser.add_argument("--organisation", required=True, help="the organisation's short name, as in addresses")
        parser.add_argument("--role", required=True, choices=[role.value for role in Role])
        parser.add_argument("--days", required=True, type=int, help=f"days in force, 1 to {MOST_DAYS}")
        parser.add_argument("--name", default="made by manage.py", help="what the list of tokens shows")
        parser.add_argument("--network", action="append", default=[], metavar="CIDR", help="usable only from here")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        """Refuse what the API would refuse, with its sentences."""
        if not 1 <= options["days"] <= MOST_DAYS:
            raise CommandError(f"--days is from 1 to {MOST_DAYS}.")
        user = User.objects.filter(email=options["email"]).first()
        if user is None:
            raise CommandError(f"There is nobody with the address {options['email']}.")
        wish = Wish(options["name"], Role(options["role"]), options["days"], options["network"])
        try:
            membership = access_organisation(user, options["organisation"])
            with organisation_context(membership.organisation_id):
                _, text = make_token(user, wish)
        except ApiError as error:
            faults = "".join(f"\n  {fault.message} {fault.remedy}" for fault in error.faults)
            raise CommandError(f"{error.message}{faults}") from None
        self.stdout.write(text)
