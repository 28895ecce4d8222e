"""Messages of a bucket of the first stage to the second: envelopes in the form of the feed's."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.flows import GONE, OLD, WHOLE, Flows
from streaming.engine.columns.ipc import to_chunk
from streaming.engine.columns.steps import follow_flows, step_times
from streaming.engine.exchange.buckets import bucket_of
from streaming.engine.exchange.cti_chunk import ctis_to_chunk
from streaming.engine.exchange.envelopes import Envelope, EnvelopeKind
from streaming.engine.operators.kernel import NodeOutput
from streaming.planning.plan import Branch, CutPlan, SecondStage
from streaming.temporal.ticks import NO_CTI
from streaming.wire.execution.failures import FailureTally
from streaming.wire.rows.arrived import Int64s


def sent_on(
    second: SecondStage,
    bucket: int,
    freed: Mapping[str, NodeOutput],
    reached: Mapping[str, int],
    failures: FailureTally | None = None,
) -> list[Envelope]:
    """Return the envelopes of `bucket`: the output of each cut node or branch in one turn, by its id.

    A horizon, as `freed` has it, is the largest so far; `reached` holds the CTIs after the turn. Rows go by their keys,
    CTIs and horizons to every bucket. A node without output need not be in `freed`, and then sends nothing.
    """
    found: list[Envelope] = []
    for source, cut in second.inputs.items():
        if source not in freed:
            continue
        chunks: list[tuple[int, EnvelopeKind, bytes]] = []
        for branch in cut.branches:
            rows = _parted(follow_flows(freed[source].flows, branch.steps, failures), branch, bucket, second.buckets)
            chunks.extend((number, "events", to_chunk(part, {"branch": branch.id})) for number, part in rows)
        ctis = _cti_chunk(cut, freed[source])
        chunks.extend((number, "ctis", ctis) for number in range(second.buckets))
        cti = reached.get(source, NO_CTI)
        found.extend(
            Envelope(number, source, str(bucket), seq, cti, kind, chunk)
            for seq, (number, kind, chunk) in enumerate(chunks)
        )
    return found


def _parted(rows: Flows, branch: Branch, bucket: int, buckets: int) -> Iterator[tuple[int, pa.Table]]:
    """Yield the rows of a wire after its steps, by their target bucket, with ids that are unique over all buckets."""
    if not len(rows):
        return
    ids = None if rows.id is None else pc.binary_join_element_wise(str(bucket), rows.id, "|")
    rows = replace(rows, id=ids, source=None)
    if buckets == 1 or not branch.keys:
        yield 0, rows.to_table()
        return
    places = bucket_of([rows.columns[key] for key in branch.keys], len(rows), buckets)
    rows = _with_retractions(rows, places)
    for number in range(buckets):
        mine = np.flatnonzero(places == number)
        if len(mine):
            yield number, rows.take(mine).to_table()


def _with_retractions(rows: Flows, places: Int64s) -> Flows:
    """Return `rows`; an OLD row becomes GONE if its replacement goes to another bucket."""
    if rows.flag is None or rows.id is None:
        return rows
    old, fresh = np.flatnonzero(rows.flag == OLD), np.flatnonzero(rows.flag == WHOLE)
    if not len(old):
        return rows
    at = pc.index_in(rows.id.take(pa.array(old)), value_set=rows.id.take(pa.array(fresh)))
    to = np.concatenate([places[fresh], [-1]])[pc.fill_null(at, len(fresh)).to_numpy()]
    flag = rows.flag.copy()
    flag[old[places[old] != to]] = GONE
    return replace(rows, flag=flag)


def _cti_chunk(cut: CutPlan, freed: NodeOutput) -> bytes:
    ctis = [np.unique(step_times(branch.steps, np.array(freed.ctis, np.int64))) for branch in cut.branches]
    return ctis_to_chunk(ctis, freed.horizon)
