"""Transitions, states, incidents and outgoing messages of a turn, all written in its transaction."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings as installation

from webapp.accounts.models import Organisation
from webapp.alerts.models import AlertSilence, AlertState, Channel, OutboxEntry, Transition
from webapp.alerts.notifications import Notification, NotifiedAlert, OutboxState
from webapp.alerts.rules.evaluation import AlertLevel, Phase, RuleState
from webapp.alerts.rules.replay import is_plain
from webapp.alerts.rules.sentences import began, sentence, written
from webapp.alerts.rules.table import RULES
from webapp.alerts.thresholds import RuleSettings
from webapp.alerts.turns.deciding import Decided
from webapp.alerts.turns.incidents import SubjectTurn, write_incidents
from webapp.core.context import current_organisation
from webapp.runs.lifecycle.starting import ticks_of

States = Mapping[UUID | None, Mapping[str, AlertState]]
_COLUMNS = ("state", "phase", "level", "since", "fired_at", "unknown_since", "sentence", "notified")
_RANK = {"": 0, AlertLevel.WARN.value: 1, AlertLevel.PAGE.value: 2}
SWITCHED_OFF = "The rule was switched off{reason}."


def state_of(row: AlertState) -> RuleState:
    """Return the stored state of a rule."""
    content = dict(row.state)
    content["phase"] = Phase(content["phase"])
    content["level"] = None if content["level"] is None else AlertLevel(content["level"])
    return RuleState(**content)


def write_decided(decided: Sequence[Decided], before: States, settings: RuleSettings, now: datetime) -> None:
    """Write the outcome of a turn that started from the rows `before`."""
    writer = _TurnWriter(before, settings, now)
    for each in decided:
        writer.take(each)
    writer.write()


@dataclass
class _Firing:
    """The rules of one subject after a turn: rows, and those of them that have just resolved or been switched off."""

    name: str
    rows: dict[str, AlertState]
    ended: list[AlertState]


class _TurnWriter:
    def __init__(self, before: States, settings: RuleSettings, now: datetime) -> None:
        self._before = before
        self._settings = settings
        self._now = now
        self._transitions: list[Transition] = []
        self._changed: list[AlertState] = []
        self._deleted: list[UUID] = []
        self._subjects: dict[UUID | None, _Firing] = {}
        self._turns: dict[UUID | None, SubjectTurn] = {}

    def take(self, decided: Decided) -> None:
        """Add the outcome for a subject."""
        binding, name = decided.subject.binding, decided.subject.name
        before, earlier = self._before.get(binding, {}), len(self._transitions)
        for rule, each, state in decided.transitions:
            self._transitions.append(
                Transition(
                    rule=rule.name,
                    binding_id=binding,
                    at=each.at,
                    before=each.before,
                    after=each.after,
                    level=each.level or "",
                    value=each.value,
                    rows=each.rows,
                    since=each.since,
                    fired_at=each.fired_at,
                    sentence=sentence(rule, name, state),
                )
            )
        rows: dict[str, AlertState] = {}
        ended: list[AlertState] = []
        for rule_name, state in decided.states.items():
            row = before.get(rule_name)
            if is_plain(state):
                self._delete(row, ended)
                continue
            rows[rule_name] = self._updated(row, rule_name, binding, name, state)
        for rule_name in decided.switched_off:
            self._switch_off(before[rule_name], binding, ended)
        fires = any(row.phase == Phase.FIRING for row in rows.values())
        self._turns[binding] = SubjectTurn(self._transitions[earlier:], fires)
        if rows or ended:
            self._subjects[binding] = _Firing(name, rows, ended)

    def _updated(
        self, row: AlertState | None, rule: str, binding: UUID | None, name: str, state: RuleState
    ) -> AlertState:
        content = asdict(state)
        if row is not None and row.state == content:
            return row
        row = row or AlertState(rule=rule, binding_id=binding)
        row.state, row.phase, row.level = content, state.phase, state.level or ""
        row.since, row.fired_at, row.unknown_since = began(RULES[rule], state), state.fired_at, state.unknown_since
        row.sentence = sentence(RULES[rule], name, state)
        self._changed.append(row)
        return row

    def _delete(self, row: AlertState | None, ended: list[AlertState]) -> None:
        if row is None:
            return
        self._deleted.append(row.pk)
        if row.notified:
            ended.append(row)

    def _switch_off(self, row: AlertState, binding: UUID | None, ended: list[AlertState]) -> None:
        """End a rule that was switched off, with a transition if it fired."""
        stored = self._settings.row(row.rule, binding)
        reason = f": {stored.reason}" if stored is not None and stored.reason else ""
        if row.phase == Phase.FIRING:
            row.sentence = SWITCHED_OFF.format(reason=reason.rstrip("."))
            self._transitions.append(
                Transition(
                    rule=row.rule,
                    binding_id=binding,
                    at=ticks_of(self._now),
                    before=row.phase,
                    after=Phase.RESOLVED,
                    level=row.level,
                    value=row.state["value"] or 0.0,
                    since=row.since,
                    fired_at=row.fired_at,
                    sentence=row.sentence,
                )
            )
        self._delete(row, ended)

    def write(self) -> None:
        """Write everything."""
        Transition.objects.bulk_create(self._transitions)
        write_incidents(self._turns, ticks_of(self._now))
        silenced = _Silences(self._now)
        entries = list(self._entries(silenced))
        if self._changed:
            AlertState.objects.bulk_create(
                self._changed, update_conflicts=True, unique_fields=["id"], update_fields=list(_COLUMNS)
            )
        if self._deleted:
            AlertState.objects.filter(pk__in=self._deleted).delete()
        OutboxEntry.objects.bulk_create(entries)

    def _entries(self, silenced: "_Silences") -> Iterable[OutboxEntry]:
        """Yield the outgoing messages, and mark in the states which level they carry.

        Without a channel nothing is marked, so a channel that is added later gets the rules that fire then.
        """
        channels = list(Channel.objects.filter(enabled=True)) if self._subjects else []
        if not channels:
            return
        organisation = Organisation.objects.get(pk=current_organisation())
        for binding, subject in self._subjects.items():
            fired, ended = self._news(binding, subject, silenced)
            if not fired and not ended:
                continue
            audible = [row for row in subject.rows.values() if not silenced.covers(row.rule, binding)]
            alerts = [_notified_alert(row, "firing") for row in audible if row.phase == Phase.FIRING]
            alerts += [_notified_alert(row, "resolved") for row in ended]
            whole = Notification(
                kind="alerts",
                organisation=organisation.name,
                slug=organisation.slug,
                subject=str(binding or organisation.pk),
                name=subject.name,
                link=f"{installation.ADDRESS_OF_PAGES}/alerts",
                at=ticks_of(self._now),
                alerts=alerts,
            )
            news = {row.rule for row in (*fired, *ended)}
            for channel in channels:
                if (part := _for_channel(whole, channel, news)) is not None:
                    yield entry_of(channel, part, self._now)
            self._mark(fired, ended)

    def _news(
        self, binding: UUID | None, subject: _Firing, silenced: "_Silences"
    ) -> tuple[list[AlertState], list[AlertState]]:
        """Return the rules whose firing no message has had yet, and those that ended after one had."""
        fired = [
            row
            for row in subject.rows.values()
            if row.phase == Phase.FIRING
            and _RANK[row.level] > _RANK[row.notified]
            and not silenced.covers(row.rule, binding)
        ]
        over = [row for row in subject.rows.values() if row.phase != Phase.FIRING and row.notified]
        return fired, [*subject.ended, *over]

    def _mark(self, fired: Iterable[AlertState], ended: Iterable[AlertState]) -> None:
        deleted = set(self._deleted)
        for row in fired:
            row.notified = row.level
        for row in ended:
            row.notified = ""
        known = {row.pk for row in self._changed}
        self._changed += [row for row in (*fired, *ended) if row.pk not in known and row.pk not in deleted]


class _Silences:
    """The silences in force, read once."""

    def __init__(self, now: datetime) -> None:
        found = AlertSilence.objects.filter(begins_at__lte=now, ends_at__gt=now)
        self._rows = {(row.rule, row.binding_id) for row in found}

    def covers(self, rule: str, binding: UUID | None) -> bool:
        """Return whether notifications about `rule` of `binding` are silenced."""
        return not self._rows.isdisjoint({(rule, binding), ("", binding), (rule, None), ("", None)})


def _notified_alert(row: AlertState, status: str) -> NotifiedAlert:
    rule, state = RULES[row.rule], row.state
    return NotifiedAlert.model_validate(
        {
            "rule": row.rule,
            "title": rule.title,
            "level": row.level or row.notified or AlertLevel.WARN,
            "status": status,
            "sentence": row.sentence,
            "value": written(state["value"] or 0.0, rule.unit),
            "since": row.since,
            "fired_at": row.fired_at or 0,
            "resolved_at": None if status == "firing" else state["resolved_at"] or state["decided_at"],
        }
    )


def _for_channel(whole: Notification, channel: Channel, news: set[str]) -> Notification | None:
    """Return the part of a notification that `channel` gets; None if nothing in it is new there."""
    alerts = [each for each in whole.alerts if _RANK[each.level] >= _RANK[channel.level]]
    if not any(each.rule in news for each in alerts):
        return None
    return whole.model_copy(update={"alerts": alerts})


def entry_of(channel: Channel, notification: Notification, now: datetime) -> OutboxEntry:
    """Return the outbox entry of a notification for `channel`, not saved."""
    return OutboxEntry(
        channel=channel,
        subject=notification.subject,
        notification=notification.model_dump(mode="json"),
        state=OutboxState.WAITING,
        created_at=now,
        due_at=now,
    )
