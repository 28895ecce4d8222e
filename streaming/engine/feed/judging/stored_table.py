"""The versions of a reference table between batches, and their edges as a chunk of rows (T48).

A batch reads and writes only what it needs: the versions of the keys that it changes, and those that are still to come
only if a row arrives or one of them is due.
"""

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import blake2b
from typing import Any, Final

import numpy as np
import pyarrow as pa

from streaming.definition.payload.types import Fields
from streaming.engine.columns.flows import CLOSE, OPEN
from streaming.engine.feed.judging.clock import NO_REASON, NONE, Judgement, RowwiseDetails
from streaming.engine.state.container import Blob
from streaming.engine.state.texts_by_key import TextsByKey, many, texted
from streaming.temporal.events import Payload
from streaming.temporal.tables import Key, Snapshot, TableRules, Version
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.temporal.versions import (
    FRESH,
    Candidate,
    HeldVersion,
    SnapshotMark,
    VersionEdge,
    VersionsState,
    VersionTable,
)
from streaming.wire.rows.arrived import Arrived, Int64s, RowKind, no_raw
from streaming.wire.rows.arrow_types import arrow_schema
from streaming.wire.rows.payload_json import payload_from_json, payload_to_json

VERSIONS: Final = "versions"
"""The lane name in the ids of the edges of a table."""


@dataclass(frozen=True)
class _Texts:
    """Keys, payloads and rows of a table as JSON values, and back."""

    rules: TableRules
    fields: Fields

    def of_key(self, key: Key) -> list[Any]:
        values = payload_to_json(dict(zip(self.rules.keys, key, strict=True)), self._key_fields)
        return list(values.values())

    def key(self, values: Iterable[Any]) -> Key:
        return tuple(payload_from_json(dict(zip(self.rules.keys, values, strict=True)), self._key_fields).values())

    def of_payload(self, payload: Payload | None) -> dict[str, Any] | None:
        return None if payload is None else payload_to_json(payload, self.fields)

    def payload(self, values: Mapping[str, Any] | None) -> Payload | None:
        return None if values is None else payload_from_json(values, self.fields)

    def of_order(self, order: Any) -> Any:
        name = self.rules.version
        return None if name is None else payload_to_json({name: order}, {name: self.fields[name]})[name]

    def order(self, value: Any) -> Any:
        name = self.rules.version
        return None if name is None else payload_from_json({name: value}, {name: self.fields[name]})[name]

    @property
    def _key_fields(self) -> Fields:
        return {name: self.fields[name] for name in self.rules.keys}


class HeldTexts(MutableMapping[Key, HeldVersion]):
    """The version of each key at the CTI, each read when it is needed."""

    def __init__(self, texts: _Texts, entries: TextsByKey) -> None:
        self.entries = entries
        self._texts = texts

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Key]:
        return (self._texts.key(_unscaled(key)) for key, _, _ in self.entries.items())

    def __getitem__(self, key: Key) -> HeldVersion:
        text = self.entries.get(self._named(key))
        if text is None:
            raise KeyError(key)
        original, start, number, payload = json.loads(text)
        return HeldVersion(original, self._texts.payload(payload), start, number)

    def __setitem__(self, key: Key, held: HeldVersion) -> None:
        values = [held.original, held.start, held.number, self._texts.of_payload(held.payload)]
        self.entries.put(self._named(key), texted(values))

    def __delitem__(self, key: Key) -> None:
        self.entries.put(self._named(key), None)

    def _named(self, key: Key) -> str:
        """Return a text that is equal for equal keys."""
        return texted(self._texts.of_key(tuple(map(_canonical, key))))


def _canonical(value: Hashable) -> Hashable:
    """Return one form of equal values: 1.0 and 1.00, 0.0 and -0.0."""
    if isinstance(value, Decimal):
        return value.normalize() if value else Decimal(0)
    return value + 0.0 if isinstance(value, float) else value


def _unscaled(key: str) -> list[Any]:
    values: list[Any] = json.loads(key)
    return values


class StoredTable:
    """The versions of a table over one batch, from what `to_json` returned for the previous one; None: a new table.

    `watched` is the input node whose received rows are watched, None if none is; only their names are stored.
    """

    def __init__(
        self,
        rules: TableRules,
        fields: Fields,
        stored: Mapping[str, Any] | None,
        blobs: Mapping[str, Blob],
        watched: str | None = None,
    ) -> None:
        self.rules = rules
        self._fields = fields
        self._texts = _Texts(rules, fields)
        self._stored = stored
        self._blobs = blobs
        self._cti: Tick = NO_CTI if stored is None else stored["cti"]
        self._table: VersionTable | None = None
        self._edges: list[VersionEdge] = []
        self._watched = watched
        self._sources: set[str] = set()

    @property
    def table(self) -> VersionTable:
        """Return the versions; from then on they are written again at the end of the batch."""
        if self._table is None:
            self._table = self._read()
        return self._table

    def is_full(self, row: Version | Snapshot) -> bool:
        """See `Versions`."""
        return self.table.is_full(row)

    def is_stale(self, lane: str, snapshot: Snapshot) -> bool:
        """See `Versions`."""
        return self.table.is_stale(lane, snapshot)

    def is_superseded(self, version: Version, cti: Tick) -> bool:
        """See `Versions`."""
        return self.table.is_superseded(version, cti)

    def put(self, lane: str, row: Version | Snapshot, effective: Tick, since: Tick, source: Hashable = None) -> None:
        """See `Versions`."""
        named = None if self._watched is None else f"{self._watched}/{lane}/{source}"
        self.table.put(lane, row, effective, since, named)
        if named is not None:
            self._sources.add(named)

    def reach(self, cti: Tick) -> Tick:
        """Process the CTI `cti` of the input, and return it."""
        if cti > self._cti:
            due = None if self._table is not None or self._stored is None else self._stored["due"]
            if self._table is not None or (due is not None and due < cti):
                self._edges += self.table.settle(cti)
            self._cti = cti
        return cti

    def settle(self, ctis: Sequence[int]) -> tuple[list[VersionEdge], Int64s]:
        """Return the edges of all changes before the last of `ctis`, and the row after which each CTI follows.

        That row is -1 for a CTI before the first row.
        """
        for cti in ctis:
            self.reach(Tick(cti))
        edges, self._edges = self._edges, []
        times = np.fromiter((edge.time for edge in edges), np.int64, len(edges))
        return edges, np.searchsorted(times, np.array(ctis, np.int64)) - 1

    def settled_sources(self) -> list[str]:
        """Return the watched rows whose last version has left in this batch, or never will."""
        if self._table is None or not self._sources:
            return []
        return sorted(self._sources - self._table.sources())

    def to_json(self, blobs: dict[str, Blob]) -> dict[str, Any]:
        """Return the state as JSON values; larger parts go into `blobs`."""
        if self._table is None:
            stored = {} if self._stored is None else dict(self._stored)
            for name in (*stored.get("held", {}).get("pieces", ()), *([stored["body"]] if stored.get("body") else ())):
                blobs[name] = self._blobs[name]
            return {**stored, "cti": self._cti, "due": stored.get("due")}
        state = self._table.state()
        times = [*state.pending, *state.marks]
        held = self._table.held
        if not isinstance(held, HeldTexts):
            raise TypeError("the versions of a stored table are texts")
        head = {"cti": state.cti, "number": state.number, "snapshot": state.snapshot, "first": state.first}
        return {
            **head,
            "lanes": dict(sorted(state.lanes.items())),
            "due": min(times, default=None),
            "body": self._write_body(state, blobs) if times else None,
            "held": self._write_held(held.entries, blobs),
        }

    def _write_held(self, entries: TextsByKey, blobs: dict[str, Blob]) -> dict[str, Any]:
        if many(len(entries)):
            return entries.write(blobs)
        return {"few": sorted([key, value] for key, value, _ in entries.items())}

    def _write_body(self, state: VersionsState, blobs: dict[str, Blob]) -> str:
        pending = [
            [
                at,
                self._texts.of_key(key),
                each.original,
                each.whole,
                self._texts.of_order(each.order),
                self._texts.of_payload(each.payload),
                *_named(each.source),
            ]
            for at in sorted(state.pending)
            for key, each in state.pending[at].items()
        ]
        marks = [
            [at, mark.original, sorted(texted(self._texts.of_key(key)) for key in mark.keys), *_named(mark.source)]
            for at, mark in sorted(state.marks.items())
        ]
        body = texted({"pending": pending, "marks": marks}).encode()
        name = blake2b(body, digest_size=16).hexdigest()
        blobs[name] = body
        return name

    def _read(self) -> VersionTable:
        stored = self._stored
        if stored is None or "number" not in stored:
            table = VersionTable(self.rules, FRESH, HeldTexts(self._texts, TextsByKey()))
            table.reach(self._cti)
            return table
        body: dict[str, Any] = {"pending": [], "marks": []}
        if stored["body"] is not None:
            body = json.loads(bytes(self._blobs[stored["body"]]))
        pending: dict[Tick, dict[Key, Candidate]] = {}
        for at, key, original, whole, order, payload, *source in body["pending"]:
            candidate = Candidate(original, whole, self._texts.order(order), self._texts.payload(payload), *source)
            pending.setdefault(at, {})[self._texts.key(key)] = candidate
        marks = {
            at: SnapshotMark(original, frozenset(self._texts.key(json.loads(key)) for key in keys), *source)
            for at, original, keys, *source in body["marks"]
        }
        state = VersionsState(
            self._cti, stored["number"], stored["snapshot"], stored["first"], stored["lanes"], pending, marks
        )
        table = VersionTable(self.rules, state, HeldTexts(self._texts, self._read_held(stored["held"])))
        self._sources |= table.sources()
        return table

    def _read_held(self, held: Mapping[str, Any]) -> TextsByKey:
        if "few" not in held:
            return TextsByKey(held, self._blobs)
        entries = TextsByKey()
        for key, value in held["few"]:
            entries.put(key, value)
        return entries


def _named(source: str | None) -> list[str]:
    """Return the end of an entry: the name of a watched row, nothing for another row."""
    return [] if source is None else [source]


def edges_as_rows(edges: Sequence[VersionEdge], fields: Fields) -> tuple[Arrived, Judgement]:
    """Return the edges of a table as an enqueued chunk."""
    rows = len(edges)
    start = np.fromiter((edge.start for edge in edges), np.int64, rows)
    end = np.fromiter((INFINITY if edge.end is None else edge.end for edge in edges), np.int64, rows)
    flag = np.fromiter((OPEN if edge.end is None else CLOSE for edge in edges), np.int8, rows)
    kind = np.where(flag == OPEN, np.int8(RowKind.EDGE_START), np.int8(RowKind.EDGE_END))
    schema = arrow_schema(fields)
    columns = [pa.array([edge.payload.get(each.name) for edge in edges], each.type) for each in schema]
    payload = pa.RecordBatch.from_arrays(columns, schema=schema)
    judged = Judgement(
        outcome=np.zeros(rows, np.int8),
        cti_met=np.full(rows, NO_CTI),
        start=start,
        end=end,
        kept=None,
        violated=NONE,
        lateness=NONE,
        behind=NONE,
        after_end=NONE,
        step_row=NONE,
        step_cti=NONE,
        horizon=NO_CTI,
        rowwise=RowwiseDetails(
            flag,
            np.fromiter((edge.number for edge in edges), np.int64, rows),
            np.full(rows, NO_REASON, np.int8),
            np.zeros(rows, np.int64),
        ),
    )
    return Arrived(kind, start, end, np.zeros(rows, np.int64), payload, {}, no_raw), judged
