"""The secrets of channels for `manage.py reencryptsecrets`."""

from uuid import UUID

from django.db import transaction

from webapp.alerts.channels.kinds import CHANNELS
from webapp.alerts.models import Channel
from webapp.runs.storage.resealing import ResealingCounts, reseal_adapter, reseals


@reseals
def reseal_channels(counts: ResealingCounts) -> None:
    """Seal the secrets of channels under the newest key, one channel at a time."""
    for pk in Channel.objects.values_list("pk", flat=True):
        _reseal(pk, counts)


@transaction.atomic
def _reseal(pk: UUID, counts: ResealingCounts) -> None:
    found = Channel.objects.select_for_update().filter(pk=pk).first()
    if found is None:
        return
    stored = {"kind": found.kind, "options": found.options}
    options = reseal_adapter(stored, f"channel {found.name}", counts, CHANNELS.secrets)["options"]
    if options != found.options:
        Channel.objects.filter(pk=pk).update(options=options)
