"""`manage.py checkpoints show|clean|backup|restore|set-aside ORGANISATION [FILE or CARRIER]`: state on disk."""

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
        "Manage the checkpoints of an organisation. show: list them (sizes, versions, newest batches). clean: delete "
        "those that no version reads any more. backup: save everything on disk to one file. restore: put such a file "
        "back and keep the previous files next to it. set-aside: move a damaged carrier away, so that its runs resume "
        "from their restart points. For all but show, stop the worker and the runners (stoprunners) first."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the action, the organisation, and the backup file or the carrier."""
        parser.add_argument("what", choices=["show", "clean", "backup", "restore", "set-aside"])
        parser.add_argument("organisation", help="the organisation's short name, as in addresses")
        parser.add_argument("target", nargs="?", help="the backup file, or the name of the carrier")

    def handle(self, *_: Any, **options: Any) -> None:
        """Print what was done. Raises CommandError if nothing was."""
        with installation_context("an operator cares for an organisation's checkpoints"):
            organisation = Organisation.objects.filter(slug=options["organisation"]).first()
        if organisation is None:
            raise CommandError(f"No organisation is named {options['organisation']}.")
        folder = settings.PUNCTUAL_DATA / str(organisation.pk)
        target = [] if options["target"] is None else [options["target"]]
        if target and options["what"] != "set-aside":
            target = [Path(target[0]).absolute()]
        command = [sys.executable, "-P", "-m", "streaming.runtime.checkpoints", options["what"], folder, *target]
        ended = subprocess.run(list(map(str, command)), cwd=settings.BASE_DIR, check=False)  # nosec B603
        if ended.returncode:
            raise CommandError("Nothing was done.", returncode=ended.returncode)
