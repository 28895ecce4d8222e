"""stitch: joins lifetimes of equal payloads that meet into one (T41)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.definition.payload.types import is_ordered
from streaming.engine.columns.flows import CLOSE, ENDLESS, OPEN, WHOLE, Flows, concat_flows
from streaming.engine.columns.grouping import Codes, combine, encode, encode_integers
from streaming.engine.columns.ordering import ordered
from streaming.engine.operators.kernel import NodeOutput, PortInput, TurnContext
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.rows_by_key import RowsByKey
from streaming.planning.plan import StitchSpec
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.rows.arrow_types import arrow_schema

_META: Final = {"@start": pa.int64(), "@end": pa.int64(), "@flag": pa.int8(), "@id": pa.string(), "@stamp": pa.int64()}


@dataclass(frozen=True, slots=True)
class _ChainedPiece:
    """One row of the pool: a piece, or a chain up to its last certain piece."""

    row: int
    start: int
    end: int


class StitchKernel:
    """One stitch node: chains that the CTI closes leave as intervals.

    In the state, by payload: chains up to the last piece that starts before the CTI, and later pieces. An open edge is
    a piece without an end; its end is not before the CTI, so it decides no chain that is closed by then.
    """

    def __init__(self, spec: StitchSpec) -> None:
        self._spec = spec
        self._scalars = [name for name, of in spec.fields.items() if is_ordered(of)]
        self._schema = pa.schema({**_META, **{each.name: each.type for each in arrow_schema(spec.fields)}})

    def turn(self, ports: Sequence[PortInput], state: NodeState, turn: TurnContext) -> NodeOutput:
        """Take pieces and ends of edges, and release the chains that the CTI closes."""
        (port,) = ports
        before = int(state.head.get("out", NO_CTI))
        turn.report.took(port.flows.source)
        stored = RowsByKey(state, "pieces", self._scalars, self._schema)
        arrived = [port.flows.columns[name] for name in self._scalars]
        slots = np.concatenate([stored.slots_of(arrived, len(port.flows)), stored.due_slots(_before(port.cti))])
        pool = _ended(concat_flows([Flows.of_table(stored.read(slots)), self._bare(port.flows)]))
        closed, open_chains = self._chains(pool, port.cti)
        held = self._bare(_joined(pool, open_chains))
        stored.rewrite(slots, held.to_table().select(self._schema.names), held.end, held.start)
        out = max(before, min(port.cti, stored.least_mark())) if port.cti != INFINITY else INFINITY
        state.head["out"] = out
        return NodeOutput(_released(_joined(pool, closed)), (out,) if out > before else (), port.horizon)

    def _bare(self, flows: Flows) -> Flows:
        columns = {name: flows.columns[name] for name in self._spec.fields}
        return Flows(flows.start, flows.end, columns, flows.flags, flows.ids, stamp=flows.stamps)

    def _chains(self, pool: Flows, cti: int) -> tuple[list[list[int]], list[list[int]]]:
        """Return the rows of each chain that `cti` closes, and those of the others as far as they are certain."""
        closed, still = [], []
        for pieces in self._by_payload(pool):
            for chain in _chained(pieces):
                if cti == INFINITY or chain[-1].end < cti:
                    closed.append([piece.row for piece in chain])
                    continue
                known = [piece.row for piece in chain if piece.start < cti]
                still += [known] if known else []
                still += [[piece.row] for piece in chain if piece.start >= cti]
        return closed, still

    def _by_payload(self, pool: Flows) -> Iterable[list[_ChainedPiece]]:
        codes = combine([_codes(column) for column in pool.columns.values()], len(pool)).codes
        order = np.lexsort((pool.end, pool.start, codes))
        sorted_columns = (column[order].tolist() for column in (codes, pool.start, pool.end))
        for _, same in groupby(zip(order.tolist(), *sorted_columns, strict=True), key=lambda row: row[1]):
            yield [_ChainedPiece(row, start, end) for row, _, start, end in same]


def _codes(column: pa.Array) -> Codes:
    if not pa.types.is_nested(column.type):
        return encode(column)
    numbers = np.zeros(len(column), np.int64)
    there = column.is_valid().to_numpy(zero_copy_only=False)
    numbers[there] = ordered(column.drop_null()).numbers + 1
    return encode_integers(numbers)


def _before(cti: int) -> int:
    return cti if cti in (NO_CTI, INFINITY) else cti - 1


def _ended(pool: Flows) -> Flows:
    """Return the pieces of `pool` with the ends of edges applied; vanished edges are left out."""
    ends = pool.where(pool.flags == CLOSE)
    pieces = pool.where(pool.flags != CLOSE)
    if not len(ends):
        return pieces
    found = pc.index_in(pieces.ids, value_set=ends.ids)
    closing = pc.is_valid(found).to_numpy(zero_copy_only=False) & (pieces.flags == OPEN)
    at = pc.fill_null(found, 0).to_numpy().astype(np.int64)
    end = np.where(closing, ends.end[at], pieces.end)
    stamp = np.where(closing, np.maximum(pieces.stamps, ends.stamps[at]), pieces.stamps)
    flag = np.where(closing, np.int8(WHOLE), pieces.flags)
    ids = pc.if_else(pa.array(closing), pa.scalar(None, pa.string()), pieces.ids)
    whole = replace(pieces, end=end, stamp=stamp, flag=flag, id=ids)
    return whole.where(end > pieces.start)


def _chained(pieces: Sequence[_ChainedPiece]) -> list[list[_ChainedPiece]]:
    """Join the pieces of one payload, which are in order of start and end (T41)."""
    found: list[list[_ChainedPiece]] = []
    by_end: dict[int, list[list[_ChainedPiece]]] = {}
    for at, same in groupby(pieces, key=lambda piece: piece.start):
        waiting = sorted(by_end.pop(at, ()), key=lambda chain: chain[0].start, reverse=True)
        for piece in same:
            if waiting:
                chain = waiting.pop()
                chain.append(piece)
            else:
                chain = [piece]
                found.append(chain)
            by_end.setdefault(piece.end, []).append(chain)
    return found


def _joined(pool: Flows, chains: Sequence[Sequence[int]]) -> Flows:
    """Return each chain of rows of `pool` as one row, from the start of its first piece to the end of its last."""
    first = np.array([chain[0] for chain in chains], np.int64)
    last = pool.take(np.array([chain[-1] for chain in chains], np.int64))
    stamp = np.array([pool.stamps[list(chain)].max() for chain in chains], np.int64)
    return replace(last, start=pool.start[first], stamp=stamp, columns=pool.take(first).columns)


def _released(chains: Flows) -> Flows:
    """Return chains as intervals; an edge that is open at infinity gives one no end (T4)."""
    flags = np.where(chains.flags == OPEN, np.int8(ENDLESS), chains.flags)
    ids = pc.if_else(pa.array(flags == ENDLESS), chains.ids, pa.scalar(None, pa.string()))
    return replace(chains, flag=flags if (flags != WHOLE).any() else None, id=ids)
