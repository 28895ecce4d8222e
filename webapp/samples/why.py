"""Explanation of a row of a binding's results, or of its absence: the stored facts, and the input read again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pydantic import ValidationError

from streaming.definition.faults import FaultCode, nearest
from streaming.definition.graph import OutputNode
from streaming.resume.restart_points import RestartPoint, concealed_spec, facts_of
from streaming.simulator.simulate import instant
from streaming.storage.results import Commit, commit_before, commit_with, committed_row, span_of
from streaming.wire.messages import ResultRow, RunSpec
from streaming.wire.progress import ProgressReport
from webapp.accounts.limits.previews import previewing
from webapp.core.errors import Faulty, TooMuchWork, fault
from webapp.runs.access import latest_run, listed_runs
from webapp.runs.inputs.input_journals import NOTHING_READ, WAIT, journals_folder
from webapp.runs.kept_folders import rows_folder
from webapp.runs.models import Binding, Repair, Run
from webapp.runs.repairs.repairs import repairs_of
from webapp.runs.starts.next_start import restart_points
from webapp.runs.storage.rows_at_hand import RowsAtHand, rows_at_hand
from webapp.samples.read_back import BeginChoice, ReadWork
from webapp.samples.replaying import begins_of, of_one_history, settled_rows
from webapp.samples.why_bodies import AskedResultPlace, InputMoved, MadeInBatch, WhyBody, WhyResponse
from webapp.samples.why_job import WhyTraced, traced_place, traced_row

NOT_KEPT: Final = "This row of the results is no longer stored: it was deleted, or is older than the stored ones."
NOT_NOTED: Final = (
    "The binding's position when it emitted this row is not recorded yet, so its input cannot be read again."
)
KEPT_IS_CERTAIN: Final = "The values, the batch and the CTIs shown here are stored, and are certain."
OTHER_QUERY: Final = (
    "No position of the binding is stored for the query, the streams and the settings of that run, so its input "
    "cannot be read again."
)


@dataclass(frozen=True)
class _AskedTime:
    """The output and the time in question, and the batch that emitted the row; None for a place.

    `repaired`: a repair emitted it, for which nothing had to be read.
    """

    output: str
    at: int
    batch: int | None
    repaired: bool = False


def why(binding: Binding, body: WhyBody) -> WhyResponse:
    """Return the explanation of a row of `binding`, or of its absence.

    Raises `Faulty` if the row is not stored, or nothing has been read; `OverQuota`, `Busy`, `TooMuchWork`.
    """
    if body.result is not None:
        return _of_row(binding, body.result, body.most_rows)
    assert body.place is not None  # nosec B101 # the body contains one of them
    return _of_place(binding, body.place, body.most_rows)


def _of_row(binding: Binding, row_id: str, most: int | None) -> WhyResponse:
    folder = rows_folder(binding.pk)
    found = committed_row(folder, "results", row_id)
    if found is None:
        raise Faulty([fault(FaultCode.EMPTY_SAMPLE, NOT_KEPT, "Ask about another row.", field="result")])
    row = ResultRow.model_validate({name: value for name, value in found.items() if not name.startswith("_")})
    batch = int(row_id.partition("-")[0])
    by = next((each.by_label for each in _repairs_until(binding, batch) if each.batch == batch), None)
    made = made_in(commit_with(folder, batch), commit_before(folder, batch), batch, by)
    run = _run_of(binding, found["_run"])
    inputs = [] if made is None else made.inputs
    asked = _AskedTime(row.output, row.start, batch, repaired=by is not None)
    traced = _traced(binding, run, asked, lambda work: traced_row(work, row, inputs, most))
    return _to_response(traced, made, row, None if found["_run"] is None else UUID(found["_run"]))


def _of_place(binding: Binding, place: AskedResultPlace, most: int | None) -> WhyResponse:
    run = latest_run(binding)
    if run is None:
        raise Faulty([fault(FaultCode.EMPTY_SAMPLE, NOTHING_READ.format(name=binding.name), WAIT)])
    outputs = [node.id for node in run.read_spec().query.nodes if isinstance(node, OutputNode)]
    if place.output not in outputs:
        remedy = nearest(place.output, outputs, "Name an output of the query.")
        message = f"The query has no output {place.output!r}."
        raise Faulty([fault(FaultCode.UNKNOWN_NODE, message, remedy, field="place.output")])
    folder, at = rows_folder(binding.pk), instant(place.at)
    asked = _AskedTime(place.output, at, None)
    end = _end(_points(binding, run.read_spec()), asked)
    made = None if end is None else made_in(commit_with(folder, end.batch), None, end.batch)
    inputs = [] if made is None else made.inputs
    traced = _traced(binding, run, asked, lambda work: traced_place(work, place, inputs, most))
    if traced.refused:
        raise Faulty(traced.refused)
    return _to_response(traced, made, None, run.pk)


def _traced(binding: Binding, run: Run, asked: _AskedTime, trace: Callable[[ReadWork], WhyTraced]) -> WhyTraced:
    """Return what `trace` finds in the input of `run` up to that time, or why it is unreadable."""
    spec = run.read_spec()
    points = _points(binding, spec)
    end = _end(points, asked)
    if end is None:
        message = NOT_NOTED if points or asked.batch is None else OTHER_QUERY
        return WhyTraced(unread=[fault(FaultCode.EMPTY_SAMPLE, message, WAIT)])
    with rows_at_hand(binding.pk) as at_hand:
        until = [point for point in restart_points(binding) if point.batch <= end.batch]  # of every version
        work = _work(binding, spec, until, at_hand, asked)
        try:
            with previewing():
                return trace(work)
        except TooMuchWork as refused:
            message, _, remedy = refused.message.partition(". ")
            return WhyTraced(unread=[fault(FaultCode.EMPTY_SAMPLE, f"{message}. {KEPT_IS_CERTAIN}", remedy)])


def _points(binding: Binding, spec: RunSpec) -> list[RestartPoint]:
    """Return the restart points of the query of `spec`, newest first."""
    facts = facts_of(concealed_spec(spec))
    return [point for point in restart_points(binding) if facts.fits(point.shape)]


def _end(points: Sequence[RestartPoint], asked: _AskedTime) -> RestartPoint | None:
    """Return the first point at which the row was emitted; for a place, at which it must be, else the newest."""
    for point in reversed(points):
        if asked.batch is not None:
            if point.batch >= asked.batch:
                return point
        elif asked.output in point.outputs and (point.outputs[asked.output].until or asked.at) > asked.at:
            return point
    return points[0] if points and (asked.batch is None or asked.repaired) else None


def _work(
    binding: Binding, spec: RunSpec, points: list[RestartPoint], at_hand: RowsAtHand, asked: _AskedTime
) -> ReadWork:
    """Return the work of reading up to the newest of `points`, also from the start of the previous run."""
    begins = begins_of(binding, spec, facts_of(concealed_spec(spec)), points, beyond=True)
    runs = of_one_history(binding, spec.run, points, beyond=True)
    before = points[0].batch if asked.batch is None else asked.batch
    there = [
        begin
        for begin in begins
        if begin.batch < before
        and begin.batch + 1 >= at_hand.complete_from
        and begin.positions != points[0].positions  # nothing was read since then
    ]
    return ReadWork(
        graph=spec.query,
        inputs=spec.inputs,
        batch=points[0].batch,
        positions=points[0].positions,
        begins=_nearest_whole(there, asked),
        given_until={},
        folder=at_hand.folder,
        journals=journals_folder(spec),
        settled=settled_rows(_repairs_until(binding, asked.batch), runs),
        of_runs=frozenset(runs),
    )


def _repairs_until(binding: Binding, batch: int | None) -> list[Repair]:
    """Return the repairs that were emitted by the end of `batch`, or by now."""
    given = (each for each in repairs_of(binding.pk) if each.given_at is not None)
    return [each for each in given if batch is None or each.batch is None or each.batch <= batch]


def _nearest_whole(begins: Sequence[BeginChoice], asked: _AskedTime) -> Sequence[BeginChoice]:
    """Return the last point from which the time in question is complete, then those after it."""
    whole = 0
    for number, begin in enumerate(begins):
        since = begin.whole.get(asked.output, asked.at)
        if since is not None and since <= asked.at:
            whole = number
    return begins[whole:]


def _run_of(binding: Binding, run: str | None) -> Run:
    """Return the run that made a row; if it is unknown or was deleted, the newest."""
    found = None if run is None else listed_runs().filter(binding=binding, pk=run).first()
    found = found or latest_run(binding)
    if found is None:
        raise Faulty([fault(FaultCode.EMPTY_SAMPLE, NOTHING_READ.format(name=binding.name), WAIT)])
    return found


def made_in(commit: Commit | None, before: Commit | None, batch: int, by: str | None = None) -> MadeInBatch | None:
    """Return the stored facts about the batch that made a row, or about a repair by `by`; None without any."""
    after = _report(commit)
    if commit is None or after is None:
        return None
    was = _report(before)
    inputs = [
        InputMoved(
            input=name,
            before=None if was is None or name not in was.inputs else was.inputs[name].cti,
            after=counts.cti,
            ended=counts.ended,
        )
        for name, counts in after.inputs.items()
    ]
    span = span_of(commit)
    return MadeInBatch(batch=batch, first=span.first, last=commit.batch, at=after.at, inputs=inputs, repaired_by=by)


def _report(commit: Commit | None) -> ProgressReport | None:
    """Return the report of a batch; old batches have none."""
    try:
        return None if commit is None else ProgressReport.model_validate(commit.totals)
    except ValidationError:
        return None


def _to_response(traced: WhyTraced, made: MadeInBatch | None, row: ResultRow | None, run: UUID | None) -> WhyResponse:
    unread = " ".join(f"{each.message} {each.remedy}" for each in traced.unread)
    return WhyResponse(
        row=row,
        run=run,
        made=made,
        trace=traced.trace,
        place=traced.place,
        read_again=traced.read_again,
        unread=unread or None,
        notes=traced.notes,
    )
