"""The envelopes of a batch, sorted: the content for each branch, and the CTIs of its lanes."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import pyarrow as pa

from streaming.engine.columns.ipc import from_bytes, has_metadata, metadata_of
from streaming.engine.exchange.cti_chunk import ctis_of_chunk
from streaming.engine.exchange.envelopes import TRAILING, Envelope
from streaming.planning.plan import PlannedStage
from streaming.temporal.ticks import NO_CTI
from streaming.wire.rows.arrived import Int64s


@dataclass
class Inbox:
    """The content of one batch for a bucket.

    `tables` (flows) and `partials` are by branch, `ctis` and `lanes` by input: the steps of each lane as each branch
    sees them. `horizons` is by input, `watched` has WATCHED_SCHEMA, `reports` REPORT_SCHEMA. `trailing` has the
    `tables` and `partials` that come after all CTIs.
    """

    tables: dict[str, list[pa.Table]] = field(default_factory=lambda: defaultdict(list))
    partials: dict[str, list[pa.Table]] = field(default_factory=lambda: defaultdict(list))
    ctis: dict[str, dict[str, Int64s]] = field(default_factory=lambda: defaultdict(dict))
    lanes: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    horizons: dict[str, int] = field(default_factory=dict)
    watched: list[pa.Table] = field(default_factory=list)
    reports: list[pa.Table] = field(default_factory=list)
    trailing: "Inbox | None" = None

    @classmethod
    def of(cls, plan: PlannedStage, bucket: int, envelopes: Iterable[Envelope]) -> "Inbox":
        """The content of `envelopes`, in any order. Raises ValueError for one of another bucket."""
        inbox = cls()
        for envelope in sorted(envelopes, key=lambda each: (each.input, each.lane, each.seq)):
            if envelope.bucket != bucket:
                raise ValueError(f"an envelope for bucket {envelope.bucket} came to bucket {bucket}")
            if envelope.kind == "ctis":
                inbox._add(plan, envelope)
            else:
                inbox._put(envelope, from_bytes(envelope.chunk))
        return inbox

    def _add(self, plan: PlannedStage, envelope: Envelope) -> None:
        ctis, seen = ctis_of_chunk(envelope.chunk)
        self.lanes[envelope.input].append(envelope.lane)
        for branch, each in zip(plan.inputs[envelope.input].branches, ctis, strict=True):
            self.ctis[branch.id][envelope.lane] = each
        self.horizons[envelope.input] = max(self.horizons.get(envelope.input, NO_CTI), seen)

    def _put(self, envelope: Envelope, table: pa.Table) -> None:
        if envelope.kind == "watched":
            self.watched.append(table)
        elif envelope.kind == "reports":
            self.reports.append(table)
        else:
            into = self
            if has_metadata(table, TRAILING):
                into = self.trailing = self.trailing or Inbox()
            held = into.tables if envelope.kind == "events" else into.partials
            held[metadata_of(table, "branch")].append(table.replace_schema_metadata(None))
