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
    """Safe to repeat, and while runs go on: what is sealed under an older key opens as long as that key is listed."""

    help = (
        "Re-encrypt the secrets of all connections under the newest key of PUNCTUAL_SECRETS_KEYS. Put the new key "
        "before the old ones and start the web server and the workers again first; take the old keys out afterwards."
    )

    def handle(self, *_: Any, **__: Any) -> None:
        """Print counts; fails when a secret opens with none of the keys."""
        told = ResealingCounts()
        broken = []
        with installation_context("every organisation's secrets are sealed anew"):
            organisations = list(Organisation.objects.all())
        for organisation in organisations:
            with organisation_context(organisation.pk):
                reseal(told)
            broken += [f"{organisation.slug}: {each}" for each in told.broken]
            told.broken.clear()
        self.stdout.write(
            f"{counted(told.anew, 'secret')} sealed anew, {told.already} had the newest key already, "
            f"{told.dropped} taken out of runs that have ended."
        )
        try:
            self.stdout.write(f"{counted(seal_anew(), 'second factor')} of people sealed anew.")
        except InvalidToken:
            broken.append("second factors of people")
        if broken:
            raise CommandError(
                f"{counted(len(broken), 'secret')} cannot be opened with any of the keys: {', '.join(broken)}. List "
                "the key that sealed them again and repeat this, or give the secrets again."
            )
