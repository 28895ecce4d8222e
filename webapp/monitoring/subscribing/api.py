"""Outputs of a binding for programs, over HTTP: a stream of committed rows, and the rows that stand at a time."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Annotated, Final
from uuid import UUID

from django.db import connection
from django.http import HttpResponseBase
from django.utils.cache import get_conditional_response
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from streaming.adapters.binding.history import END, ResultHistory
from streaming.adapters.committed import CommittedBatches
from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from streaming.storage.result_columns import columns_of, read_columns
from streaming.wire.messages import ResultRow, RunSpec
from webapp.accounts.access import TenantView
from webapp.accounts.access_recheck import still_allowed, visit_of
from webapp.core.api import answer, read_query
from webapp.core.errors import Conflict, ErrorEnvelope, Faulty, fault
from webapp.monitoring.api import EventStreamRenderer
from webapp.monitoring.committed_pieces import DamagedResults
from webapp.monitoring.exporting.api import read_tick
from webapp.monitoring.exporting.preparing import ExportFailed, rows_to_read
from webapp.monitoring.row_keys import KeyFilter, KeyProblem, key_of
from webapp.monitoring.rows_page import MOST_ROWS, PAGE_ROWS, REFUSALS
from webapp.monitoring.seats import SUBSCRIBERS, SeatedStream, StreamSlot
from webapp.monitoring.subscribing.current import DAMAGED, CurrentRows, CurrentWork, current_rows
from webapp.monitoring.subscribing.following import output_stream
from webapp.monitoring.subscribing.output_rows import NOTHING_RECEIVED, OutputCursor, OutputEvents, StoredOutput
from webapp.runs.access import access_binding, latest_run
from webapp.runs.kept_folders import rows_folder, shared_folder
from webapp.runs.models import Binding, Run

NEWEST: Final = "newest"
KEY: Final = OpenApiParameter(
    "key",
    str,
    many=True,
    description="Only rows with this value of a field, as `FIELD:VALUE`; `FIELD` alone is null. Repeat it for more "
    "fields. A row of a window that replaces one with the value, and doesn't have it, comes as a retraction.",
)
_NEXT: Final = re.compile(r"(\d{1,18})\.(-?\d{1,19})\.(\d{1,18}-\d{1,9}-\d{1,18})")


class SubscribedRow(ResultRow):
    """A row of an output: its stable id, and the run that emitted it (null: not recorded)."""

    id: str
    run: str | None


class BatchCommitted(Strict):
    """All rows of a batch were sent. All time of the output before `cti` is final (null: not recorded, or `ended`)."""

    batch: int
    cti: int | None
    ended: bool


class BindingRestarted(Strict):
    """From `batch` on, rows are of a run that started without state and emits rows again: discard all earlier rows."""

    batch: int


class RowsMissing(Strict):
    """Rows of a batch, also of other outputs, whose file is missing. Rows that somebody deleted are not counted."""

    rows: int


class OutputStreamFailed(Strict):
    """The stream ends with this message."""

    message: str


class OutputEventsResponse(Strict):
    """The data of the events by their name. `row`, `edge_start`, `edge_end` and `retraction` are rows.

    A row with a `key` replaces the one before it with the same key; a retraction withdraws that one. A retraction
    without a key withdraws an earlier row with the same times and payload.
    """

    row: SubscribedRow
    edge_start: SubscribedRow
    edge_end: SubscribedRow
    retraction: SubscribedRow
    committed: BatchCommitted
    restarted: BindingRestarted
    rows_missing: RowsMissing
    failed: OutputStreamFailed


class CurrentResponse(Strict):
    """The rows that stand at tick `as_of` (null: no row at all), after all changes up to `batch`.

    `is_final`: no later event can change them. `cti` is the output's (null: none yet, or `ended`). `missing_rows`
    counts rows of this binding whose files are missing, but not rows that somebody deleted. `next` is the `after` of
    the next page.
    """

    as_of: int | None
    cti: int | None
    ended: bool
    is_final: bool
    batch: int
    missing_rows: int
    rows: list[SubscribedRow]
    next: str | None


class OutputStreamQuery(Strict):
    """The parameters of a stream."""

    key: str | None = None
    after: Annotated[str | None, Field(max_length=100)] = None


class CurrentQuery(Strict):
    """The parameters of a page of the rows that stand."""

    key: str | None = None
    as_of: str | None = None
    after: Annotated[str | None, Field(max_length=100)] = None
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS)] = PAGE_ROWS


class OutputStreamView(TenantView):
    """The committed rows of an output as a stream."""

    renderer_classes = (EventStreamRenderer, JSONRenderer)

    @extend_schema(
        operation_id="outputs_stream",
        parameters=[
            KEY,
            OpenApiParameter("Last-Event-ID", str, OpenApiParameter.HEADER, description="The last id received."),
            OpenApiParameter(
                "after", str, description=f"The id of an event, as `Last-Event-ID`; `{NEWEST}`: only later batches."
            ),
        ],
        responses={
            (200, "text/event-stream"): OutputEventsResponse,
            409: ErrorEnvelope,
            422: ErrorEnvelope,
            429: ErrorEnvelope,
            **REFUSALS,
        },
    )
    def get(self, request: Request, slug: str, binding: UUID, node: str) -> HttpResponseBase:
        """Send every committed row of all runs in order, from the oldest one that is kept, then each new one.

        A client that reconnects with the last id that it received gets each row exactly once. An id may come without
        an event: then it is of rows that are not for this client. The event `committed` ends a batch. The stream ends
        after five minutes, and within 15 seconds when its reader has lost the right to read it. 429 while too many are
        open.
        """
        asked = read_query(request, OutputStreamQuery)
        named = _output(access_binding(binding), node)
        keys = named.keys(request.query_params.getlist("key"))[1]
        last = request.headers.get("Last-Event-ID")
        cursor = _cursor(named.stored, last or asked.after, "Last-Event-ID" if last else "after")
        allowed = partial(still_allowed, visit_of(request, self.entry, self.rule))
        organisation = named.run.organisation_id
        with _readable():
            events = OutputEvents(named.stored, keys, cursor)
        frames = output_stream(str(organisation), events, str(named.run.pk), allowed)
        if not connection.in_atomic_block:
            connection.close()  # the stream lives for minutes and needs the database only for moments
        reader = self.entry.token.id if self.entry.token else self.user.pk if self.user else None
        seat = StreamSlot(organisation, reader, SUBSCRIBERS)
        seat.take()
        return SeatedStream(frames, seat)


class CurrentRowsView(TenantView):
    """The rows of an output that stand at a time."""

    @extend_schema(
        operation_id="outputs_current",
        parameters=[
            KEY,
            OpenApiParameter(
                "as_of",
                str,
                description="Rows whose lifetime contains this time: ISO 8601 or ticks. Default: the last tick before "
                "the output's CTI; after the end of everything, the last tick of a lifetime that ends.",
            ),
            OpenApiParameter("after", str, description="The `next` of the previous page, with the same parameters."),
            OpenApiParameter("limit", int, description=f"Rows in the page, 1 to {MOST_ROWS}; default {PAGE_ROWS}."),
        ],
        responses={
            200: CurrentResponse,
            304: None,
            409: ErrorEnvelope,
            422: ErrorEnvelope,
            429: ErrorEnvelope,
            507: ErrorEnvelope,
            **REFUSALS,
        },
    )
    def get(self, request: Request, slug: str, binding: UUID, node: str) -> HttpResponseBase:
        """Return the rows that stand: those of all events of the stream, folded, whose lifetime contains the time.

        The `ETag` stays the same until rows are committed or deleted. All pages show the same batch. A page may be
        short.
        """
        asked = read_query(request, CurrentQuery)
        found = access_binding(binding)
        named = _output(found, node)
        key = named.keys(texts := request.query_params.getlist("key"))[0]
        etag = _etag(found, node, [*texts, "", *(str(each) for each in (asked.as_of, asked.after, asked.limit))])
        unchanged = get_conditional_response(request._request, etag=etag)
        if unchanged is not None:
            return unchanged
        with _readable():
            response = answer(_current(found, named, key, asked))
        response.headers["ETag"] = etag
        return response


@dataclass(frozen=True)
class _NamedOutput:
    """An output of a binding, the newest run, and the types of the output's fields in it."""

    stored: StoredOutput
    run: Run
    types: dict[str, str]

    def keys(self, texts: Sequence[str]) -> tuple[dict[str, str | None], KeyFilter]:
        """Return the requested key, and its filter. Raises `Faulty`."""
        try:
            key = key_of(texts)
            return key, KeyFilter(key, self.types)
        except KeyProblem as problem:
            raise Faulty([fault(FaultCode.BAD_SHAPE, problem.message, problem.remedy, field="key")]) from None


def _output(binding: Binding, node: str) -> _NamedOutput:
    """Return an output of the newest run. Raises `Conflict`, `Faulty`."""
    run = latest_run(binding)
    if run is None:
        raise Conflict(f"{binding.name} has no results, because it has never run. Start it first.")
    folder = rows_folder(binding.pk)
    outputs = read_columns(folder, str(run.pk)) or columns_of(RunSpec.model_validate(run.spec))
    if node not in outputs:
        message = f"{binding.name} has no output {node[:80]!r}."
        raise Faulty([fault(FaultCode.BAD_SHAPE, message, f"Use one of: {', '.join(outputs)}.", field="node")])
    history = ResultHistory(shared_folder(), str(binding.pk), CommittedBatches(folder, node))
    return _NamedOutput(StoredOutput(node, folder, history), run, dict(outputs[node]))


@contextmanager
def _readable() -> Iterator[None]:
    """Raise `ExportFailed` for a damaged commit."""
    try:
        yield
    except DamagedResults:
        raise ExportFailed(DAMAGED) from None


def _cursor(output: StoredOutput, text: str | None, field: str) -> OutputCursor:
    if text is None:
        return NOTHING_RECEIVED
    newest = output.history.newest_batch()
    if text == NEWEST:
        return OutputCursor(newest)
    try:
        cursor = OutputCursor.parse(text)
    except ValueError as error:
        remedy = "Pass the id of the last event that you received, or leave it out for all rows."
        raise Faulty([fault(FaultCode.BAD_SHAPE, f"{field}: {error}", remedy, field=field)]) from None
    if cursor.batch > newest >= 0:  # without batches, all results were deleted: the next ones have larger numbers
        message = f"{field}: batch {cursor.batch} doesn't exist; the newest one is {newest}."
        remedy = (
            "Results were deleted or restored from a backup, or the id belongs to another binding. Subscribe from the "
            "beginning."
        )
        raise Faulty([fault(FaultCode.BAD_SHAPE, message, remedy, field=field)])
    return cursor


def _current(binding: Binding, named: _NamedOutput, key: dict[str, str | None], asked: CurrentQuery) -> CurrentResponse:
    output = named.stored
    now = output.at(output.history.newest_batch())
    as_of, after = read_tick(asked.as_of, "as_of"), None
    if asked.after is not None:
        upto, as_of, after = _next_page(asked.after, now.batch)
        now = output.at(upto)
    elif as_of is None and now.cti is None:
        raise Conflict(
            f"The output {output.node} has no CTI yet, so none of its rows is final. Try again later, or pass "
            "`as_of` for the rows that stand at a time so far."
        )
    ended, cti = now.cti == END, None if now.cti == END else now.cti
    if as_of is None and cti is not None:
        as_of = cti - 1
    begin = output.begin(now.batch)
    with rows_to_read(binding) as rows:
        work = CurrentWork(rows.folder, output.node, begin, now.batch, as_of, key, named.types, after, asked.limit)
        page = current_rows(work)
    if page.problem is not None:
        raise ExportFailed(page.problem)
    return _response(page, cti, now.batch, ended=ended)


def _response(page: CurrentRows, cti: int | None, batch: int, *, ended: bool) -> CurrentResponse:
    return CurrentResponse(
        as_of=page.as_of,
        cti=cti,
        ended=ended,
        is_final=ended or (page.as_of is not None and cti is not None and page.as_of < cti),
        batch=batch,
        missing_rows=page.missing,
        rows=[SubscribedRow.model_validate(row) for row in page.rows],
        next=f"{batch}.{page.as_of}.{page.rows[-1]['id']}" if page.has_more else None,
    )


def _next_page(text: str, newest: int) -> tuple[int, int, str]:
    """Return the batch, the time and the last row of the previous page. Raises `Faulty`."""
    match = _NEXT.fullmatch(text)
    if match is None or int(match[1]) > newest:
        remedy = "Leave `after` out, or pass the `next` of the previous page."
        raise Faulty([fault(FaultCode.BAD_SHAPE, "after: this isn't a cursor.", remedy, field="after")])
    return int(match[1]), int(match[2]), match[3]


def _etag(binding: Binding, node: str, parameters: Sequence[str]) -> str:
    """Return a tag that changes with the commits, with deleted rows and with the parameters."""
    folder = rows_folder(binding.pk)
    stored = [sorted(folder.tags(each).items()) for each in ("commits", "results")]
    return f'"{sha256(repr((str(binding.pk), node, list(parameters), stored)).encode()).hexdigest()[:32]}"'
