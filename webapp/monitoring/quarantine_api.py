"""The quarantine of a run over HTTP: pages of late and malformed rows, and all of them as a file."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final
from uuid import UUID

from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.adapters.result_json import written_time
from streaming.definition.strict import Strict
from streaming.storage.blobs import BlobFolder
from streaming.storage.results import committed_rows
from streaming.wire.messages import LateEvent, OutcomeName
from streaming.wire.quarantine_choice import QuarantineChoice
from webapp.accounts.access import TenantView
from webapp.audit.recording import Target, record
from webapp.core.api import answer, read_query
from webapp.core.errors import ErrorEnvelope
from webapp.core.exported_files import (
    FILE_RENDERERS,
    FORMAT,
    MEDIA_TYPES,
    FileFormat,
    csv_lines,
    file_response,
)
from webapp.monitoring.rows_page import (
    BEFORE,
    LIMIT,
    REFUSALS,
    RUNS,
    RowRepair,
    RowsPageQuery,
    Scope,
    rows_page,
    shown_mark,
)
from webapp.runs.access import access_run
from webapp.runs.kept_folders import rows_folder
from webapp.runs.models import Repair, Run
from webapp.runs.repairs.repairs import repaired_rows

PAGE: Final = 500
"""The number of a file's rows that are in memory at once."""
TIMES: Final = ("start", "end", "cti")
COLUMNS: Final = tuple(LateEvent.model_fields)


class LateResponse(LateEvent):
    """A late or malformed row with a stable id, and the run that listed it; null before runs were distinguished.

    `repaired`: the repair that added it to the results.
    """

    id: str
    run: str | None
    repaired: RowRepair | None = None


class QuarantinePage(Strict):
    """Late and malformed rows, newest first; `next` is the `before` of the next page, null at the oldest."""

    rows: list[LateResponse]
    next: str | None


class QuarantineQuery(QuarantineChoice, RowsPageQuery):
    """The parameters of a page of the quarantine."""


class QuarantineFileQuery(QuarantineChoice):
    """The parameters of a file of the quarantine."""

    format: FileFormat
    runs: Scope = "own"


FILTERS: Final = [
    OpenApiParameter("outcome", str, enum=[each.value for each in OutcomeName], description="Only this outcome."),
    OpenApiParameter("reason", str, description="Only this reason."),
    OpenApiParameter("input", str, description="Only this input of the query."),
    OpenApiParameter("lane", str, description="Only this lane."),
    OpenApiParameter("text", str, description="Only rows that contain this text, ignoring case."),
    OpenApiParameter("since", int, description="Only rows that start at or after this tick of event time."),
    OpenApiParameter("until", int, description="Only rows that start before this tick of event time."),
    OpenApiParameter("late_by", int, description="Only rows that start at most so many ticks before the CTI they met."),
]


class QuarantineView(TenantView):
    """The committed late and malformed rows of a run, or of all runs of its binding."""

    @extend_schema(
        operation_id="runs_quarantine",
        parameters=[BEFORE, LIMIT, RUNS, *FILTERS],
        responses={200: QuarantinePage, 422: ErrorEnvelope} | REFUSALS,
    )
    def get(self, request: Request, slug: str, run: UUID) -> Response:
        """Return a page of late and malformed rows, newest first; a page before the oldest may be short or empty."""
        found, asked = access_run(run), read_query(request, QuarantineQuery)
        rows, following = rows_page(found, "late", asked, asked.fits)
        repaired = repaired_rows(found.binding_id).quarantine
        shown = [
            LateResponse.model_validate({**row, "repaired": shown_mark(repaired.get(row["id"]), taken_back=False)})
            for row in rows
        ]
        return answer(QuarantinePage(rows=shown, next=following))


class QuarantineFileView(TenantView):
    """Late and malformed rows as a file."""

    renderer_classes = FILE_RENDERERS

    @extend_schema(
        operation_id="runs_quarantine_file",
        parameters=[FORMAT, RUNS, *FILTERS],
        responses={
            (200, MEDIA_TYPES["csv"]): str,
            (200, MEDIA_TYPES["json_lines"]): LateResponse,
            422: ErrorEnvelope,
            **REFUSALS,
        },
    )
    def get(self, request: Request, slug: str, run: UUID) -> HttpResponseBase:
        """Send all matching rows, newest first, as CSV or as lines of JSON; the export is recorded in the audit log.

        A CSV cell that a spreadsheet would compute starts with an apostrophe; times are ISO 8601 there.
        """
        found, asked = access_run(run), read_query(request, QuarantineFileQuery)
        target = Target("run", found.pk, found.binding.name)
        record("quarantine.exported", target=target, after=asked.model_dump(mode="json", exclude_none=True))
        folder = rows_folder(found.binding_id)
        rows = _written(folder, found, asked, repaired_rows(found.binding_id).quarantine)
        return file_response(request, rows, asked.format, f"quarantine-{found.pk}")


def _written(
    folder: BlobFolder, run: Run, asked: QuarantineFileQuery, repaired: Mapping[str, Repair]
) -> Iterator[bytes]:
    """Yield the file a page at a time; it outlives its request and holds nothing open, however slow its reader is."""
    own = str(run.pk) if asked.runs == "own" else None
    before: str | None = None
    if asked.format == "csv":
        yield csv_lines([("id", "run", *COLUMNS, "repaired_at", "repaired_by")]).encode()
    while True:
        page = committed_rows(folder, "late", PAGE, before, run=own, matching=asked.fits)
        rows = [_own(row) | {"repaired": _marked(repaired.get(row["_id"]))} for row in page.rows]
        if asked.format == "csv":
            text = csv_lines([row["id"], row["run"], *map(_cell, COLUMNS, _values(row)), *_who(row)] for row in rows)
        else:
            text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        yield text.encode()
        before = page.next
        if before is None:
            return


def _own(row: Mapping[str, Any]) -> dict[str, Any]:
    columns = {name: value for name, value in row.items() if not name.startswith("_")}
    return {"id": row["_id"], "run": row["_run"], **columns}


def _marked(repair: Repair | None) -> dict[str, Any] | None:
    mark = shown_mark(repair, taken_back=False)
    return None if mark is None else mark.model_dump(mode="json")


def _who(row: Mapping[str, Any]) -> tuple[str, str]:
    mark = row["repaired"]
    return ("", "") if mark is None else (mark["given_at"], mark["by"])


def _values(row: Mapping[str, Any]) -> list[Any]:
    return [row.get(name) for name in COLUMNS]


def _cell(name: str, value: Any) -> Any:
    return written_time(value) if name in TIMES and value is not None else value
