"""What a start, or a version beside a run, would read again, and whether its inputs have said that it is gone."""

from streaming.wire.kept import concealed_spec, facts_of, plan_beginning
from streaming.wire.messages import RunSpec
from webapp.runs.inputs.input_journals import journal_here, journals_folder
from webapp.runs.models import Binding
from webapp.runs.starts.asked_inputs import told_inputs
from webapp.runs.starts.carrying import kept_run
from webapp.runs.starts.discarding import state_is_dropped
from webapp.runs.starts.held_inputs import RowsAgainAsked
from webapp.runs.starts.next_start import restart_points


def rows_again(binding: Binding, spec: RunSpec) -> dict[str, RowsAgainAsked]:
    """Return by input what a run of `spec` would read again that reads again what was open; those of which nothing."""
    points, facts = [] if state_is_dropped(binding) else restart_points(binding), facts_of(concealed_spec(spec))
    if not points or (facts.fits(points[0].shape) and not points[0].flushed):
        return {}  # all goes on
    planned = plan_beginning(points, facts, "oldest_open", None)
    if planned.said.how != "oldest_open" or planned.again is None:
        return {}
    begun = {} if planned.point is None else planned.point.positions
    before = kept_run(binding, points)
    folder = None if before is None else journals_folder(before.spec)
    found = {}
    for name, lanes in planned.again.items():
        spans = [(lane, begun.get(name, {}).get(lane, 0), end) for lane, end in lanes.items()]
        if name in spec.inputs and any(start < end for _, start, end in spans):
            found[name] = RowsAgainAsked(spans, None if folder is None else journal_here(folder, name))
    return found


def gone_inputs(spec: RunSpec) -> list[str]:
    """Return the inputs that have said lately that they no longer have what a run of `spec` would read again."""
    told = told_inputs(spec)
    return [name for name in sorted(told) if (again := told[name].held.again) and again.standing == "gone"]
