"""The rows that a start, or a version next to a run, would read again."""

from streaming.resume.restart_points import concealed_spec, facts_of, plan_beginning
from streaming.wire.messages import RunSpec
from webapp.runs.inputs.input_journals import journal_here, journals_folder
from webapp.runs.models import Binding
from webapp.runs.starts.carrying import kept_run
from webapp.runs.starts.discarding import state_is_dropped
from webapp.runs.starts.held_inputs import RowsAgainQuery
from webapp.runs.starts.next_start import restart_points


def rows_again(binding: Binding, spec: RunSpec) -> dict[str, RowsAgainQuery]:
    """Return, by input, the rows that a run of `spec` which restores open windows would read again; often none."""
    points, facts = [] if state_is_dropped(binding) else restart_points(binding), facts_of(concealed_spec(spec))
    if not points or (facts.fits(points[0].shape) and not points[0].flushed):
        return {}  # it resumes with all state
    planned = plan_beginning(points, facts, "oldest_open", None)
    if planned.beginning.how != "oldest_open" or planned.again is None:
        return {}
    positions = {} if planned.point is None else planned.point.positions
    before = kept_run(binding, points)
    folder = None if before is None else journals_folder(before.spec)
    found = {}
    for name, lanes in planned.again.items():
        spans = [(lane, positions.get(name, {}).get(lane, 0), end) for lane, end in lanes.items()]
        if name in spec.inputs and any(start < end for _, start, end in spans):
            found[name] = RowsAgainQuery(spans, None if folder is None else journal_here(folder, name))
    return found
