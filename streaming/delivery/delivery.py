"""The delivery of one output: what is committed and has not arrived is handed over piece by piece, oldest first.

Where it stands is asked of the target, which stores the number of the last batch together with its rows. Whatever is
remembered here, in memory or beside the results, only saves asking and keeps what is still needed from being deleted.
Of a target that keeps no numbers, the mark beside the results says what was answered: what a crash leaves unsaid is
sent again.
"""

import logging
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Final

from streaming.adapters.committed import CommittedBatches, Piece, UndeliveredRows
from streaming.adapters.contract import (
    AcknowledgingAdapter,
    AdapterError,
    DeliveringAdapter,
    DeliveryBatch,
    OutputDelivery,
    RefusedRequest,
)
from streaming.definition.counts import counted
from streaming.delivery.backoff import Backoff
from streaming.temporal.ticks import INFINITY
from streaming.wire.deliveries import DeliveryMark, DeliveryObserved, DeliveryTarget, read_mark, write_mark
from streaming.wire.refused_requests import MOST_REFUSED, StoredRefusedRequest, count_refused, write_refused
from streaming.wire.storage import BlobFolder

log = logging.getLogger(__name__)

PIECE_ROWS: Final = 20_000
PIECE_BYTES: Final = 8 << 20
SENT_ROWS: Final = 2_000
"""Of what is only answered for, so many at once: between two pieces it is looked whether anything has changed."""
LOOK_S: Final = 5.0
"""So often it is looked for new batches if nobody tells that there are any."""
WAITS_S: Final = 60.0
"""What may not be brought now is looked at again then; that it may is told at once, by another target."""
TICKS_PER_S: Final = 1_000_000
Build = Callable[[], OutputDelivery]
UNEXPECTED: Final = (
    "The delivery failed by a fault of Punctual itself ({}). It is tried again; what was committed is kept. If it goes "
    "on, tell whoever runs this installation: the runner's log has the details."
)
TOO_MANY_REFUSED: Final = (
    "The target has refused {}, whose rows are kept here. Look at why, then put them aside: the delivery goes on then."
)
UNREADABLE: Final = "The results of the binding cannot be read ({}). It is tried again; see that their disk is there."


@dataclass(frozen=True)
class DeliverySource:
    """Whose results are delivered: the binding, and its folder on this machine, in which the marks are.

    `rows` is where its results lie; None: in that folder too.
    """

    binding: str
    results: Path
    rows: BlobFolder | None = field(default=None, compare=False)


@dataclass
class _Standing:
    """What is known of the delivery; `known` false: the target has to be asked for the last batch."""

    known: bool = False
    delivered: int | None = None
    delivered_at: int | None = None
    cti: int | None = None
    lost_rows: int = 0
    refused_requests: int = 0
    waiting: UndeliveredRows = field(default_factory=lambda: UndeliveredRows(0, None))
    fault: AdapterError | None = None
    retry_at: int | None = None


class Delivery:
    """`step` does one piece of work; between two steps nothing is open but the adapter. Not for several threads."""

    def __init__(
        self,
        source: DeliverySource,
        target: DeliveryTarget,
        build: Build,
        now: Callable[[], int],
        chance: random.Random | None = None,
    ) -> None:
        self._source = source
        self._target = target
        self._build = build
        self._now = now
        self._log = CommittedBatches(source.rows or source.results, target.node)
        self._backoff = Backoff(chance or random.Random())  # jitter, no secret  # nosec B311
        self._adapter: OutputDelivery | None = None
        mark = read_mark(source.results, target.identity)
        self._at = _Standing() if mark is None else _Standing(delivered=mark.delivered, lost_rows=mark.lost_rows)
        self._at.refused_requests = count_refused(source.results, target.identity)
        self._marked = mark

    def step(self) -> float:
        """Deliver one piece if there is any; in how many seconds there is something to do, infinity for never.

        Never raises for what the target or the disk does: `observed` says it.
        """
        rests_s = self._rests()
        if rests_s:
            self._count_if_readable()  # what is committed meanwhile is told
            return rests_s
        try:
            wait_s = self._deliver()
        except AdapterError as error:
            return self._failed(error)
        except OSError as error:
            return self._failed(AdapterError(UNREADABLE.format(error.strerror or error), domain="external"))
        except Exception as error:
            log.exception("delivery %s failed", self._target.identity)
            return self._failed(AdapterError(UNEXPECTED.format(type(error).__name__), domain="internal"))
        self._backoff.succeeded()
        self._at.fault = self._at.retry_at = None
        return wait_s

    def close(self) -> None:
        """Let go of the adapter."""
        adapter, self._adapter = self._adapter, None
        if adapter is not None:
            with suppress(Exception):
                adapter.close()

    @property
    def observed(self) -> DeliveryObserved:
        """How far it has come."""
        at, fault = self._at, self._at.fault
        state = "behind" if at.waiting.rows or not at.known else "current"
        if fault is not None:
            state = "stopped" if fault.domain == "user" else "retrying"
        return DeliveryObserved.model_validate(
            {
                "binding": self._source.binding,
                "identity": self._target.identity,
                "revision": self._target.revision,
                "state": state,
                "delivered": at.delivered,
                "delivered_at": at.delivered_at,
                "cti": None if at.cti == INFINITY else at.cti,
                "ended": at.cti == INFINITY,
                "waiting_rows": at.waiting.rows,
                "waiting_exact": at.waiting.exact,
                "waiting_since": at.waiting.since,
                "lost_rows": at.lost_rows,
                "domain": None if fault is None else fault.domain,
                "message": None if fault is None else str(fault),
                "retry_at": at.retry_at,
                "refused_requests": at.refused_requests,
                "at": self._now(),
            }
        )

    def _deliver(self) -> float:
        if self._marked is None:
            self._write_mark()  # from now on nothing is deleted that is to be brought
        adapter = self._adapter = self._adapter or self._build()
        if not self._at.known:
            self._ask(adapter)
        most_rows = PIECE_ROWS if isinstance(adapter, DeliveringAdapter) else SENT_ROWS
        piece = self._log.after(self._at.delivered, most_rows=most_rows, most_bytes=PIECE_BYTES)
        if piece is None:
            return LOOK_S
        if piece.batches and self._target.waits is not None:
            raise AdapterError(self._target.waits, domain="external", again_after_s=WAITS_S)
        if piece.batches and isinstance(adapter, DeliveringAdapter):
            adapter.deliver(piece.batches)
        elif isinstance(adapter, AcknowledgingAdapter):
            self._send(adapter, piece.batches)
        self._arrived(piece)
        return 0.0 if self._at.waiting.rows else LOOK_S

    def _send(self, adapter: AcknowledgingAdapter, batches: Sequence[DeliveryBatch]) -> None:
        """One batch after the other, each noted as soon as it is answered for: the fewer arrive twice."""
        for batch in batches:
            if self._at.refused_requests >= MOST_REFUSED:
                raise AdapterError(TOO_MANY_REFUSED.format(counted(self._at.refused_requests, "request")))
            self._keep(adapter.send(batch))
            self._at.delivered = batch.number
            self._write_mark()

    def _keep(self, refused: Sequence[RefusedRequest]) -> None:
        """What is refused for good is kept before its batch counts as brought."""
        for each in refused:
            count, at = len(each.rows), self._now()
            request = StoredRefusedRequest(
                number=each.number, part=each.part, at=at, reason=each.reason, row_count=count
            )
            write_refused(self._source.results, self._target.identity, request, each.rows)
        if refused:
            self._at.refused_requests = count_refused(self._source.results, self._target.identity)

    def _ask(self, adapter: OutputDelivery) -> None:
        """Only a target that keeps numbers knows what has arrived; of another one what it answered last counts.

        A mark may be behind the target or, after a restored backup, before it.
        """
        if isinstance(adapter, DeliveringAdapter):
            self._at.delivered = adapter.delivered()
        self._at.refused_requests = count_refused(self._source.results, self._target.identity)
        self._at.known = True
        self._count()
        self._write_mark()

    def _arrived(self, piece: Piece) -> None:
        ctis = [batch.cti for batch in piece.batches if batch.cti is not None]
        self._at.delivered, self._at.delivered_at = piece.last, piece.committed_at
        self._at.cti = ctis[-1] if ctis else self._at.cti
        self._at.lost_rows += piece.lost_rows
        self._count()
        self._write_mark()

    def _rests(self) -> float:
        """For how many seconds nothing may be tried."""
        at = self._at
        if at.fault is not None and at.fault.domain == "user":
            return inf
        return 0.0 if at.retry_at is None else max(0, at.retry_at - self._now()) / TICKS_PER_S

    def _count_if_readable(self) -> None:
        with suppress(OSError):
            self._count()

    def _count(self) -> None:
        self._at.waiting = self._log.waiting(self._at.delivered)

    def _write_mark(self) -> None:
        mark = DeliveryMark(delivered=self._at.delivered, lost_rows=self._at.lost_rows)
        if mark != self._marked:
            write_mark(self._source.results, self._target.identity, mark)
            self._marked = mark

    def _failed(self, error: AdapterError) -> float:
        """Whoever failed is built anew, and asked what has arrived: an answer may have been lost on its way."""
        self.close()
        self._at.known, self._at.fault = False, error
        self._count_if_readable()
        if error.domain == "user":
            self._at.retry_at = None
            return inf
        wait_s = max(self._backoff.failed(), error.again_after_s or 0.0)
        self._at.retry_at = self._now() + int(wait_s * TICKS_PER_S)
        return wait_s
