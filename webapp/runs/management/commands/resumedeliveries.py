"""`manage.py resumedeliveries`: resume the deliveries that a restore from a backup has paused."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from streaming.storage.deliveries_paused import resume_deliveries


class Command(BaseCommand):
    """Ends the pause of all deliveries of a restored installation."""

    help = "Resume deliveries, which were paused when this installation was restored from a backup."

    def handle(self, *_: Any, **__: Any) -> None:
        """Resume them, and print whether they were paused."""
        resumed = resume_deliveries(settings.PUNCTUAL_DATA)
        self.stdout.write("Deliveries resume." if resumed else "Deliveries were not paused.")
