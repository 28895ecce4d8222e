"""The result of aggregation over panes."""

from dataclasses import dataclass, field

import pyarrow as pa

from streaming.engine.columns.folding.results import Failed
from streaming.wire.rows.arrived import Int64s


@dataclass(frozen=True, slots=True)
class PaneRows:
    """One row for each pane that has a member, rising by `number`.

    `columns` are the payload: the `group_by` fields, then the aggregates, as the fields of the window. `stamp` is the
    largest stamp of the members (T22), `count` their number, `extent` a fingerprint of the members and of their
    lifetimes clipped to the pane: it changes when any of these does (T20). It is 0 if rows are never replaced. `failed`
    lists the rows on which an aggregate has failed.
    """

    number: Int64s
    columns: list[pa.Array]
    stamp: Int64s
    count: Int64s
    extent: Int64s
    failed: Failed = field(default_factory=dict)
