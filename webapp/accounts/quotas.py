"""What an organisation may use: the quotas, their limits, and the one refusal when there is no more room."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.conf import settings

from webapp.accounts.models import OrganisationLimit
from webapp.audit.recording import Target, record
from webapp.core.errors import ApiError


@dataclass(frozen=True)
class Quota:
    """One thing that is limited: its title on pages, the unit of its numbers."""

    name: str
    title: str
    unit: str


QUOTAS: Final[Mapping[str, Quota]] = {
    quota.name: quota
    for quota in (
        Quota("members", "Members and open invitations", "people"),
        Quota("runs", "Runs at once", "runs"),
        Quota("events_per_second", "Events read each second, all runs together", "events/s"),
        Quota("preview_seconds", "Computing time of previews each day (UTC)", "s"),
        Quota("result_bytes", "Results kept", "bytes"),
        Quota("quarantine_bytes", "Quarantine kept", "bytes"),
    )
}


@dataclass(frozen=True)
class Usage:
    """How much of a quota is used now."""

    quota: Quota
    used: int
    limit: int


class OverQuota(ApiError):
    """There is no more room in a quota."""

    status = 409
    code = "over_quota"


def limit(name: str) -> int:
    """Return the limit of the organisation in context: its own, else the installation's default."""
    own = OrganisationLimit.objects.filter(quota=name).values_list("value", flat=True).first()
    default: int = settings.QUOTA_DEFAULTS[name]
    return default if own is None else own


def check_room(name: str, used: int, more: int = 1) -> None:
    """Check that `more` fits beside what is `used`. Raises `OverQuota` that says "10 of 10" and what to do."""
    most = limit(name)
    if used + more > most:
        quota = QUOTAS[name]
        raise OverQuota(
            f"{quota.title}: {used} of {most} {quota.unit} are used, so that {more} more do not fit. "
            "Free some, or ask whoever runs this installation for more."
        )


def set_limit(name: str, value: int | None) -> None:
    """Set the limit of the organisation in context; None: the installation's default again. Writes an audit event."""
    before = limit(name)
    OrganisationLimit.objects.filter(quota=name).delete()
    if value is not None:
        OrganisationLimit(quota=name, value=value).save()
    record("limit.set", target=Target("quota", None, name), before={"limit": before}, after={"limit": limit(name)})
