"""Pushing rows into the inbox of a stream: the rate, repeated batches, and a full inbox."""

import logging
from typing import Final

from django.core.cache import cache
from django.db import transaction
from django.dispatch import Signal

from streaming.adapters.contract import AdapterError
from streaming.adapters.push.inbox import BatchIdReused, InboxFull, InboxLimits, InboxState, PushInbox, Receipt
from streaming.adapters.push.options import PushOptions
from streaming.adapters.registry import read_options
from streaming.definition.counts import counted
from streaming.definition.faults import FaultCode
from webapp.accounts.limits.disk_room import check_disk_room
from webapp.accounts.limits.quotas import counts, limit
from webapp.core.context import current_organisation
from webapp.core.errors import REDIS_AWAY, ApiError, Conflict, Faulty, fault
from webapp.streams.adapters import adapter_root, now_ticks
from webapp.streams.models import Stream

logger = logging.getLogger(__name__)

KIND: Final = "push"
QUOTA: Final = "pushed_rows_per_second"
WINDOW_S: Final = 10
"""Rows are counted over this many seconds, so that a sender may send gathered rows at once."""
FULL_RETRY_S: Final = 5
inbox_left: Final = Signal()
"""Sent with `inbox`, its name, in the transaction after which no stream reads it, so that other apps can refuse."""


class PushThrottled(ApiError):
    """More rows were pushed than allowed, or than there is room for."""

    status = 429
    code = "too_many_requests"

    def __init__(self, message: str, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class InboxUnusable(ApiError):
    """The disk does not accept pushed rows; nothing was stored."""

    status = 503
    code = "unavailable"


@counts(QUOTA)
def pushed_rows_per_second() -> int:
    """Return the rows pushed each second over the present window; 0 while Redis is unreachable."""
    try:
        return int(cache.get(_window(now_ticks()), 0)) // WINDOW_S
    except REDIS_AWAY:
        return 0


def push(*, stream: Stream, lines: bytes, rows: int, batch: str | None) -> Receipt:
    """Store `rows` lines durably, and return their place.

    Raises `PushThrottled` if the organisation has pushed too much in this window or the inbox is full, `Conflict` if
    the stream has another adapter or the batch's id had other rows, `InboxUnusable`, `StorageFull`, `OverQuota`.
    """
    options, inbox = inbox_of(stream)
    now = now_ticks()
    _count(rows, now)
    check_disk_room(len(lines))
    limits = InboxLimits(options.most_mib << 20, options.wait_days)
    try:
        receipt = inbox.accept(lines, rows, batch=batch, now=now, limits=limits)
    except BatchIdReused:
        raise Conflict(
            f"A batch {batch} with other rows is already stored. Give each batch an id of its own."
        ) from None
    except InboxFull as full:
        raise PushThrottled(_no_room(options, read=full.read), FULL_RETRY_S) from None
    except AdapterError as error:
        logger.error("%s", error)
        raise InboxUnusable("The inbox cannot be written now; nothing was stored. Try again in a minute.") from None
    if _inbox_name(Stream.objects.filter(pk=stream.pk).first()) != options.inbox:
        raise InboxUnusable("The stream changed while this batch arrived, so the batch was discarded. Send it again.")
    return receipt


def inbox_of(stream: Stream) -> tuple[PushOptions, PushInbox]:
    """Return the options of the stream's inbox, and the inbox. Raises `Conflict` for a stream with another adapter."""
    adapter = stream.read_adapter()
    if adapter.kind != KIND:
        raise Conflict(f"The stream {stream.name} accepts no pushed rows. Choose HTTP push as its adapter.")
    options = read_options(KIND, adapter.options)
    assert isinstance(options, PushOptions)  # nosec B101 # for the type checker only
    return options, PushInbox.of(adapter_root(), options.inbox)


def inbox_state(stream: Stream) -> InboxState:
    """Return the state of the stream's inbox. Raises `Conflict`, `InboxUnusable`."""
    _, inbox = inbox_of(stream)
    try:
        return inbox.state()
    except AdapterError as error:
        logger.error("%s", error)
        raise InboxUnusable("The inbox cannot be read now. Try again in a minute.") from None


def forget_inbox(stream: Stream) -> None:
    """Delete the inbox of a deleted stream after the commit, unless another stream reads it too."""
    if _reads_alone(stream):
        transaction.on_commit(inbox_of(stream)[1].delete)


def leave_inbox(before: Stream, after: Stream) -> None:
    """Delete the inbox of `before` after the commit, if no stream reads it once the stream is `after`.

    Rows are never left without a reader: raises `Faulty` for another inbox while the previous one stores rows, and the
    errors of other apps that still need it.
    """
    name, now = _inbox_name(before), _inbox_name(after)
    if name is None or name == now or not _reads_alone(before):
        return
    inbox_left.send(Stream, inbox=name)
    if now is not None and inbox_state(before).next > 0:
        message = f"The inbox {name} contains rows that no stream would read any more; they cannot move to another one."
        remedy = f"Keep {name}, or make another stream with the inbox {now} and delete this one when all rows are read."
        raise Faulty([fault(FaultCode.IN_USE, message, remedy, field="adapter.options.inbox")])
    transaction.on_commit(inbox_of(before)[1].delete)


def _reads_alone(stream: Stream) -> bool:
    """Return whether the stream reads an inbox that no other stream reads."""
    name = _inbox_name(stream)
    return name is not None and all(_inbox_name(each) != name for each in Stream.objects.exclude(pk=stream.pk))


def _inbox_name(stream: Stream | None) -> str | None:
    """Return the inbox that a stream reads; None for another adapter or a deleted stream."""
    adapter = None if stream is None else stream.read_adapter()
    return None if adapter is None or adapter.kind != KIND else str(adapter.options.get("inbox"))


def _count(rows: int, now: int) -> None:
    """Count the rows in this window, only with Redis. Raises `PushThrottled` if there are too many."""
    most = limit(QUOTA) * WINDOW_S
    if rows > most:
        message = f"A batch has {counted(rows, 'row')}, but {counted(most, 'row')} are allowed in {WINDOW_S} s."
        raise PushThrottled(f"{message} Send smaller ones.", WINDOW_S)
    try:
        key = _window(now)
        cache.add(key, 0, timeout=2 * WINDOW_S)
        pushed = cache.incr(key, rows)
    except (*REDIS_AWAY, ValueError):  # the window ended between the two calls
        return
    if pushed > most:
        left = WINDOW_S - now // 1_000_000 % WINDOW_S
        message = f"More than {counted(most, 'row')} were pushed in {WINDOW_S} s, so none of these was stored."
        raise PushThrottled(f"{message} Send them again in {left} s.", left)


def _window(now: int) -> str:
    return f"pushed:{current_organisation()}:{now // 1_000_000 // WINDOW_S}"


def _no_room(options: PushOptions, *, read: bool) -> str:
    what = f"The inbox {options.inbox} is full: {options.most_mib} MiB wait to be read. This batch was not stored."
    who = "its readers are behind" if read else "no binding reads it; start one"
    return f"{what} Try again in {FULL_RETRY_S} s: {who}."
