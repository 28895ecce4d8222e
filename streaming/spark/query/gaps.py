"""Gaps between a carrier's checkpoint and the results of its bindings, as in a copy that was made of a live folder.

A checkpoint that is older than the results would write other rows under the same batch numbers. One that is newer
never writes the missing rows. Both are reported before a query starts. A folder that is where its last runner left it
has no such gap, so most of the work is only done for a copy.
"""

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from streaming.definition.counts import counted
from streaming.spark.errors import GapInResults
from streaming.spark.query.damage import naming, newest_offset
from streaming.spark.query.layout import CarrierFolder, is_examined, mark_examined
from streaming.spark.query.manifests import newest_manifest, read_manifest
from streaming.spark.query.offset import Offset
from streaming.storage.blobs import BlobFolder, LocalFolder
from streaming.storage.results import CommitSpan, committed_spans, read_span

log = logging.getLogger(__name__)

AHEAD: Final = "the results have batches up to {newest:,}, and the checkpoint ends at batch {last:,}"
MISSING: Final = "the results lack {count}, from batch {first:,} to batch {last:,}"
NO_PART: Final = "the file {path} of batch {batch:,} is missing or truncated"


def require_results(carrier: CarrierFolder, place: Path) -> None:
    """Check that the results of all bindings fit the checkpoint in the carrier's folder `place`. Raises `GapInResults`.

    Folders of release 0.1.0 have no mark: their gaps are only logged, because rows may have been deleted on purpose.
    """
    content = newest_offset(place / "spark")
    if content is None:
        return
    with naming(carrier.folder, "spark/offsets"):
        offset = Offset.of_json(content)
    examined = is_examined(place)
    for name, folder in _carried(carrier, offset):
        if examined and not isinstance(folder, LocalFolder):
            continue
        newest = max((span.last for span in committed_spans(folder)), default=0)
        if newest > offset.n:
            raise GapInResults(place.name, name, AHEAD.format(newest=newest, last=offset.n))
    if examined:
        return
    for gap in _gaps(carrier, offset, place.name):
        if examined is not None:
            raise gap
        log.error("%s", gap)
    mark_examined(place)


def _carried(carrier: CarrierFolder, offset: Offset) -> Iterator[tuple[str, BlobFolder]]:
    """Yield each carried binding with its results, without shadow runs: their results are those of another run."""
    for name, item in offset.carried.items():
        try:
            spec = carrier.control.added(item.entry).spec
        except (LookupError, ValueError):
            continue  # the next batch fails the binding for that
        if not spec.beside:
            yield name, carrier.results_of(item.entry)


def _gaps(carrier: CarrierFolder, offset: Offset, place: str) -> Iterator[GapInResults]:
    """Yield the gaps in the results of the bindings with state here."""
    carried = dict(_carried(carrier, offset))
    for name, (results, batches) in _reported(carrier).items():
        folder = carrier.results_called(results)
        spans = committed_spans(folder)
        if not spans and name not in carried:
            continue  # the binding was deleted
        missing = sorted(batch for batch in batches if not any(span.first <= batch <= span.last for span in spans))
        if missing:
            what = MISSING.format(count=counted(len(missing), "batch", "batches"), first=missing[0], last=missing[-1])
            yield GapInResults(place, name, what)
        for what in _missing_parts(folder, spans):
            yield GapInResults(place, name, what)


def _reported(carrier: CarrierFolder) -> Mapping[str, tuple[str, set[int]]]:
    """Return, by binding, the name of its results and the batches of its last runs in the stored manifests."""
    newest = newest_manifest(carrier.folder)
    totals = {} if newest is None else {each.run: each for each in newest.bindings.values() if each.folder}
    found: dict[str, tuple[str, set[int]]] = {each.binding: (each.folder, set()) for each in totals.values()}
    for number in carrier.folder.numbers("commits"):
        manifest = read_manifest(carrier.folder, number)
        for report in () if manifest is None else manifest.reports:
            if report.run in totals:
                found[totals[report.run].binding][1].add(report.batch)
    return found


def _missing_parts(folder: BlobFolder, spans: list[CommitSpan]) -> Iterator[str]:
    for span in spans:
        commit = read_span(folder, span)
        for part in () if commit is None else commit.parts:
            if (part.rows and folder.size(part.path) == 0) or folder.size(part.path) < (part.bytes or 0):
                yield NO_PART.format(path=part.path, batch=span.last)
