"""Footprints of inputs on other servers: recorded at each start, polled while used, removed when no input reads there.

A replication slot makes its server keep its log until its disk is full, so no footprint may be forgotten. Its row is
written before anything is created there, and stays until the footprint is known to be removed, however often that
fails.
"""

import logging
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from streaming.adapters.contract import AdapterError
from streaming.definition.streams.stream import AdapterChoice
from streaming.wire.deliveries import reader_name
from webapp.audit.recording import Target, record
from webapp.core.context import current_organisation
from webapp.core.errors import ApiError, Conflict, NotFound
from webapp.core.server_paths import without_server_paths
from webapp.runs.bound_inputs import BoundInput
from webapp.runs.inputs.footprint_jobs import FootprintAnswer, asked_footprint, footprint_of
from webapp.runs.models import Binding, BindingInput, InputFootprint, Run
from webapp.streams.models import Stream

FIRST_LOOK: Final = timedelta(seconds=30)
LOOK_AGAIN: Final = timedelta(minutes=5)
CLAIMED: Final = timedelta(minutes=2)
"""The time for which no other task tries the same footprint; the task that took it may have been killed."""
SOONEST: Final = timedelta(minutes=1)
LATEST: Final = timedelta(hours=1)
"""The shortest and longest wait after a failure; each failure doubles it."""
MOST_PER_TURN: Final = timedelta(seconds=20)
logger = logging.getLogger(__name__)


def note_footprints(run: Run, inputs: Mapping[str, BoundInput], now: datetime) -> None:
    """Record, in the transaction of a start, the footprints that its inputs may leave."""
    for node, each in inputs.items():
        adapter = each.stream.read_adapter()
        known = footprint_of(adapter)
        if known is None:
            continue
        values = {
            "binding_name": run.binding_name,
            "stream": each.stream.pk,
            "stream_name": each.stream.name,
            "adapter": adapter.model_dump(mode="json"),
            "noted_at": now,
            "due_at": now + FIRST_LOOK,
            "failures": 0,
        }
        where = known.where(adapter.options)
        InputFootprint.objects.update_or_create(binding=run.binding_id, node=node, where=where, defaults=values)


def hurry_footprints(now: datetime, binding: UUID) -> None:
    """Have the footprints of a binding checked in the next turn: it was deleted, or reads something else."""
    InputFootprint.objects.filter(binding=binding).update(due_at=now)


def tend_footprints(now: datetime, passed: timedelta = MOST_PER_TURN) -> None:
    """Check the footprints that are due, and remove the unused ones; start none later than `passed` after `now`."""
    for each in InputFootprint.objects.filter(due_at__lte=now).order_by("due_at"):
        if timezone.now() - now >= passed:
            return
        if _claim(each, now):
            tend(each, now)


def _claim(each: InputFootprint, now: datetime) -> bool:
    same = InputFootprint.objects.filter(pk=each.pk, due_at=each.due_at)
    return same.update(due_at=now + CLAIMED) == 1


def tend(each: InputFootprint, now: datetime) -> None:
    """Check a footprint that is used; remove one that is not, which deletes its row."""
    if is_used(each):
        _note(each, _query_footprint(each, keep=None), now)
        return
    later = _later(each)
    if any(other.seen_at is None or other.seen_at < other.noted_at for other in later):
        return  # it may be the same server under another address, and its footprint there is not known yet
    remove(each, [name for other in later for name in other.names], now)


def remove(each: InputFootprint, keep: list[str], now: datetime) -> bool:
    """Remove a footprint except the names to `keep`; return whether that succeeded and its row is deleted.

    The row stays if the binding was started there again since: the footprint of that run must not be forgotten.
    """
    answer = _query_footprint(each, keep=keep)
    if answer.failure is not None:
        _note(each, answer, now)
        return False
    with transaction.atomic():
        same = InputFootprint.objects.select_for_update().filter(pk=each.pk, noted_at=each.noted_at).first()
        if same is None:
            return False
        same.delete()
        record("footprint.removed", target=target_of(each), before=audited(each))
    return True


def is_used(each: InputFootprint) -> bool:
    """Return whether the binding still reads there, or would at its next start, as far as that is known."""
    return each.pk in used_among([each])


def used_among(every: Collection[InputFootprint]) -> set[UUID]:
    """Return those of `every` that are used, with as many database queries for many as for one."""
    bindings = {each.binding for each in every}
    open_runs = Run.objects.filter(binding__in=bindings, ended_at__isnull=True).select_related("binding")
    read = {run.binding_id: run.read_spec().inputs for run in open_runs}
    bound = BindingInput.objects.filter(binding__in=bindings).select_related("stream")
    kinds = {(each.binding_id, each.node): each.stream.read_adapter().kind for each in bound}
    newest: dict[tuple[UUID, str], datetime] = {}
    for each in InputFootprint.objects.filter(binding__in=bindings).order_by("noted_at"):
        newest[each.binding, each.node] = each.noted_at
    found = set()
    for each in every:
        place, runs = (each.binding, each.node), read.get(each.binding, {})
        is_read = each.node in runs and _is_there(runs[each.node].adapter, each)
        if is_read or (kinds.get(place) == each.read_adapter().kind and newest.get(place) == each.noted_at):
            found.add(each.pk)
    return found


def _later(each: InputFootprint) -> QuerySet[InputFootprint]:
    """Return the footprints of the same input in places where it has read since."""
    return InputFootprint.objects.filter(binding=each.binding, node=each.node, noted_at__gt=each.noted_at)


def _is_there(adapter: AdapterChoice, each: InputFootprint) -> bool:
    try:
        known = footprint_of(adapter)
    except AdapterError:
        return False
    return known is not None and adapter.kind == each.read_adapter().kind and known.where(adapter.options) == each.where


def _query_footprint(each: InputFootprint, keep: list[str] | None) -> FootprintAnswer:
    holder = reader_name(str(each.binding), each.node)
    try:
        return asked_footprint(_newest_adapter(each), holder, keep)
    except ApiError as refused:  # no limited process was free, or it took too long
        return FootprintAnswer(names=[], kept_bytes=None, warning=None, failure=refused.message)


def _newest_adapter(each: InputFootprint) -> AdapterChoice:
    """Return the stream's present adapter if it names the same place, because its password may have changed."""
    stream = Stream.objects.filter(pk=each.stream).first()
    now = None if stream is None else stream.read_adapter()
    return now if now is not None and _is_there(now, each) else each.read_adapter()


def _note(each: InputFootprint, answer: FootprintAnswer, now: datetime) -> None:
    each.tried_at = now
    if answer.failure is None:
        each.names, each.kept_bytes, each.warning = answer.names, answer.kept_bytes, answer.warning or ""
        each.seen_at, each.message, each.failures, wait = now, "", 0, LOOK_AGAIN
    else:
        each.message = without_server_paths(answer.failure, current_organisation())
        wait = min(SOONEST * 2**each.failures, LATEST)
        each.failures = min(each.failures + 1, 20)
        logger.warning("footprint of binding %s, %s: %s", each.binding, each.where, each.message)
    each.due_at = now + wait
    noted = ["tried_at", "names", "kept_bytes", "warning", "seen_at", "message", "failures", "due_at"]
    if InputFootprint.objects.filter(pk=each.pk).exists():
        each.save(update_fields=noted)


def removed_all(now: datetime) -> list[InputFootprint]:
    """Remove every footprint of the organisation, used or not, and return those for which that failed."""
    return [each for each in footprints() if not remove(each, [], now)]


def footprints(binding: UUID | None = None) -> list[InputFootprint]:
    """Return the footprints of a binding's inputs, or of all, by name and place."""
    every = InputFootprint.objects.order_by("binding_name", "node", "where")
    return list(every if binding is None else every.filter(binding=binding))


def put_aside(footprint: UUID) -> None:
    """Forget a footprint that was removed by hand. Raises `Conflict` while it is used, `NotFound` if absent."""
    with transaction.atomic():
        found = InputFootprint.objects.select_for_update().filter(pk=footprint).first()
        if found is None:
            raise NotFound
        if is_used(found):
            raise Conflict(
                f"{found.binding_name} reads there. Delete it first, or bind its input {found.node} to something else."
            )
        found.delete()
        record("footprint.put_aside", target=target_of(found), before=audited(found))


def target_of(each: InputFootprint) -> Target:
    """Return the binding that left the footprint, as the audit log names it."""
    return Target("binding", each.binding, each.binding_name)


def audited(each: InputFootprint) -> dict[str, object]:
    """Return the entry of a footprint in the audit log."""
    return {"input": each.node, "stream": each.stream_name, "where": each.where, "by_hand": by_hand(each)}


def by_hand(each: InputFootprint) -> str:
    """Return the command that removes a footprint by hand; empty for an adapter kind that no longer exists."""
    adapter = each.read_adapter()
    try:
        known = footprint_of(adapter)
    except AdapterError:
        return ""
    return "" if known is None else known.by_hand(adapter.options, reader_name(str(each.binding), each.node))


def bindings_there(every: list[InputFootprint]) -> set[UUID]:
    """Return the bindings of the footprints that are not deleted."""
    return set(Binding.objects.filter(pk__in={each.binding for each in every}).values_list("pk", flat=True))
