"""A binding whose run another version could take over from, and one from whose it is about to."""

from streaming.wire.progress import ProgressReport
from tests.webapp.conftest import graph
from tests.webapp.samples.repaired import left_to_repair
from tests.webapp.stage import Asked, Stage
from webapp.core.context import organisation_context
from webapp.runs.models import Run


def changeable(stage: Stage) -> Asked:
    """A binding of its own, whose run runs, and another version of its query."""
    made = stage.made("bindings/", {"name": "changed", "query_version": stage.binding["query_version"]})["id"]
    left_to_repair(stage.alice, made)
    report = ProgressReport(
        kind="progress", run=made, batch=0, at=0, inputs={}, output_ctis={}, results=1, quarantined=1,
        recent_results=[], recent_late=[], batch_s=0.1,
    )  # fmt: skip
    with organisation_context(stage.alice.organisation.pk):
        Run.objects.filter(binding=made).update(observed="running", progress=report.model_dump(mode="json"))
    version = stage.made(f"queries/{stage.binding['query']}/versions/", {"graph": graph(where="speed > 7")})
    return f"bindings/{made}/version-change/", {"query_version": version["id"]}


def changing(stage: Stage) -> Asked:
    path, body = changeable(stage)
    stage.made(path, body)
    return path, None
