"""The delivery of one output: committed rows that haven't arrived are delivered piece by piece, oldest first.

The target stores the number of the last batch together with its rows, so the target alone knows the progress. The copy
in memory and the mark next to the results only save requests, and protect undelivered rows from deletion. A target that
stores no numbers acknowledges batches instead; the mark records them. A batch whose acknowledgement a crash lost is
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
from streaming.storage.blobs import BlobFolder
from streaming.storage.refused_requests import MOST_REFUSED, StoredRefusedRequest, count_refused, write_refused
from streaming.storage.result_columns import Columns, ColumnsByRun
from streaming.temporal.ticks import INFINITY, TICKS_PER_S
from streaming.wire.deliveries import DeliveryMark, DeliveryObserved, DeliveryTarget, read_mark, write_mark

log = logging.getLogger(__name__)

PIECE_ROWS: Final = 20_000
PIECE_BYTES: Final = 8 << 20
SENT_ROWS: Final = 2_000
"""The rows of a piece for an acknowledging target: a small limit, because changes apply only between two pieces."""
LOOK_S: Final = 5.0
"""The seconds between polls for new batches, if no call announces any."""
WAITS_S: Final = 60.0
"""The seconds between checks of a delivery that has to wait (`DeliveryTarget.waits`); a changed target ends the
wait.
"""
Build = Callable[[Columns], OutputDelivery]
"""Builds the adapter for results with these columns; versions of a query may have different ones."""
UNEXPECTED: Final = (
    "The delivery failed because of an error in Punctual ({}). It is retried; all committed rows are kept. If it keeps "
    "failing, contact your administrator: the runner's log has the details."
)
NO_COLUMNS: Final = (
    "Batch {} has the fields {}, and nothing records the columns of the version that made it. To deliver these rows, "
    "change the binding back to a version whose output {} has these fields. The rows are kept until then."
)
TOO_MANY_REFUSED: Final = (
    "The target has refused {}. Their rows are kept here. Check the reasons, then put the requests aside: the delivery "
    "then resumes."
)
UNREADABLE: Final = (
    "The results of the binding can't be read ({}). The delivery is retried. Check that their disk is mounted."
)


@dataclass(frozen=True)
class DeliverySource:
    """The source of a delivery: the binding, and its folder on this machine, which contains the marks.

    `rows` is the folder of its results; None: the same folder.
    """

    binding: str
    results: Path
    rows: BlobFolder | None = field(default=None, compare=False)


@dataclass
class _Standing:
    """The progress of the delivery; `known` false: the target has to report its last batch first."""

    known: bool = False
    delivered: int | None = None
    delivered_at: int | None = None
    cti: int | None = None
    lost_rows: int = 0
    refused_requests: int = 0
    waiting: UndeliveredRows = field(default_factory=lambda: UndeliveredRows(0, None))
    error: AdapterError | None = None
    failing_since: int | None = None
    retry_at: int | None = None


class Delivery:
    """`step` delivers one piece; between two steps only the adapter is open. Not thread-safe."""

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
        self._log = CommittedBatches(source.rows or source.results, target.node, delivered=True)
        self._columns_by_run = ColumnsByRun(source.rows or source.results, target.node, target.fields)
        self._backoff = Backoff(chance or random.Random())  # jitter, no secret  # nosec B311
        self._adapter: OutputDelivery | None = None
        self._columns: Columns = target.fields
        self._key = frozenset(target.adapter.options.get("key") or ())
        mark = read_mark(source.results, target.identity)
        self._at = _Standing() if mark is None else _Standing(delivered=mark.delivered, lost_rows=mark.lost_rows)
        self._at.refused_requests = count_refused(source.results, target.identity)
        self._marked = mark

    def step(self) -> float:
        """Deliver one piece, if any; return the seconds until the next step, infinity for never.

        Never raises for errors of the target or the disk: `observed` reports them.
        """
        rests_s = self._rests()
        if rests_s:
            self._count_if_readable()  # report batches that were committed since
            return rests_s
        try:
            wait_s = self._deliver()
        except AdapterError as error:
            return self._record_failure(error)
        except OSError as error:
            return self._record_failure(AdapterError(UNREADABLE.format(error.strerror or error), domain="external"))
        except Exception as error:
            log.exception("delivery %s failed", self._target.identity)
            return self._record_failure(AdapterError(UNEXPECTED.format(type(error).__name__), domain="internal"))
        self._backoff.succeeded()
        self._at.error = self._at.retry_at = self._at.failing_since = None
        return wait_s

    def close(self) -> None:
        """Close the adapter."""
        adapter, self._adapter = self._adapter, None
        if adapter is not None:
            with suppress(Exception):
                adapter.close()

    @property
    def observed(self) -> DeliveryObserved:
        """The progress of the delivery."""
        at, error = self._at, self._at.error
        state = "behind" if at.waiting.rows or not at.known else "current"
        if error is not None:
            state = "stopped" if error.domain == "user" else "retrying"
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
                "domain": None if error is None else error.domain,
                "message": None if error is None else str(error),
                "retry_at": at.retry_at,
                "failing_since": at.failing_since,
                "refused_requests": at.refused_requests,
                "at": self._now(),
            }
        )

    def _deliver(self) -> float:
        if self._marked is None:
            self._write_mark()  # from now on undelivered rows aren't deleted
        adapter = self._adapter or self._open(self._next_columns())
        if not self._at.known:
            self._read_progress(adapter)
        most_rows = PIECE_ROWS if isinstance(adapter, DeliveringAdapter) else SENT_ROWS
        piece = self._log.after(self._at.delivered, most_rows=most_rows, most_bytes=PIECE_BYTES)
        if piece is None:
            return LOOK_S
        if piece.batches and self._target.waits is not None:
            raise AdapterError(self._target.waits, domain="external", again_after_s=WAITS_S)
        for columns, batches in self._by_columns(piece):
            self._bring(columns, batches)
        self._record_arrival(piece)
        return 0.0 if self._at.waiting.rows else LOOK_S

    def _bring(self, columns: Columns | None, batches: Sequence[DeliveryBatch]) -> None:
        """Deliver `batches`, whose rows have `columns`; record each arrival at once."""
        if columns is None:
            raise self._unknown_columns(batches)
        adapter = self._adapter
        if adapter is None or columns != self._columns:
            adapter = self._open(columns)
            if isinstance(adapter, DeliveringAdapter):
                adapter.delivered()  # prepares and checks the target for these columns
        if isinstance(adapter, DeliveringAdapter):
            adapter.deliver(batches)
            self._at.delivered = batches[-1].number
            self._write_mark()
        else:
            self._send(adapter, batches)

    def _open(self, columns: Columns) -> OutputDelivery:
        """Return an adapter for rows with `columns`; a key field that only the current version has is null in them."""
        self.close()
        added = {name: of for name, of in self._target.fields.items() if name in self._key and name not in columns}
        self._adapter, self._columns = self._build({**columns, **added}), columns
        return self._adapter

    def _next_columns(self) -> Columns:
        """Return the columns of the next rows, by the mark's progress; the current ones where no rows wait."""
        piece = self._log.after(self._at.delivered, most_rows=1, most_bytes=PIECE_BYTES)
        groups = [] if piece is None else [columns for columns, batches in self._by_columns(piece) if batches[-1].rows]
        return groups[0] if groups and groups[0] is not None else self._target.fields

    def _by_columns(self, piece: Piece) -> list[tuple[Columns | None, list[DeliveryBatch]]]:
        """Return the batches of `piece`, grouped by columns of their rows; None: columns that aren't recorded."""
        groups: list[tuple[Columns | None, list[DeliveryBatch]]] = []
        for batch in piece.batches:
            columns: Columns | None = groups[-1][0] if groups else self._columns
            if batch.rows:
                columns = self._columns_by_run.of(piece.runs.get(batch.number), batch.rows[0])
            if not groups or groups[-1][0] != columns:
                groups.append((columns, []))
            groups[-1][1].append(batch)
        return groups

    def _unknown_columns(self, batches: Sequence[DeliveryBatch]) -> AdapterError:
        batch = next(each for each in batches if each.rows)
        names = ", ".join(batch.rows[0]["payload"]) or "no fields"
        return AdapterError(NO_COLUMNS.format(batch.number, names, self._target.node), domain="internal")

    def _send(self, adapter: AcknowledgingAdapter, batches: Sequence[DeliveryBatch]) -> None:
        """Send one batch after the other; record each acknowledgement at once, so that fewer batches are sent twice."""
        for batch in batches:
            if self._at.refused_requests >= MOST_REFUSED:
                raise AdapterError(TOO_MANY_REFUSED.format(counted(self._at.refused_requests, "request")))
            self._keep(adapter.send(batch))
            self._at.delivered = batch.number
            self._write_mark()
            self._backoff.succeeded()

    def _keep(self, refused: Sequence[RefusedRequest]) -> None:
        """Store requests that are refused for good, before their batch counts as delivered."""
        for each in refused:
            count, at = len(each.rows), self._now()
            request = StoredRefusedRequest(
                number=each.number, part=each.part, at=at, reason=each.reason, row_count=count
            )
            write_refused(self._source.results, self._target.identity, request, each.rows)
        if refused:
            self._at.refused_requests = count_refused(self._source.results, self._target.identity)

    def _read_progress(self, adapter: OutputDelivery) -> None:
        """Read the last batch from the target if it stores numbers; otherwise the last acknowledgement counts.

        A mark may be older than the target's number or, after a restored backup, newer.
        """
        if isinstance(adapter, DeliveringAdapter):
            self._at.delivered = adapter.delivered()
        self._at.refused_requests = count_refused(self._source.results, self._target.identity)
        self._at.known = True
        self._count()
        self._write_mark()

    def _record_arrival(self, piece: Piece) -> None:
        ctis = [batch.cti for batch in piece.batches if batch.cti is not None]
        self._at.delivered, self._at.delivered_at = piece.last, piece.committed_at
        self._at.cti = ctis[-1] if ctis else self._at.cti
        self._at.lost_rows += piece.lost_rows
        self._count()
        self._write_mark()

    def _rests(self) -> float:
        """Return the seconds until the next attempt."""
        at = self._at
        if at.error is not None and at.error.domain == "user":
            return inf
        return 0.0 if at.retry_at is None else max(0, at.retry_at - self._now()) / TICKS_PER_S

    def _count_if_readable(self) -> None:
        with suppress(OSError):
            self._count()

    def _count(self) -> None:
        self._at.waiting = self._log.waiting(self._at.delivered)

    def _write_mark(self) -> None:
        mark = DeliveryMark(delivered=self._at.delivered, lost_rows=self._at.lost_rows)
        if mark == self._marked:
            return
        if self._marked is None or read_mark(self._source.results, self._target.identity) is not None:
            # else the output was deleted during this step, and a new mark would protect its results forever
            write_mark(self._source.results, self._target.identity, mark)
            self._marked = mark

    def _record_failure(self, error: AdapterError) -> float:
        """Close the adapter, so that the next attempt reads the progress again: an answer may have been lost.

        An adapter that only acknowledges stays open after an external error, and resumes within its batch.
        """
        if error.domain != "external" or isinstance(self._adapter, DeliveringAdapter):
            self.close()
        if error.partly_sent:
            self._backoff.succeeded()
        self._at.known, self._at.error = False, error
        self._at.failing_since = self._at.failing_since or self._now()
        self._count_if_readable()
        if error.domain == "user":
            self._at.retry_at = None
            return inf
        wait_s = max(self._backoff.failed(), error.again_after_s or 0.0)
        self._at.retry_at = self._now() + int(wait_s * TICKS_PER_S)
        return wait_s
