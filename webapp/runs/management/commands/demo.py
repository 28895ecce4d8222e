"""`manage.py demo`: lay out the demo organisation, and ask for its binding to run. Safe to repeat."""

import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from webapp.accounts.models import Membership, Organisation, User
from webapp.accounts.permissions import Role
from webapp.core.context import installation_context, organisation_context
from webapp.core.errors import ApiError
from webapp.queries.access import current_version
from webapp.queries.assistance import sound
from webapp.queries.bodies import OneOfGraphAndText
from webapp.queries.models import Query
from webapp.queries.services import create_query
from webapp.runs import demo
from webapp.runs.access import open_run
from webapp.runs.bindings.bindings import BindingSaid, create_binding
from webapp.runs.models import Binding
from webapp.runs.starts.services import start
from webapp.streams.models import Stream
from webapp.streams.services import create_stream


class Command(BaseCommand):
    """Makes what is missing of the demo and prints how to sign in."""

    help = "Lay out the demo organisation with a stream, queries and a binding that runs; print its sign-in."

    def handle(self, *_: Any, **__: Any) -> None:
        """Refuse on a public installation, for the sign-in is printed and kept in the data folder."""
        if not settings.OWN_MACHINE:
            raise CommandError("The demo is for one's own machine: set PUNCTUAL_EMBEDDED=1 if this is one.")
        password = _password(settings.PUNCTUAL_DATA / "demo_password")
        with transaction.atomic():
            user, organisation = _account(password)
        with organisation_context(organisation.pk):
            try:
                _lay_out(user)
            except ApiError as error:
                faults = "".join(f"\n  {fault.message} {fault.remedy}" for fault in error.faults)
                raise CommandError(f"{error.message}{faults}") from None
        self.stdout.write(f"Sign in as {demo.EMAIL}, password: {password}")


def _password(kept: Path) -> str:
    """Return the password that was generated once; the file is readable by its owner only."""
    if not kept.exists():
        kept.touch(mode=0o600)
        kept.write_text(secrets.token_urlsafe(12))
    return kept.read_text().strip()


def _account(password: str) -> tuple[User, Organisation]:
    user = User.objects.filter(email=demo.EMAIL).first() or User.objects.create_user(demo.EMAIL)
    if not user.check_password(password):
        user.set_password(password)
        user.save()
    with installation_context("who runs the installation lays out the demo"):
        organisation, _ = Organisation.objects.get_or_create(slug=demo.SLUG, defaults={"name": "Demo"})
        Membership.objects.get_or_create(organisation=organisation, user=user, defaults={"role": Role.OWNER})
    return user, organisation


def _lay_out(user: User) -> None:
    if not Stream.objects.filter(name=demo.STREAM).exists():
        create_stream(name=demo.STREAM, definition=demo.CARS, adapter=demo.GENERATOR)
    for graph in demo.QUERIES:
        name = graph["name"]
        query = Query.objects.filter(name=name).first()
        if query is None:
            query = create_query(draft=sound(OneOfGraphAndText(graph=graph)), comment="The demo", author=user)
        if not Binding.objects.filter(name=name).exists():
            said = BindingSaid(name, inputs={}, dedicated=False)
            create_binding(said=said, query_version=current_version(query).pk)
    running = Binding.objects.get(name=demo.RUNNING)
    if open_run(running) is None:
        start(binding=running, by=user)
