"""Rows with an open outcome among those that wait in the state of a node (T12)."""

from collections.abc import Iterator

import numpy as np
import pyarrow.compute as pc

from streaming.engine.columns.flows import Flows, Mask
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.state.segments import Segments


def by_source(rows: Flows) -> Iterator[tuple[Mask, bool]]:
    """Yield the rows without a source, then those with one: their mask, and true for rows with a source."""
    watched = np.zeros(len(rows), np.bool_)
    if rows.source is not None:
        watched = pc.is_valid(rows.source).to_numpy(zero_copy_only=False)
    yield ~watched, False
    yield watched, True


def report_waiting(segments: Segments, report: OutcomeReport) -> None:
    """Report the sources that wait in `segments`; only those of watched rows are read."""
    for segment in segments:
        if segment.watched:
            report.waits(segments.read(segment)["@source"].combine_chunks())
