"""`manage.py runnerconfiguration SLUG`: the configuration that a runner on a cluster reads from standard input."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from webapp.accounts.models import Organisation
from webapp.core.context import installation_context, organisation_context
from webapp.runs.runners.launching import configuration_of


class Command(BaseCommand):
    """Prints secrets: Redis's address with a password, and the organisation's keys. Pipe it, and store it nowhere."""

    help = "Print the configuration of an organisation's runner that a cluster starts. It contains secrets."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the organisation's slug."""
        parser.add_argument("slug")

    def handle(self, *_: Any, slug: str, **__: Any) -> None:
        """Print one line of JSON. Raises `CommandError` for an unknown organisation."""
        with installation_context("the configuration of a runner is printed"):
            found = Organisation.objects.filter(slug=slug).first()
        if found is None:
            raise CommandError(f"No organisation is named {slug!r}. The installation's pages list them.")
        with organisation_context(found.pk):
            self.stdout.write(json.dumps(configuration_of(found.pk)))
