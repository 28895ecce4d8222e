"""One turn of an organisation: everything up to now is decided, and written in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Final
from uuid import UUID

import redis
from django.db import transaction

from webapp.alerts.models import AlertState, BindingMemory, FactsChange, TurnCursor
from webapp.alerts.rules.evaluation import TICKS_PER_S
from webapp.alerts.rules.facts import AlertFacts
from webapp.alerts.rules.minutes import EMPTY, MINUTE, Totals, Window
from webapp.alerts.rules.replay import FactsHistory, Span, failed_rows
from webapp.alerts.rules.run_spans import SETTLES, RunSpan, due_minutes, minute
from webapp.alerts.rules.table import OF_BINDINGS, OF_ORGANISATIONS
from webapp.alerts.thresholds import RuleSettings
from webapp.alerts.turns.deciding import Decided, Subject, decide_subject, extended, pruned, whole_minute
from webapp.alerts.turns.gathering import gather, gather_of_organisation
from webapp.alerts.turns.known_minutes import delays_of, spans_of_runs, totals_in
from webapp.alerts.turns.usual import refresh_usual
from webapp.alerts.turns.writing import state_of, write_decided
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Binding

SHORTEST: Final = 5 * TICKS_PER_S
"""Turns are not closer than this."""
LONGEST: Final = 60 * TICKS_PER_S
"""Between turns that are further apart, states are not known."""
MOST_MINUTES: Final = 30
"""The most minutes of a binding in one turn; further ones are decided in the following turns."""
KEPT: Final = timedelta(days=31)
ORGANISATION: Final = "the organisation"


@dataclass
class _StoredRows:
    """The rows that a turn starts from; `changed` are the memories to store in any case."""

    cursor: TurnCursor | None
    memories: dict[UUID | None, BindingMemory]
    states: dict[UUID | None, dict[str, AlertState]]
    names: dict[UUID, str]
    changed: set[UUID | None] = field(default_factory=set)

    @classmethod
    def read(cls) -> "_StoredRows":
        """Read them; the cursor comes first, so that no later change of the others is missed."""
        cursor = TurnCursor.objects.first()
        states: dict[UUID | None, dict[str, AlertState]] = {}
        for row in AlertState.objects.all():
            states.setdefault(row.binding_id, {})[row.rule] = row
        memories = {row.binding_id: row for row in BindingMemory.objects.all()}
        names = dict(Binding.objects.order_by().values_list("pk", "name"))
        return cls(cursor, memories, states, names)

    def facts(self, binding: UUID | None) -> list[tuple[int, AlertFacts]]:
        """Return the facts of a subject that the next minutes may need, the newest last."""
        row = self.memories.get(binding)
        return [] if row is None else [(tick, AlertFacts.from_json(content)) for tick, content in row.facts]


def turn(connection: "redis.Redis", now: datetime) -> bool:
    """Decide all rules of the organisation in context up to `now`; return whether this turn was made.

    A turn that is interrupted before its transaction ends has written nothing, and the next one decides the same.
    """
    stored, at = _StoredRows.read(), ticks_of(now)
    begin = at if stored.cursor is None else stored.cursor.until
    if stored.cursor is not None and at - begin < SHORTEST:
        return False
    before = [] if stored.cursor is None else [(a, b) for a, b in stored.cursor.known]
    oldest = ticks_of(now - KEPT)
    spans = [span for span in extended(before, begin, at, LONGEST) if span[1] > oldest]
    settings = RuleSettings()
    subjects = _subjects(stored, _gathered(connection, stored, at, begin), at)
    decided = [_decide(each, settings, spans, begin, at) for each in subjects]
    with transaction.atomic():
        if not _move_cursor(stored.cursor, at, spans):
            return False  # another turn has decided this since then
        _store_memories(stored, decided, at)
        _store_changes(decided, at)
        write_decided(decided, stored.states, settings, now)
        FactsChange.objects.filter(at__lt=oldest).delete()
    return True


def _gathered(connection: "redis.Redis", stored: _StoredRows, at: int, begin: int) -> dict[UUID | None, AlertFacts]:
    """Return the facts of every subject now."""
    before = {binding: pairs[-1][1] for binding in stored.memories if (pairs := stored.facts(binding))}
    for binding, (gap_s, step_s) in refresh_usual(stored.memories, at).items():
        stored.changed.add(binding)
        before[binding] = replace(before.get(binding, AlertFacts()), rows_gap_s=gap_s, cti_step_s=step_s)
    bindings = {binding: facts for binding, facts in before.items() if binding is not None}
    gathered = gather(connection, at, begin, bindings)
    found: dict[UUID | None, AlertFacts] = {}
    found.update(gathered.items())
    same_minute = whole_minute(begin) == whole_minute(at)
    found[None] = before[None] if same_minute and None in before else gather_of_organisation()
    return found


def _subjects(stored: _StoredRows, facts: Mapping[UUID | None, AlertFacts], at: int) -> list[Subject]:
    """Return all that is to be decided about each binding and the organisation."""
    untils = {each: stored.memories[each].until if each in stored.memories else whole_minute(at) for each in facts}
    spans = spans_of_runs(min(untils.values()))
    due: dict[UUID | None, list[tuple[int, RunSpan | None]]] = {
        each: _due(spans.get(each, ()), untils[each], at) for each in facts if each is not None
    }
    totals = _totals(stored, due)
    found = []
    for binding, now in facts.items():
        pairs = _with_change(stored.facts(binding), at, now)
        history = FactsHistory.of(pairs, ())
        minutes = [minute(end, span, totals, failed_rows(history, end)) for end, span in due.get(binding, ())]
        row, states = stored.memories.get(binding), stored.states.get(binding, {})
        found.append(
            Subject(
                binding=binding,
                name=ORGANISATION if binding is None else stored.names.get(binding, ""),
                facts=pairs,
                minutes=minutes,
                window=EMPTY if row is None or row.window is None else Window.from_json(row.window),
                states={rule: state_of(each) for rule, each in states.items()},
            )
        )
    return found


def _due(spans: Sequence[RunSpan], until: int, at: int) -> list[tuple[int, RunSpan | None]]:
    return list(islice(due_minutes(spans, until, at - SETTLES), MOST_MINUTES))


def _totals(
    stored: _StoredRows, due: Mapping[UUID | None, Sequence[tuple[int, RunSpan | None]]]
) -> dict[str, dict[int, Totals]]:
    """Return the totals of the due minutes, by run; remembers D of each new run."""
    ends = [end for each in due.values() for end, _ in each]
    if not ends:
        return {}
    runs = {span.run: binding for binding, each in due.items() for _, span in each if span is not None}
    delays = {row.delays_of: row.delays for row in stored.memories.values() if row.delays_of}
    new = delays_of([run for run in runs if run not in delays])
    for run, found in new.items():
        row = stored.memories.setdefault(runs[run], BindingMemory(binding_id=runs[run]))
        row.delays_of, row.delays = run, found
    return totals_in(list(runs), min(ends) - MINUTE, max(ends), {**delays, **new})


def _with_change(pairs: list[tuple[int, AlertFacts]], at: int, now: AlertFacts) -> list[tuple[int, AlertFacts]]:
    return pairs if pairs and pairs[-1][1] == now else [*pairs, (at, now)]


def _decide(subject: Subject, settings: RuleSettings, spans: Sequence[Span], begin: int, at: int) -> Decided:
    if subject.binding is None:
        rules = settings.in_force(OF_ORGANISATIONS, None, "organisation")
    else:
        rules = settings.in_force(OF_BINDINGS, subject.binding, "bindings")
    return decide_subject(subject, rules, spans, begin, at)


def _move_cursor(cursor: TurnCursor | None, at: int, spans: Sequence[Span]) -> bool:
    if cursor is not None:
        return TurnCursor.objects.filter(pk=cursor.pk, until=cursor.until).update(until=at, known=spans) == 1
    made = TurnCursor(until=at, known=spans)
    TurnCursor.objects.bulk_create([made], ignore_conflicts=True)
    return TurnCursor.objects.filter(pk=made.pk).exists()


def _store_memories(stored: _StoredRows, decided: Sequence[Decided], at: int) -> None:
    """Write the memories that this turn changed."""
    rows = []
    for each in decided:
        subject = each.subject
        row = stored.memories.get(subject.binding) or BindingMemory(binding_id=subject.binding)
        until = subject.minutes[-1].at if subject.minutes else row.until or whole_minute(at)
        facts = [[tick, facts.to_json()] for tick, facts in pruned(subject.facts, until)]
        if (until, facts) != (row.until, row.facts) or subject.binding in stored.changed:
            row.until, row.facts, row.window = until, facts, each.window.to_json()
            rows.append(row)
    fields = ["facts", "until", "window", "delays", "delays_of", "usual_at"]
    BindingMemory.objects.bulk_create(rows, update_conflicts=True, unique_fields=["id"], update_fields=fields)


def _store_changes(decided: Sequence[Decided], at: int) -> None:
    changed = [each.subject for each in decided if each.subject.facts[-1][0] == at]
    rows = [FactsChange(binding_id=each.binding, at=at, facts=each.facts[-1][1].to_json()) for each in changed]
    FactsChange.objects.bulk_create(rows)
