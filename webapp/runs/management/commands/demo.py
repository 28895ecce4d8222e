"""`manage.py demo`: create the demo organisation, and request runs of two of its bindings. Safe to repeat."""

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
from webapp.runs.bindings.bindings import BindingSettings, create_binding
from webapp.runs.models import Binding
from webapp.runs.starts.services import start
from webapp.streams.models import Stream
from webapp.streams.services import create_stream


class Command(BaseCommand):
    """Creates the missing parts of the demo and prints how to sign in."""

    help = "Create the demo organisation with streams, queries and running bindings; print its sign-in."

    def handle(self, *_: Any, **__: Any) -> None:
        """Create the demo; refuse on a public installation, because the password is printed and stored."""
        if not settings.OWN_MACHINE:
            raise CommandError("The demo is for your own machine only. If this is one, set PUNCTUAL_EMBEDDED=1.")
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
    """Return the password, generated at the first call; only its owner can read the file."""
    if not kept.exists():
        kept.touch(mode=0o600)
        kept.write_text(secrets.token_urlsafe(12))
    return kept.read_text().strip()


def _account(password: str) -> tuple[User, Organisation]:
    user = User.objects.filter(email=demo.EMAIL).first() or User.objects.create_user(demo.EMAIL)
    if not user.check_password(password):
        user.set_password(password)
        user.save()
    with installation_context("an administrator creates the demo"):
        organisation, _ = Organisation.objects.get_or_create(slug=demo.SLUG, defaults={"name": "Demo"})
        Membership.objects.get_or_create(organisation=organisation, user=user, defaults={"role": Role.OWNER})
    return user, organisation


def _lay_out(user: User) -> None:
    for name, (definition, adapter) in demo.STREAMS.items():
        if not Stream.objects.filter(name=name).exists():
            create_stream(name=name, definition=definition, adapter=adapter)
    for graph in demo.QUERIES:
        name = graph["name"]
        query = Query.objects.filter(name=name).first()
        if query is None:
            query = create_query(draft=sound(OneOfGraphAndText(graph=graph)), comment="The demo", author=user)
        if not Binding.objects.filter(name=name).exists():
            choice = BindingSettings(name, inputs={}, dedicated=False)
            create_binding(settings=choice, query_version=current_version(query).pk)
    for running in Binding.objects.filter(name__in=(demo.RUNNING, demo.LOSING)):
        if open_run(running) is None:
            start(binding=running, by=user)
