"""Quotas of an organisation: limits, usage, and the one refusal.

Each app registers with `counts` how its quota is counted, and calls `check_room` before it uses more.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.db import transaction

from streaming.definition.counts import counted
from webapp.accounts.models import OrganisationLimit
from webapp.audit.recording import Target, record
from webapp.core.errors import ApiError

BYTES: Final = "bytes"
BY_AGE: Final = ("result_bytes", "quarantine_bytes")
"""Quotas of data that is deleted by age, if an age is set."""
_SIZES: Final = ("B", "KB", "MB", "GB", "TB")


@dataclass(frozen=True)
class Quota:
    """One limited resource: its title on pages, the unit of its numbers, and how the organisation makes room."""

    name: str
    title: str
    unit: str
    remedy: str

    @property
    def one(self) -> str:
        """Return the unit in the singular."""
        return "person" if self.unit == "people" else self.unit.removesuffix("s")


QUOTAS: Final[Mapping[str, Quota]] = {
    quota.name: quota
    for quota in (
        Quota("members", "Members and open invitations", "people", "Remove a member or revoke an invitation"),
        Quota("runs", "Runs at once", "runs", "Stop a run"),
        Quota(
            "dedicated_runs",
            "Runs with a query of their own",
            "runs",
            "Stop such a run, or let the binding share a query with others",
        ),
        Quota("events_per_second", "Events read each second, all runs together", "events/s", "Stop a run"),
        Quota(
            "pushed_rows_per_second",
            "Rows pushed over HTTP each second, over 10 s",
            "rows/s",
            "Push less often",
        ),
        Quota("preview_seconds", "Computing time of previews each day (UTC)", "s", "Wait for the next day"),
        Quota(
            "person_preview_seconds",
            "Computing time of your own previews and replays each day (UTC)",
            "s",
            "Wait for the next day",
        ),
        Quota("replay_seconds", "Computing time of replays each day (UTC)", "s", "Wait for the next day"),
        Quota("repair_seconds", "Computing time of repairs each day (UTC)", "s", "Wait for the next day"),
        Quota("result_bytes", "Results kept", BYTES, "Delete results of bindings that do not run"),
        Quota("quarantine_bytes", "Quarantine kept", BYTES, "Delete the quarantine of bindings that do not run"),
        Quota("file_bytes", "Files kept, with uploads under way", BYTES, "Delete files or cancel uploads"),
        Quota("streams", "Streams", "streams", "Delete streams that nothing uses"),
        Quota("queries", "Queries", "queries", "Delete queries that nothing uses"),
        Quota("query_versions", "Versions of all queries", "versions", "Delete queries that nothing uses"),
        Quota(
            "disk_bytes",
            "Everything kept: files, inboxes, uploads, results, quarantine and saved state",
            BYTES,
            "Delete files, results, quarantine or streams with pushed rows",
        ),
        Quota("boards", "Boards", "boards", "Delete boards"),
        Quota("board_versions", "Versions of all boards", "versions", "Delete boards"),
        Quota("scenarios", "Scenarios of queries", "scenarios", "Delete scenarios"),
        Quota("scenario_bytes", "Size of all scenarios", BYTES, "Delete scenarios or take rows out of them"),
    )
}


@dataclass(frozen=True)
class Usage:
    """The current usage of a quota."""

    quota: Quota
    used: int
    limit: int

    @property
    def title(self) -> str:
        """Return the title on pages; for kept data, with how long it is kept."""
        if self.quota.name not in BY_AGE or not settings.KEEP_RESULTS_DAYS:
            return self.quota.title
        return f"{self.quota.title}, each for {counted(settings.KEEP_RESULTS_DAYS, 'day')}"

    @property
    def sentence(self) -> str:
        """Return the usage in words, for example "Runs at once: 10 of 10 runs are used", without the full stop."""
        if self.quota.unit == BYTES:
            return f"{self.quota.title}: {in_words(self.used)} of {in_words(self.limit, short=True)} are used"
        unit, verb = (self.quota.one, "is") if self.limit == 1 else (self.quota.unit, "are")
        return f"{self.quota.title}: {self.used:,} of {self.limit:,} {unit} {verb} used"

    @property
    def advice(self) -> str:
        """Return the sentence that says what to do."""
        return f"{self.quota.remedy}, or ask your administrator for more."


class OverQuota(ApiError):
    """A quota has no more room."""

    status = 409
    code = "over_quota"


Count = Callable[[], int]
_counts: dict[str, Count] = {}


def counts(name: str) -> Callable[[Count], Count]:
    """Register the decorated function as the counter of the organisation in context for this quota."""
    assert name in QUOTAS  # nosec B101 # a programming error, found by the first test

    def register(count: Count) -> Count:
        _counts[name] = count
        return count

    return register


def used(name: str) -> int:
    """Return the present usage of the organisation in context, in the quota's unit."""
    return _counts[name]()


def usages() -> list[Usage]:
    """Return every quota with its usage, in a constant number of database queries."""
    most = limits()
    return [Usage(quota, used(name), most[name]) for name, quota in QUOTAS.items()]


def limits() -> dict[str, int]:
    """Return the limit of every quota of the organisation in context."""
    own = dict(OrganisationLimit.objects.values_list("quota", "value"))
    return {name: own.get(name, settings.QUOTA_DEFAULTS[name]) for name in QUOTAS}


def limit(name: str) -> int:
    """Return the limit of the organisation in context: its own, else the installation's default."""
    own = OrganisationLimit.objects.filter(quota=name).values_list("value", flat=True).first()
    default: int = settings.QUOTA_DEFAULTS[name]
    return default if own is None else own


def check_room(name: str, used: int, more: int = 1) -> None:
    """Check that `more` fits in addition to `used`. Raises `OverQuota` that says "10 of 10" and what to do."""
    usage = Usage(QUOTAS[name], used, limit(name))
    if used + more <= usage.limit:
        return
    number = in_words(more) if usage.quota.unit == BYTES else f"{more:,}"
    beyond = f", so {number} more do not fit" if more > 1 else ", so there is no room for more"
    raise OverQuota(f"{usage.sentence}{beyond}. {usage.advice}")


def set_limit(name: str, value: int | None) -> None:
    """Set the limit of the organisation in context; None restores the installation's default. Writes an audit event."""
    with transaction.atomic():
        before = limit(name)
        OrganisationLimit.objects.filter(quota=name).delete()
        if value is not None:
            OrganisationLimit(quota=name, value=value).save()
        record("limit.set", target=Target("quota", None, name), before={"limit": before}, after={"limit": limit(name)})


def in_words(number: int, *, short: bool = False) -> str:
    """Return a number of bytes in words, "9.5 GB" (1 KB is 1,024 bytes); `short` omits a zero after the point."""
    size, unit = float(number), _SIZES[0]
    for unit in _SIZES:
        if size < 1024 or unit == _SIZES[-1]:
            break
        size /= 1024
    if unit == _SIZES[0] or (short and round(size, 1) == round(size)):
        return f"{size:.0f} {unit}"
    return f"{size:.1f} {unit}"
