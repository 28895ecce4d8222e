"""Restart points of a binding in the folder of its organisation: written with manifests, read by the planner."""

from typing import Final

from streaming.adapters.registry import adapter_kind
from streaming.resume.lane_positions import LanesKept, LaneState
from streaming.resume.restart_points import InputState, OutputState, RestartPoint, points_path
from streaming.spark.query.binding import RunnableBinding
from streaming.spark.query.totals import BindingTotals, LaneReport
from streaming.storage.blobs import BlobFolder
from streaming.temporal.ticks import INFINITY
from streaming.temporal.windows import HoppingWindows

POINT_EVERY_TICKS: Final = 10_000_000
"""The approximate interval of restart points while a run reads."""


def point_of(binding: RunnableBinding, totals: BindingTotals, batch: int, *, flushed: bool = False) -> RestartPoint:
    """Return the restart point of a generation with these totals."""
    facts, spec = binding.facts, binding.added.spec
    every, inputs = lane_progress(totals, binding.first_lanes), {}
    for name in facts.sources:
        thins = adapter_kind(spec.inputs[name].adapter.kind).thins
        inputs[name] = InputState(
            source=facts.sources[name], clock=facts.clocks[name], lanes=every.get(name, {}), thins=thins
        )
    outputs = {}
    for name, release in facts.releases.items():
        cti = totals.ctis.get(name)
        outputs[name] = OutputState(
            cti=cti,
            until=None if cti is None else min(release.given_until(cti), INFINITY),
            sameness=release.sameness,
            forgets=release.forgets,
            hop=release.windows.hop if isinstance(release.windows, HoppingWindows) else None,
        )
    return RestartPoint(batch=batch, run=spec.run, shape=facts.shape, flushed=flushed, inputs=inputs, outputs=outputs)


def lane_progress(totals: BindingTotals, first: LanesKept) -> dict[str, dict[str, LaneState]]:
    """Return the progress of lanes with the first states `first`; other lanes started at their first row."""
    return {
        name: {lane: _lane_kept(report, first.get(name, {}).get(lane)) for lane, report in lanes.items()}
        for name, lanes in totals.inputs.items()
    }


def _lane_kept(report: LaneReport, first: LaneState | None) -> LaneState:
    before = 0 if first is None else first.rows
    rows = None if before is None else before + report.received
    return LaneState(at=report.at, reach=report.reach, clock=report.clock, rows=rows)


def keep_point(shared: BlobFolder, binding: str, point: RestartPoint) -> None:
    """Store `point`; of the older ones about two remain for each power of two of batches. Raises `OSError`."""
    folder = points_path(binding)
    shared.write(f"{folder}/{point.batch}.json", point.model_dump_json().encode())
    ages: dict[int, list[int]] = {}
    for number in shared.numbers(folder):
        ages.setdefault((point.batch - number).bit_length(), []).append(number)
    for numbers in ages.values():
        for number in numbers[1:-1]:
            shared.remove(f"{folder}/{number}.json")


def read_points(shared: BlobFolder, binding: str) -> list[RestartPoint]:
    """Read the stored points of a binding, newest first. Raises `OSError`."""
    folder = points_path(binding)
    contents = (shared.read(f"{folder}/{number}.json") for number in shared.numbers(folder))
    found = [RestartPoint.model_validate_json(content) for content in contents if content is not None]
    return sorted(found, key=lambda point: point.batch, reverse=True)


def forget_points(shared: BlobFolder, binding: str) -> None:
    """Delete all points, because positions have another meaning from now on. Raises `OSError`."""
    folder = points_path(binding)
    for number in shared.numbers(folder):
        shared.remove(f"{folder}/{number}.json")
