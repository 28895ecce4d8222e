"""Pushing rows into the inbox of a stream: how many each second, which batches, and when there is no room."""

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
from webapp.accounts.quotas import counts, limit
from webapp.core.context import current_organisation
from webapp.core.errors import REDIS_AWAY, ApiError, Conflict, Faulty, fault
from webapp.streams.adapters import adapter_root, now_ticks
from webapp.streams.models import Stream

logger = logging.getLogger(__name__)

KIND: Final = "push"
QUOTA: Final = "pushed_rows_per_second"
WINDOW_S: Final = 10
"""Rows are counted over so many seconds, so that a sender may send what it has gathered."""
FULL_RETRY_S: Final = 5
inbox_left: Final = Signal()
"""Sent with `inbox`, its name, in the transaction after which no stream reads it: rooms above refuse that."""


class Behind(ApiError):
    """More was pushed than may be, or than there is room for."""

    status = 429
    code = "too_many_requests"

    def __init__(self, message: str, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class InboxUnusable(ApiError):
    """The disk does not take what is pushed; nothing was stored."""

    status = 503
    code = "unavailable"


@counts(QUOTA)
def pushed_rows_per_second() -> int:
    """Return how many rows a second were pushed over the present window; 0 while Redis is away."""
    try:
        return int(cache.get(_window(now_ticks()), 0)) // WINDOW_S
    except REDIS_AWAY:
        return 0


def push(*, stream: Stream, lines: bytes, rows: int, batch: str | None) -> Receipt:
    """Store `rows` lines durably, and return where they stand.

    Raises `Behind` when the organisation has pushed too much in this window or the inbox is full, `Conflict` when the
    stream reads something else or the batch's id had other rows, `InboxUnusable`.
    """
    options, inbox = inbox_of(stream)
    now = now_ticks()
    _count(rows, now)
    limits = InboxLimits(options.most_mib << 20, options.wait_days)
    try:
        receipt = inbox.accept(lines, rows, batch=batch, now=now, limits=limits)
    except BatchIdReused:
        raise Conflict(
            f"The batch {batch} was stored before with other rows. Give each batch an id of its own."
        ) from None
    except InboxFull as full:
        raise Behind(_no_room(options, read=full.read), FULL_RETRY_S) from None
    except AdapterError as error:
        logger.error("%s", error)
        raise InboxUnusable("The inbox cannot be written now; nothing was stored. Try again in a minute.") from None
    if _inbox_name(Stream.objects.filter(pk=stream.pk).first()) != options.inbox:
        raise InboxUnusable("The stream was changed while this batch came, which counts for nothing. Send it again.")
    return receipt


def inbox_of(stream: Stream) -> tuple[PushOptions, PushInbox]:
    """Return what the stream says of its inbox, and that. Raises `Conflict` for a stream that reads something else."""
    adapter = stream.read_adapter()
    if adapter.kind != KIND:
        raise Conflict(f"The stream {stream.name} takes no pushed rows. Choose HTTP push as its adapter.")
    options = read_options(KIND, adapter.options)
    assert isinstance(options, PushOptions)  # nosec B101 # tells the type checker what is so; nothing depends on it
    return options, PushInbox.of(adapter_root(), options.inbox)


def inbox_state(stream: Stream) -> InboxState:
    """Return what the stream's inbox holds. Raises `Conflict`, `InboxUnusable`."""
    _, inbox = inbox_of(stream)
    try:
        return inbox.state()
    except AdapterError as error:
        logger.error("%s", error)
        raise InboxUnusable("The inbox cannot be read now. Try again in a minute.") from None


def forget_inbox(stream: Stream) -> None:
    """Delete the inbox of a stream that is deleted, unless another stream reads it too; when that is settled."""
    if _reads_alone(stream):
        transaction.on_commit(inbox_of(stream)[1].delete)


def leave_inbox(before: Stream, after: Stream) -> None:
    """Delete the inbox of `before` where the stream is now `after` and no stream reads it any more; when it is settled.

    Rows are never left where nobody reads them: raises `Faulty` for another inbox while the one of before holds rows,
    and whatever rooms above raise which still need it.
    """
    name, now = _inbox_name(before), _inbox_name(after)
    if name is None or name == now or not _reads_alone(before):
        return
    inbox_left.send(Stream, inbox=name)
    if now is not None and inbox_state(before).next > 0:
        message = f"The inbox {name} holds rows that nobody would read any more; they cannot be put into another one."
        remedy = f"Keep {name}, or make another stream with the inbox {now} and delete this one when all was read."
        raise Faulty([fault(FaultCode.IN_USE, message, remedy, field="adapter.options.inbox")])
    transaction.on_commit(inbox_of(before)[1].delete)


def _reads_alone(stream: Stream) -> bool:
    """Whether the stream reads an inbox, and no other stream reads it too."""
    name = _inbox_name(stream)
    return name is not None and all(_inbox_name(each) != name for each in Stream.objects.exclude(pk=stream.pk))


def _inbox_name(stream: Stream | None) -> str | None:
    """The inbox that a stream reads; None for one that reads something else, or is no more."""
    adapter = None if stream is None else stream.read_adapter()
    return None if adapter is None or adapter.kind != KIND else str(adapter.options.get("inbox"))


def _count(rows: int, now: int) -> None:
    """Count the rows in this window. Raises `Behind` where they are too many; without Redis nothing is counted."""
    most = limit(QUOTA) * WINDOW_S
    if rows > most:
        told = f"A batch has {counted(rows, 'row')}, but {counted(most, 'row')} may come in {WINDOW_S} s."
        raise Behind(f"{told} Send smaller ones.", WINDOW_S)
    try:
        key = _window(now)
        cache.add(key, 0, timeout=2 * WINDOW_S)
        pushed = cache.incr(key, rows)
    except (*REDIS_AWAY, ValueError):  # the window ended between the two
        return
    if pushed > most:
        left = WINDOW_S - now // 1_000_000 % WINDOW_S
        told = f"More than {counted(most, 'row')} were pushed in {WINDOW_S} s, so that none of these was stored."
        raise Behind(f"{told} Send them again in {left} s.", left)


def _window(now: int) -> str:
    return f"pushed:{current_organisation()}:{now // 1_000_000 // WINDOW_S}"


def _no_room(options: PushOptions, *, read: bool) -> str:
    what = (
        f"The inbox {options.inbox} is full: {options.most_mib} MiB wait to be read. Nothing of this batch was stored."
    )
    who = "its readers are behind" if read else "no binding reads it; start one"
    return f"{what} Try again in {FULL_RETRY_S} s: {who}."
