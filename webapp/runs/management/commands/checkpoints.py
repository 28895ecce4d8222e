"""`manage.py checkpoints show|clean|backup|restore ORGANISATION [FILE]`: what an organisation has on the disk."""

import subprocess  # nosec B404 # the program of this installation
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from webapp.accounts.models import Organisation
from webapp.core.context import installation_context


class Command(BaseCommand):
    """Runs `streaming.runtime.checkpoints` on the folder of an organisation."""

    help = (
        "Show the checkpoints of an organisation (sizes, versions, newest batches), delete those that no version reads "
        "any more (clean), keep all that it has on the disk in one file (backup), or put such a file back (restore; "
        "what was there is kept beside). For all but show, stop the worker and the runners (stoprunners) first."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """What to do, for whom, and the file of a backup."""
        parser.add_argument("what", choices=["show", "clean", "backup", "restore"])
        parser.add_argument("organisation", help="its short name, as in addresses")
        parser.add_argument("file", nargs="?", type=Path, help="the file of the backup")

    def handle(self, *_: Any, **options: Any) -> None:
        """Say what was done. Raises CommandError where nothing was."""
        with installation_context("an operator cares for an organisation's checkpoints"):
            organisation = Organisation.objects.filter(slug=options["organisation"]).first()
        if organisation is None:
            raise CommandError(f"There is no organisation {options['organisation']}.")
        folder = settings.PUNCTUAL_DATA / str(organisation.pk)
        file = [] if options["file"] is None else [options["file"].absolute()]
        command = [sys.executable, "-P", "-m", "streaming.runtime.checkpoints", options["what"], folder, *file]
        ended = subprocess.run(list(map(str, command)), cwd=settings.BASE_DIR, check=False)  # nosec B603
        if ended.returncode:
            raise CommandError("Nothing was done.", returncode=ended.returncode)
