"""Results as a file over HTTP: of a run, or of all runs of a binding."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from django.db import connection
from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field
from rest_framework.request import Request

from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.audit.recording import Target, record
from webapp.core.api import AnyRepresentation, read_query
from webapp.core.errors import Conflict, ErrorEnvelope, Faulty, fault
from webapp.core.exported_files import in_turn
from webapp.monitoring.exporting.formats import ExportFormat
from webapp.monitoring.exporting.job import ExportWork
from webapp.monitoring.exporting.preparing import PreparedExport, prepare_export
from webapp.monitoring.row_keys import KeyProblem, key_of
from webapp.monitoring.rows_page import REFUSALS, RUNS, Scope
from webapp.runs.access import access_binding, access_run, latest_run
from webapp.runs.models import Run

PIECE: Final = 256 * 1024
_XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MEDIA: Final[Mapping[ExportFormat, str]] = {
    "csv": "text/csv; charset=utf-8",
    "json_lines": "application/x-ndjson; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "arrow": "application/vnd.apache.arrow.stream",
    "xlsx": _XLSX,
}
ENDINGS: Final[Mapping[ExportFormat, str]] = {
    "csv": "csv",
    "json_lines": "jsonl",
    "parquet": "parquet",
    "arrow": "arrows",
    "xlsx": "xlsx",
}
PACKED: Final[frozenset[ExportFormat]] = frozenset({"csv", "json_lines", "arrow"})
"""The formats that gzip makes smaller; the others are compressed themselves."""
FORMAT: Final = OpenApiParameter(
    "format", str, required=True, enum=list(MEDIA), description="`arrow` is an Arrow IPC stream."
)
WHERE: Final = OpenApiParameter(
    "where",
    str,
    many=True,
    description="Only rows with this value of a field, as `FIELD:VALUE`; `FIELD` alone is null. Repeat it for more "
    "fields.",
)
CHOICES: Final = [
    FORMAT,
    OpenApiParameter("output", str, description="The output node of the query; required if it has several."),
    OpenApiParameter("from", str, description="Rows that start at or after this time: ISO 8601 or ticks."),
    OpenApiParameter("to", str, description="Rows that start before this time: ISO 8601 or ticks."),
    OpenApiParameter(
        "revisions",
        str,
        enum=["net", "all"],
        description="`net` (default): the rows that count after all changes and repairs; `all`: every change as it was "
        "committed, with its `op` and `key`.",
    ),
    WHERE,
]
_ANSWERS: Final[dict[Any, Any]] = {
    (200, _XLSX): OpenApiTypes.BINARY,
    409: ErrorEnvelope,
    422: ErrorEnvelope,
    429: ErrorEnvelope,
    507: ErrorEnvelope,
    **REFUSALS,
}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LARGEST_TICK: Final = 2**63 - 1


class ResultFileQuery(Strict):
    """The parameters of a file of results; `from` and `to` are a half-open range of the rows' start."""

    format: ExportFormat
    output: str | None = None
    begin: Annotated[str | None, Field(alias="from")] = None
    end: Annotated[str | None, Field(alias="to")] = None
    revisions: Literal["net", "all"] = "net"
    where: str | None = None


class RunResultFileQuery(ResultFileQuery):
    """The parameters of a file of the results of a run, or with `runs` of all runs of its binding."""

    runs: Scope = "own"


class RunResultFileView(TenantView):
    """Results of a run as a file."""

    content_negotiation_class = AnyRepresentation

    @extend_schema(operation_id="runs_results_file", parameters=[*CHOICES, RUNS], responses=_ANSWERS)
    def get(self, request: Request, slug: str, run: UUID) -> HttpResponseBase:
        """Send the results as a file, oldest first; the export is recorded in the audit log.

        Columns: `start`, `end`, `op`, with `runs=all` the `run`, the fields, then `final` (no later row can replace
        it), `dropped` (the rows that belonged here and were dropped; empty where that is not known), `repaired` and
        `incomplete`. A column of ours gets underscores before its name if a field has that name. A field that has
        another type in another version is text. The file is complete before its first byte is sent, so a large one
        takes minutes to start. CSV, JSON lines and Arrow are sent with gzip to clients that accept it.
        """
        found, asked = access_run(run), read_query(request, RunResultFileQuery)
        target = Target("run", found.pk, found.binding.name)
        return _file(request, asked, found, target, own=asked.runs == "own")


class BindingResultFileView(TenantView):
    """Results of all runs of a binding as a file."""

    content_negotiation_class = AnyRepresentation

    @extend_schema(operation_id="bindings_results_file", parameters=CHOICES, responses=_ANSWERS)
    def get(self, request: Request, slug: str, binding: UUID) -> HttpResponseBase:
        """Send the results of all runs as a file, as for a run with `runs=all`."""
        found, asked = access_binding(binding), read_query(request, ResultFileQuery)
        newest = latest_run(found)
        if newest is None:
            raise Conflict(f"{found.name} has no results, because it has never run. Start it first.")
        return _file(request, asked, newest, Target("binding", found.pk, found.name), own=False)


def _file(request: Request, asked: ResultFileQuery, run: Run, target: Target, *, own: bool) -> HttpResponseBase:
    begin, end = read_range(asked.begin, asked.end)
    newest = run if own else latest_run(run.binding) or run
    where = read_where(request)
    packed = asked.format in PACKED and _accepts_gzip(request)
    work = ExportWork(
        folder="",
        scratch="",
        format=asked.format,
        output=asked.output,
        run=str(run.pk) if own else None,
        specification=newest.spec,
        begin=begin,
        end=end,
        where=where,
        every_change=asked.revisions == "all",
        gzip=packed,
        most_bytes=0,
    )
    prepared = prepare_export(run.binding, work)
    try:
        after = asked.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"where"})
        after |= {"where": where} if where else {}
        record("results.exported", target=target, after={**after, "rows": prepared.outcome.rows})
        response = SentExport(request, prepared)
    except BaseException:
        prepared.leave()
        raise
    name = f"results-{target.id}-{prepared.outcome.output}.{ENDINGS[asked.format]}"
    response.headers["Content-Type"] = MEDIA[asked.format]
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    if asked.format in PACKED:
        response.headers["Vary"] = "Accept-Encoding"
    if packed:
        response.headers["Content-Encoding"] = "gzip"
    return response


class SentExport(StreamingHttpResponse):
    """A prepared file on its way; its last byte or closing the response deletes it and frees its place."""

    def __init__(self, request: Request, prepared: PreparedExport) -> None:
        self._prepared = prepared
        self._file = prepared.path.open("rb")
        super().__init__(in_turn(request, self._pieces()))
        self.headers["Content-Length"] = str(prepared.path.stat().st_size)
        self.headers["Punctual-Rows"] = str(prepared.outcome.rows)
        self.headers["Punctual-Bytes"] = str(prepared.outcome.bytes)
        self.headers["Cache-Control"] = "no-store"
        if not connection.in_atomic_block:
            connection.close()  # the download may take minutes and needs no database

    def _pieces(self) -> Iterator[bytes]:
        try:
            while piece := self._file.read(PIECE):
                yield piece
        finally:
            self._end()

    def _end(self) -> None:
        if not self._file.closed:
            self._file.close()
            self._prepared.leave()

    def close(self, *_: Any) -> None:
        """Close and delete the file."""
        self._end()
        super().close()


def read_range(begin: str | None, end: str | None) -> tuple[int | None, int | None]:
    """Return the ticks of `from` and `to`. Raises `Faulty`."""
    first, last = read_tick(begin, "from"), read_tick(end, "to")
    if first is not None and last is not None and first >= last:
        message = "`to` isn't after `from`, so no row can start between them."
        raise Faulty([fault(FaultCode.BAD_SHAPE, message, "Pass a later time as `to`.", field="to")])
    return first, last


def read_tick(text: str | None, field: str) -> int | None:
    """Return the tick of a time as ISO 8601, in UTC without a zone, or as ticks. Raises `Faulty`."""
    if text is None:
        return None
    try:
        if text.lstrip("-").isdecimal() and text.isascii() and len(text) != 4:  # not a year
            tick = int(text)
        else:
            moment = datetime.fromisoformat(text)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            tick = (moment - _EPOCH) // timedelta(microseconds=1)
        if abs(tick) <= _LARGEST_TICK:
            return tick
    except (ValueError, OverflowError):
        pass
    remedy = "Write it as 2026-11-26T10:00:00Z (with %2B for the + of a zone), or as microseconds since 1970."
    raise Faulty([fault(FaultCode.BAD_SHAPE, f"{field}: {text[:40]!r} isn't a time.", remedy, field=field)])


def read_where(request: Request) -> dict[str, str | None]:
    """Return the fields and values that rows must have. Raises `Faulty`."""
    try:
        return key_of(request.query_params.getlist("where"))
    except KeyProblem as problem:
        raise Faulty([fault(FaultCode.BAD_SHAPE, problem.message, problem.remedy, field="where")]) from None


def _accepts_gzip(request: Request) -> bool:
    """Return whether the client accepts gzip: named, or by `*`, and not with the weight 0."""
    weights: dict[str, bool] = {}
    for each in request.headers.get("Accept-Encoding", "").split(","):
        name, _, options = each.strip().lower().partition(";")
        weight = options.replace(" ", "").removeprefix("q=")
        weights[name.strip()] = weight.strip("0.") != "" or not options
    return weights.get("gzip", weights.get("*", False))
