/** Merge the rows of several streams into one sample: in the order of each stream, and by time between streams. */

import type { SampleRow } from "./sample";
import { readTime } from "./sampleTimes";

/** Return each row's time: its start, or the time of its CTI; a row without one follows the previous row. */
function due(rows: readonly SampleRow[]): readonly number[] {
  let last = Number.NEGATIVE_INFINITY;
  return rows.map((row) => {
    last = Math.max(last, readTime(row.start) ?? readTime(row.cti) ?? last);
    return last;
  });
}

export function mergedByTime(streams: readonly (readonly SampleRow[])[]): readonly SampleRow[] {
  const placed = streams.flatMap((rows) => {
    const times = due(rows);
    return rows.map((row, index) => ({ row, at: times[index] ?? 0 }));
  });
  return placed.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0)).map(({ row }) => row);
}
