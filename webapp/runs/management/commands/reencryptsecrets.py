"""`manage.py reencryptsecrets`: seal every secret of a connection under the newest of PUNCTUAL_SECRETS_KEYS."""

from typing import Any

from cryptography.fernet import InvalidToken
from django.core.management.base import BaseCommand, CommandError

from streaming.definition.counts import counted
from webapp.accounts.models import Organisation
from webapp.accounts.sign_in.second_factors import seal_anew
from webapp.core.context import installation_context, organisation_context
from webapp.runs.storage.resealing import ResealingCounts, reseal


class Command(BaseCommand):
    """Safe to repeat, and while runs are running: older seals still open while their key is listed."""

    help = (
        "Re-encrypt the secrets of all connections under the newest key of PUNCTUAL_SECRETS_KEYS. First put the new "
        "key before the old ones and restart the web server and the workers; afterwards remove the old keys."
    )

    def handle(self, *_: Any, **__: Any) -> None:
        """Print counts; fail if a secret opens with none of the keys."""
        counts = ResealingCounts()
        broken = []
        with installation_context("every organisation's secrets are sealed again"):
            organisations = list(Organisation.objects.all())
        for organisation in organisations:
            with organisation_context(organisation.pk):
                reseal(counts)
            broken += [f"{organisation.slug}: {each}" for each in counts.broken]
            counts.broken.clear()
        self.stdout.write(
            f"{counted(counts.anew, 'secret')} resealed, {counts.already} already had the newest key, "
            f"{counts.dropped} removed from runs that have ended."
        )
        try:
            self.stdout.write(f"{counted(seal_anew(), 'second factor')} of people resealed.")
        except InvalidToken:
            broken.append("second factors of people")
        if broken:
            raise CommandError(
                f"{counted(len(broken), 'secret')} can't be opened with any of the keys: {', '.join(broken)}. Put "
                "the key that sealed them back into PUNCTUAL_SECRETS_KEYS and repeat this, or enter the secrets again."
            )
