/** The results of a sample, row by row, next to those of another version on the same sample. */

import { finalResults, resultDifferences } from "./differences";
import type { Simulation, TrackRow } from "./types";

/** `null`: there is nothing to compare with. */
export type RowDifference = "same" | "new" | "changed" | "gone" | null;

export interface ResultRow {
  row: TrackRow;
  difference: RowDifference;
  /** The row of the other version, if its values differ. */
  before: TrackRow | null;
  /** The names of the fields whose values differ. */
  fields: readonly string[];
}

export interface OutputRows {
  output: string;
  /** Newest first. */
  rows: readonly ResultRow[];
}

function compared(now: Simulation, other: Simulation): ResultRow[] {
  const { added, gone, changed } = resultDifferences(other, now);
  const isAdded = new Set(added);
  const changes = new Map(changed.map((change) => [change.after, change]));
  const present = finalResults(now).map((row): ResultRow => {
    const change = changes.get(row);
    if (change !== undefined) return { row, difference: "changed", before: change.before, fields: change.fields };
    return { row, difference: isAdded.has(row) ? "new" : "same", before: null, fields: [] };
  });
  return [...present, ...gone.map((row): ResultRow => ({ row, difference: "gone", before: null, fields: [] }))];
}

/** Return the results of `now` by output, with the differences from those of `other`; null: nothing to compare with. */
export function resultRows(now: Simulation, other: Simulation | null): OutputRows[] {
  const alone = (row: TrackRow): ResultRow => ({ row, difference: null, before: null, fields: [] });
  const rows = other === null ? finalResults(now).map(alone) : compared(now, other);
  const known = now.tracks.filter(({ kind }) => kind === "output").map(({ node }) => node);
  const outputs = [...new Set([...known, ...rows.map(({ row }) => row.node)])];
  return outputs.map((output) => ({
    output,
    rows: rows.filter(({ row }) => row.node === output).toSorted((one, two) => two.row.start - one.row.start),
  }));
}

export type DifferenceCounts = Readonly<Record<"new" | "changed" | "gone", number>>;

/** Count the rows that differ from the other version. */
export function differenceCounts(outputs: readonly OutputRows[]): DifferenceCounts {
  const counts = { new: 0, changed: 0, gone: 0 };
  for (const { difference } of outputs.flatMap(({ rows }) => rows)) {
    if (difference !== null && difference !== "same") counts[difference] += 1;
  }
  return counts;
}
