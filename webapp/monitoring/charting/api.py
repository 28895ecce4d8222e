"""Charts of results over HTTP."""

import json
from dataclasses import dataclass, field
from typing import Final, Literal, get_args
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.boards.charts import ChartDefinition, ChartKind, Measure
from webapp.core.api import answer, read_query
from webapp.core.errors import Conflict, ErrorEnvelope, Faulty, NotFound, fault
from webapp.monitoring.charting.definition import ChartQuery
from webapp.monitoring.charting.dropped import DroppedWork, RunFacts, RunQuery
from webapp.monitoring.charting.folding import ChartPoint
from webapp.monitoring.charting.job import ChartColumn, ChartOutcome, ChartWork, compute_chart
from webapp.monitoring.exporting.api import WHERE, read_range, read_where
from webapp.monitoring.exporting.preparing import ExportFailed, rows_to_read, scratch_folder
from webapp.monitoring.row_keys import Key
from webapp.monitoring.rows_page import REFUSALS
from webapp.runs.access import access_binding, latest_run, listed_runs
from webapp.runs.models import Binding, Run
from webapp.runs.repairs.repairs import repaired_rows
from webapp.runs.storage.rows_at_hand import rows_at_hand


class ChartDropped(Strict):
    """The knowledge about dropped rows. `unknown`: the reason why they were not counted; null if they were.

    `elsewhere` counts those that belonged to results that are not in the chart, for example not emitted yet; null: not
    known. `unreadable` rows may have belonged to any result. A row counts once for each result. Adjusted and shifted
    rows count nowhere, because they are in results. `adds_up`: the value of a point plus its dropped rows is its value
    without drops.
    """

    unknown: str | None
    elsewhere: int | None
    unreadable: int
    adds_up: bool


class ChartResponse(Strict):
    """A chart: its points in order, and what is left out of it.

    `axis`: points are at times, at values of a column, or it is a single value. `bucket` is in ticks. `value_type` is
    the type of the points' values. `columns` are those of the export, which a chart may use. `rows` are in the points,
    of `rows_stored` of this output and scope. Points that were left out are between the others, by time, or of
    categories and groups with fewer rows. `repeats`: a run started without the state of an earlier one and may have
    emitted its rows again, so they count twice.
    """

    output: str
    outputs: list[str]
    columns: list[ChartColumn]
    axis: Literal["time", "category", "none"]
    bucket: int | None
    value_type: str
    points: list[ChartPoint]
    rows: int
    rows_stored: int
    points_left_out: int
    categories_left_out: int
    groups_left_out: int
    dropped: ChartDropped
    repeats: bool


_CHOICES: Final = [
    OpenApiParameter("output", str, description="The output node of the query; required if it has several."),
    OpenApiParameter("kind", str, enum=get_args(ChartKind), description="Default: bar."),
    OpenApiParameter("x", str, description="A column of the export: of times, or with categories. Default: start."),
    OpenApiParameter("bucket", str, description="The length of each point, as 1m or PT5M; without it, each time."),
    OpenApiParameter("measure", str, enum=get_args(Measure), description="Default: count."),
    OpenApiParameter("of", str, description="The column of the measure; `count` without it counts rows."),
    OpenApiParameter("group", str, description="A column: points for each of its values."),
    WHERE,
    OpenApiParameter("from", str, description="Rows that start at or after this time: ISO 8601 or ticks."),
    OpenApiParameter("to", str, description="Rows that start before this time: ISO 8601 or ticks."),
    OpenApiParameter("run", UUID, description="Only the rows of this run; without it, those of all runs."),
]


class ResultChartView(TenantView):
    """The results of a binding as a chart."""

    @extend_schema(
        operation_id="bindings_results_chart",
        parameters=_CHOICES,
        responses={
            200: ChartResponse,
            409: ErrorEnvelope,
            422: ErrorEnvelope,
            429: ErrorEnvelope,
            507: ErrorEnvelope,
            **REFUSALS,
        },
    )
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """Return the points of a chart, grouped from the same rows as an export with the same parameters.

        Values are texts with all their digits; `mean` is rounded once. At most 5,000 points are sent: of more, the
        smallest and largest of neighbours in time, and the categories and groups with the most rows.
        """
        found, asked = access_binding(binding), read_query(request, ChartQuery)
        within = read_range(asked.begin, asked.end)
        outcome = chart_of(found, asked, ChartRows(within, read_where(request), run=asked.run))
        return answer(chart_response(outcome, kind=asked.kind))


@dataclass(frozen=True)
class ChartRows:
    """The rows of a chart: those that start in the ticks `within`, with the values `where`, of one run or of all.

    `where_present` filters only if the output has the field.
    """

    within: tuple[int | None, int | None]
    where: Key
    where_present: Key = field(default_factory=dict)
    run: UUID | None = None


def chart_of(binding: Binding, asked: ChartDefinition, rows: ChartRows) -> ChartOutcome:
    """Return the chart of these rows, without a problem.

    Raises `Conflict` without a run, `NotFound`, `Faulty`, `ExportFailed`, and like a limited process.
    """
    of_run = _run_of(binding, rows.run)
    runs, definitions = _runs_of(binding)
    repaired = frozenset(repaired_rows(binding.pk).quarantine)
    with rows_to_read(binding) as stored, rows_at_hand(binding.pk) as late, scratch_folder() as scratch:
        outcome = compute_chart(
            ChartWork(
                folder=stored.folder,
                scratch=str(scratch),
                output=asked.output,
                run=None if rows.run is None else str(rows.run),
                specification=of_run.spec,
                begin=rows.within[0],
                end=rows.within[1],
                where=rows.where,
                where_present=rows.where_present,
                kind=asked.kind,
                x=asked.x,
                bucket=asked.bucket,
                measure=asked.measure,
                of=asked.of,
                group=asked.group,
                dropped=DroppedWork(late.folder, repaired, runs, definitions),
            )
        )
    if outcome.problem is None:
        return outcome
    if outcome.parameter is None:
        raise ExportFailed(f"{outcome.problem} {outcome.remedy}")
    raise Faulty([fault(FaultCode.BAD_SHAPE, outcome.problem, outcome.remedy, field=outcome.parameter)])


def _run_of(binding: Binding, wanted: UUID | None) -> Run:
    """Return the run of the chart, or the newest one for all runs. Raises `Conflict`, `NotFound`."""
    if wanted is None:
        newest = latest_run(binding)
        if newest is None:
            raise Conflict(f"{binding.name} has no results, because it has never run. Start it first.")
        return newest
    run = listed_runs().filter(binding=binding, pk=wanted).first()
    if run is None:
        raise NotFound
    return run


def _runs_of(binding: Binding) -> tuple[dict[str, RunFacts], list[RunQuery]]:
    """Return the facts about each run, and their different definitions."""
    facts: dict[str, RunFacts] = {}
    definitions: dict[str, RunQuery] = {}
    fields = ("pk", "spec", "progress__of_run", "progress__quarantined", "progress__beginning", "progress__run")
    for run in Run.objects.filter(binding=binding).values(*fields).iterator(chunk_size=20):
        streams = {name: json.dumps(each["stream"]) for name, each in run["spec"]["inputs"].items()}
        definition = RunQuery(json.dumps(run["spec"]["query"]), streams)
        key = json.dumps([definition.query, streams])
        definitions.setdefault(key, definition)
        reported = run["progress__run"] is not None
        facts[str(run["pk"])] = RunFacts(
            quarantined=0 if not reported else run["progress__quarantined"] if run["progress__of_run"] else None,
            definition=list(definitions).index(key),
            begun=run["progress__beginning"] is not None,
        )
    return facts, list(definitions.values())


def chart_response(outcome: ChartOutcome, *, kind: ChartKind) -> ChartResponse:
    """Return the chart as the API sends it."""
    return ChartResponse(
        output=outcome.output,
        outputs=outcome.outputs,
        columns=outcome.columns,
        axis="none" if kind == "value" else "time" if outcome.is_time else "category",
        bucket=outcome.bucket,
        value_type=outcome.type,
        points=outcome.points,
        rows=outcome.rows,
        rows_stored=outcome.rows_stored,
        points_left_out=outcome.points_left_out,
        categories_left_out=outcome.categories_left_out,
        groups_left_out=outcome.groups_left_out,
        dropped=ChartDropped(
            unknown=outcome.unknown,
            elsewhere=outcome.dropped_elsewhere,
            unreadable=outcome.dropped_unreadable,
            adds_up=outcome.dropped_adds_up,
        ),
        repeats=outcome.repeats,
    )
