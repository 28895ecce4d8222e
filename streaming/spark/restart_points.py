"""Restart points of a binding in the folder of its organisation: written with manifests, read by the planner."""

from typing import Final

from streaming.adapters.registry import adapter_kind
from streaming.spark.binding import RunnableBinding
from streaming.spark.totals import BindingTotals, LaneReport
from streaming.temporal.ticks import INFINITY
from streaming.wire.kept import InputKept, OutputKept, RestartPoint, points_path
from streaming.wire.lanes_kept import LaneKept, LanesKept
from streaming.wire.storage import BlobFolder

POINT_EVERY_TICKS: Final = 10_000_000
"""A restart point is kept about so often while a run reads."""


def point_of(binding: RunnableBinding, totals: BindingTotals, batch: int, *, flushed: bool = False) -> RestartPoint:
    """What a generation with these totals keeps."""
    facts, spec = binding.facts, binding.added.spec
    every, inputs = lanes_kept(totals, binding.first_lanes), {}
    for name in facts.sources:
        thins = adapter_kind(spec.inputs[name].adapter.kind).thins
        inputs[name] = InputKept(
            source=facts.sources[name], clock=facts.clocks[name], lanes=every.get(name, {}), thins=thins
        )
    outputs = {}
    for name, release in facts.releases.items():
        cti = totals.ctis.get(name)
        outputs[name] = OutputKept(
            cti=cti,
            until=None if cti is None else min(release.given_until(cti), INFINITY),
            sameness=release.sameness,
            forgets=release.forgets,
            hop=None if release.windows is None else release.windows.hop,
        )
    return RestartPoint(batch=batch, run=spec.run, shape=facts.shape, flushed=flushed, inputs=inputs, outputs=outputs)


def lanes_kept(totals: BindingTotals, first: LanesKept) -> dict[str, dict[str, LaneKept]]:
    """How far lanes have come that began as `first` says; one that is not there began at its beginning."""
    return {
        name: {lane: _lane_kept(said, first.get(name, {}).get(lane)) for lane, said in lanes.items()}
        for name, lanes in totals.inputs.items()
    }


def _lane_kept(said: LaneReport, first: LaneKept | None) -> LaneKept:
    before = 0 if first is None else first.rows
    rows = None if before is None else before + said.received
    return LaneKept(at=said.at, reach=said.reach, clock=said.clock, rows=rows)


def keep_point(shared: BlobFolder, binding: str, point: RestartPoint) -> None:
    """Store `point`; of the older ones about two stay for each power of two of batches. Raises `OSError`."""
    folder = points_path(binding)
    shared.write(f"{folder}/{point.batch}.json", point.model_dump_json().encode())
    ages: dict[int, list[int]] = {}
    for number in shared.numbers(folder):
        ages.setdefault((point.batch - number).bit_length(), []).append(number)
    for numbers in ages.values():
        for number in numbers[1:-1]:
            shared.remove(f"{folder}/{number}.json")


def read_points(shared: BlobFolder, binding: str) -> list[RestartPoint]:
    """The points that are kept of a binding, newest first. Raises `OSError`."""
    folder = points_path(binding)
    contents = (shared.read(f"{folder}/{number}.json") for number in shared.numbers(folder))
    found = [RestartPoint.model_validate_json(content) for content in contents if content is not None]
    return sorted(found, key=lambda point: point.batch, reverse=True)


def forget_points(shared: BlobFolder, binding: str) -> None:
    """Forget all of them: positions mean something else from now on. Raises `OSError`."""
    folder = points_path(binding)
    for number in shared.numbers(folder):
        shared.remove(f"{folder}/{number}.json")
