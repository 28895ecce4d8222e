"""The received rows whose outcome is decided after the shuffle, on their way there (T12, T24)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.folding.measures import column_of
from streaming.engine.exchange.envelopes import WATCHED_SCHEMA
from streaming.engine.feed.branches import row_names
from streaming.engine.feed.judging.clock import NO_REASON, REASONS, Codes
from streaming.engine.feed.judging.late import labelled

_REASON_TEXTS = pa.array([str(each) for each in REASONS])


@dataclass(frozen=True)
class WatchedRows:
    """The watched rows of one chunk of `lane`: `rows` as late rows, and the reason code of a refusal so far."""

    lane: str
    rows: pa.Table
    refused: Codes

    def table(self, input_id: str) -> pa.Table:
        """WATCHED_SCHEMA."""
        late = labelled([self.rows], input_id, self.lane)
        sources = row_names(f"{input_id}/{self.lane}", column_of(late, "position").to_numpy())
        refused = _REASON_TEXTS.take(pa.array(self.refused, mask=self.refused == NO_REASON))
        return pa.table([*late.columns, sources, refused], schema=WATCHED_SCHEMA)


def gathered(
    watched: Sequence[WatchedRows], input_id: str, named: Mapping[int, Sequence[pa.ChunkedArray]]
) -> Iterator[tuple[int, pa.Table]]:
    """Yield the watched rows by bucket; `named` has the sources of the flows that go to each bucket.

    A row goes to each bucket that received one of its flows, to the first if none did.
    """
    rows = pa.concat_tables([each.table(input_id) for each in watched])
    sources = rows.column("source")
    left = pa.array([True] * rows.num_rows)
    here = {}
    for bucket, columns in named.items():
        found = pc.is_in(sources, value_set=pa.concat_arrays([column.combine_chunks() for column in columns]))
        here[bucket] = found
        left = pc.and_not(left, found)
    here[0] = pc.or_(here[0], left) if 0 in here else left
    for bucket in sorted(here):
        part = rows.filter(here[bucket])
        if part.num_rows:
            yield bucket, part
