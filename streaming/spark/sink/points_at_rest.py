"""Restart points of idle bindings, which record the rows of their last batches although no further batch comes.

A batch writes a point only every `POINT_EVERY_TICKS`. During a pause, the rows of the last batches before it would
otherwise be after every point, and no repair could retract their results.
"""

import logging
from collections.abc import Mapping

from streaming.planning.plan import NotRunnable
from streaming.spark.query.binding import binding_of
from streaming.spark.query.layout import CarrierFolder
from streaming.spark.query.manifests import newest_manifest
from streaming.spark.query.restart_points import keep_point, point_of
from streaming.spark.query.totals import BindingTotals

log = logging.getLogger(__name__)

Pointed = Mapping[str, int]
"""By generation, the tick of the batch after which its last point was written here."""


def keep_points_at_rest(carrier: CarrierFolder, pointed: Pointed) -> Pointed:
    """Write a point for each binding that has read rows since its last one; `pointed` is the previous return value.

    Returns the updated mapping. Raises `OSError`.
    """
    manifest = newest_manifest(carrier.folder)
    kept: dict[str, int] = {}
    for key, totals in {} if manifest is None else manifest.bindings.items():
        tick = _tick_to_keep(totals)
        if tick is None or manifest is None:
            continue
        try:
            if pointed.get(key) == tick or _write_point(carrier, totals, manifest.batch):
                kept[key] = tick
        except Exception:  # a binding's fault ends here: it has an older point, the others the newest
            log.exception("Could not write a restart point for %s after batch %s.", totals.binding, manifest.batch)
    return kept


def _tick_to_keep(totals: BindingTotals) -> int | None:
    """Return the tick of the binding's last batch; None if no point is needed, or another batch has written it.

    If inputs have ended, that batch has already written the point, with the windows that were open before it.
    """
    lanes = [lane for each in totals.inputs.values() for lane in each.values()]
    tick = max((lane.tick for lane in lanes), default=0)
    done = totals.cleared or totals.reads_again or any(lane.ended for lane in lanes)
    return None if done or tick <= totals.pointed else tick


def _write_point(carrier: CarrierFolder, totals: BindingTotals, batch: int) -> bool:
    entry = carrier.control.newest_entries().get(totals.binding)
    if entry is None:
        return False
    try:
        binding = binding_of(carrier, entry)
    except (NotRunnable, LookupError):
        return False  # no longer carried here, or failed because it can't be planned
    spec = binding.added.spec
    if spec.beside or spec.run != totals.run:
        return False
    keep_point(carrier.shared_of(spec.organisation), spec.binding, point_of(binding, totals, batch))
    return True
