"""Pages of the committed rows of a run, or of all runs of its binding: their parameters, and reading them."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter
from pydantic import Field

from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from streaming.storage.results import CursorError, PartKind, committed_rows
from webapp.core.errors import ErrorEnvelope, Faulty, fault
from webapp.runs.kept_folders import rows_folder
from webapp.runs.models import Repair, Run

PAGE_ROWS = 50
MOST_ROWS = 500
Scope = Literal["own", "all"]


class RowsPageQuery(Strict):
    """The parameters of a page."""

    before: str | None = None
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS)] = PAGE_ROWS
    runs: Scope = "own"


class RowRepair(Strict):
    """A repair, its author, and the time at which its rows were written. `taken_back`: it retracted the row."""

    id: UUID
    by: str
    given_at: datetime
    taken_back: bool


REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}
BEFORE = OpenApiParameter("before", str, description="The `next` of the previous page.")
LIMIT = OpenApiParameter("limit", int, description=f"Rows in the page, 1 to {MOST_ROWS}; default {PAGE_ROWS}.")
RUNS = OpenApiParameter(
    "runs",
    str,
    enum=["own", "all"],
    description="`all`: rows of all runs of the binding, each with its `run`; `own` (default): of this run alone.",
)
_SHOWN = {"_id": "id", "_run": "run"}


def shown_mark(repair: Repair | None, *, taken_back: bool) -> RowRepair | None:
    """Return `repair` as the API shows it on a row that it concerns."""
    if repair is None or repair.given_at is None:
        return None
    return RowRepair(id=repair.pk, by=repair.by_label, given_at=repair.given_at, taken_back=taken_back)


def rows_page(
    run: Run, kind: PartKind, asked: RowsPageQuery, matching: Callable[[Mapping[str, Any]], bool] | None = None
) -> tuple[list[dict[str, Any]], str | None]:
    """Return the rows as the API shows them, newest first, and the cursor of the next page. Raises `Faulty`."""
    folder, own = rows_folder(run.binding_id), str(run.pk) if asked.runs == "own" else None
    try:
        page = committed_rows(folder, kind, asked.limit, asked.before, run=own, matching=matching)
    except CursorError as error:
        remedy = "Leave `before` out, or pass the `next` of the previous page."
        raise Faulty([fault(FaultCode.BAD_SHAPE, f"before: {error}.", remedy, field="before")]) from None
    return [{_SHOWN.get(name, name): value for name, value in row.items()} for row in page.rows], page.next
