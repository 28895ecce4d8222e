"""The timeline of an incident, computed from stored events: alerts, notes, runs, versions, repairs, actions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import product
from string import ascii_uppercase
from typing import Any, Final, Literal

from django.db.models import Q, QuerySet

from streaming.definition.counts import counted
from webapp.alerts.models import Acknowledgement, AlertSilence, Incident, Transition
from webapp.alerts.rules.evaluation import TICKS_PER_S, AlertLevel, Phase
from webapp.alerts.services.annotations import annotations_in
from webapp.alerts.turns.deciding import title
from webapp.audit.models import AuditEvent
from webapp.runs.lifecycle.journal import RunEventKind
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Binding, Repair, RunEvent

MOST_ENTRIES: Final = 300
"""Of one timeline; of more the newest are on it."""
NEAR: Final = 5 * 60 * TICKS_PER_S
"""An entry that precedes the loss by less is marked with its distance."""
EntryKind = Literal["alert", "note", "run", "version", "repair", "action", "loss"]
_RUNS: Final = {
    RunEventKind.STARTED: "was started",
    RunEventKind.BEGAN: "started with fresh state",
    RunEventKind.STOP: "was asked to stop",
    RunEventKind.TOLD: "waits",
    RunEventKind.CARRIED: "moved to another streaming query",
    RunEventKind.WORKER: "lost a worker process",
}
_ACTIONS: Final = {
    "binding.replaced": "Changed the settings",
    "binding.refused_deleted": "Put aside refused requests of an output",
    "query.version_made": "Saved a version of the query",
    "incident.opened": "Opened this incident",
    "incident.taken": "Took this incident",
    "incident.resolved": "Resolved this incident",
}


@dataclass(frozen=True)
class TimelineEntry:
    """An event at tick `at`, or over the ticks from `at` to `end`; `who` is empty for the system.

    `mark` has its letters on the chart, and is empty for the first lost row. `before_loss` is its distance from the
    first lost row, in ticks, if that followed within five minutes: it precedes the loss, and need not be its cause.
    """

    at: int
    kind: EntryKind
    who: str
    text: str
    end: int | None = None
    remark: str = ""
    run: str | None = None
    mark: str = ""
    before_loss: int | None = None


def timeline_of(
    incident: Incident, begin: int, end: int, now: int, loss: int | None
) -> tuple[list[TimelineEntry], bool]:
    """Return the entries from tick `begin` to `end`, in order, and whether earlier ones are left out.

    Repairs and actions on the incident are entries until `now`. `loss` is the tick of the first lost row.
    """
    reading = _TimelineReader(incident, _time(begin), _time(end + 1), _time(now + 1))
    found = sorted(reading.entries(), key=lambda each: each.at)
    shown = found[-MOST_ENTRIES:]
    marked = [replace(each, before_loss=_distance(each.at, loss)) for each in shown]
    if loss is not None:
        marked.append(TimelineEntry(loss, "loss", "", "The first row is lost"))
    letters = _letters()
    lettered = [
        each if each.kind == "loss" else replace(each, mark=next(letters))
        for each in sorted(marked, key=lambda each: each.at)
    ]
    return lettered, reading.has_more or len(found) > MOST_ENTRIES


def _distance(at: int, loss: int | None) -> int | None:
    return None if loss is None or not 0 < loss - at < NEAR else loss - at


def _letters() -> Iterator[str]:
    """Yield A to Z, then AA, AB and so on."""
    yield from ascii_uppercase
    yield from ("".join(pair) for pair in product(ascii_uppercase, repeat=2))


def _time(tick: int) -> datetime:
    return datetime.fromtimestamp(0, UTC) + timedelta(microseconds=tick)


class _TimelineReader:
    """Reads the stored events; `has_more` says whether one kind has too many of them."""

    def __init__(self, incident: Incident, begin: datetime, end: datetime, now: datetime) -> None:
        self._incident, self._binding = incident, incident.binding
        self._begin, self._end, self._now = begin, end, now
        self.has_more = False

    def entries(self) -> Iterator[TimelineEntry]:
        """Yield all entries, in no order."""
        yield from self._alerts()
        yield from self._notes()
        yield from self._actions()
        yield from self._acknowledgements()
        yield from self._silences()
        if self._binding is not None:
            yield from self._journals(self._binding)
            yield from self._repairs(self._binding)

    def _newest(self, rows: QuerySet[Any], order: str) -> Sequence[Any]:
        found = list(rows.order_by(f"-{order}", "-pk")[: MOST_ENTRIES + 1])
        self.has_more = self.has_more or len(found) > MOST_ENTRIES
        return found[:MOST_ENTRIES]

    def _within(self, field: str, end: datetime | None = None) -> Q:
        return Q(**{f"{field}__gte": self._begin, f"{field}__lt": end or self._end})

    def _alerts(self) -> Iterator[TimelineEntry]:
        span = {"at__gte": ticks_of(self._begin), "at__lt": ticks_of(self._end)}
        for row in self._newest(Transition.objects.filter(binding=self._binding, **span), "at"):
            text = f"{_phase(row)}: {row.sentence}"
            yield TimelineEntry(row.at, "alert", f"rule {title(row.rule)}", text, remark=self._part(row))

    def _part(self, row: Transition) -> str:
        """Return the part of a transition in this incident."""
        incident = self._incident
        if row.after != Phase.FIRING or row.at < incident.opened_at:
            return ""
        return "opened this incident" if (row.at, row.rule) == (incident.opened_at, incident.rule) else "joined it"

    def _notes(self) -> Iterator[TimelineEntry]:
        rows = annotations_in(None, ticks_of(self._begin), ticks_of(self._end))
        own = Q(binding=self._binding) if self._binding is not None else Q(pk__isnull=True)
        for row in self._newest(rows.filter(own | Q(binding__isnull=True)), "begin"):
            yield TimelineEntry(row.begin, "note", row.by_label, row.text, row.end)

    def _actions(self) -> Iterator[TimelineEntry]:
        about = Q(target_kind="incident", target_id=str(self._incident.pk)) & self._within("at", self._now)
        if self._binding is not None:
            query = self._binding.query_version.query_id
            own = Q(target_kind="binding", target_id=str(self._binding.pk))
            about |= (own | Q(target_kind="query", target_id=str(query))) & self._within("at")
        for row in self._newest(AuditEvent.objects.filter(about, action__in=_ACTIONS), "at"):
            more = (row.after or {}).get("resolution") or (row.after or {}).get("comment")
            text = _ACTIONS[row.action] + (f": {more}" if more else "")
            kind: EntryKind = "version" if row.action == "query.version_made" else "action"
            yield TimelineEntry(ticks_of(row.at), kind, row.actor_label, text)

    def _acknowledgements(self) -> Iterator[TimelineEntry]:
        own = f"Incident #{self._incident.number}"  # of taking this incident, which is an entry itself
        rows = Acknowledgement.objects.filter(self._within("at"), binding=self._binding).exclude(note=own)
        for row in self._newest(rows, "at"):
            text = f"Acknowledged the alert {title(row.rule)}" + (f": {row.note}" if row.note else "")
            yield TimelineEntry(ticks_of(row.at), "action", row.by_label, text)

    def _silences(self) -> Iterator[TimelineEntry]:
        about = Q(binding=self._binding) | Q(binding__isnull=True)
        for row in self._newest(AlertSilence.objects.filter(about & self._within("begins_at")), "begins_at"):
            rule = f"the alert {title(row.rule)}" if row.rule else "all alerts"
            yield TimelineEntry(ticks_of(row.begins_at), "action", row.by_label, f"Silenced {rule}: {row.reason}")

    def _journals(self, binding: Binding) -> Iterator[TimelineEntry]:
        """Yield the entries of journals; repairs are read from their own rows."""
        rows = RunEvent.objects.select_related("run").filter(self._within("at"), run__binding=binding)
        for row in self._newest(rows.exclude(kind=RunEventKind.REPAIRED), "at"):
            run, message = row.run, f" {row.message}" if row.message else ""
            version = "" if run.query_version is None else f" of v{run.query_version}"
            if row.kind == RunEventKind.CHANGED:
                kind: EntryKind = "version"
                text = message.strip()
            else:
                does = f"is {row.observed}" if row.observed else _RUNS[RunEventKind(row.kind)]
                kind, text = "run", f"Run {run.number}{version} {does}.{message}"
            yield TimelineEntry(ticks_of(row.at), kind, row.who, text, run=str(run.pk))

    def _repairs(self, binding: Binding) -> Iterator[TimelineEntry]:
        rows = Repair.objects.filter(self._within("created_at", self._now), binding=binding)
        for row in self._newest(rows, "created_at"):
            text = f"Repair of {counted(len(row.taken), 'row')}"
            lost = counted(sum(row.lost.values()), "lost row")
            done = f"{lost} back in results, refunded to the budget" if row.given_at else "not written yet"
            at = row.given_at or row.created_at
            yield TimelineEntry(ticks_of(at), "repair", row.by_label, text, remark=done, run=str(row.run_id))


def _phase(row: Transition) -> str:
    if row.after != Phase.FIRING:
        return {Phase.PENDING: "Pending", Phase.RESOLVED: "Resolved"}.get(Phase(row.after), "OK")
    return "Fires, pages" if row.level == AlertLevel.PAGE else "Fires, warns"
