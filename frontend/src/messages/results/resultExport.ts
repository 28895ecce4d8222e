/** Results as a file, in words. */

import type { DownloadProgress, ExportFormat, Revisions } from "../../model/results/resultExport";
import { counted } from "../../model/text/counts";
import { bytesWords } from "../organisation/quotas";

export const FORMATS: readonly (readonly [ExportFormat, string])[] = [
  ["csv", "CSV: opens in any tool"],
  ["xlsx", "Excel: types, frozen head"],
  ["parquet", "Parquet: for DuckDB, Spark"],
  ["arrow", "Arrow: for pandas, Polars"],
  ["json_lines", "JSON lines: for programs"],
];

export const REVISIONS: readonly (readonly [Revisions, string])[] = [
  ["net", "Net rows"],
  ["all", "All changes"],
];

/** The meaning of each choice of rows. */
export const REVISIONS_MEAN: Readonly<Record<Revisions, string>> = {
  net: "The rows that count after all changes and repairs.",
  all: "Every row as it was committed, with `op` (insert, update, delete) and `key`.",
};

/** Return the progress in words. */
export function progressWords({ received, total }: DownloadProgress): string {
  if (total === null) return "Preparing the file…";
  return `Receiving: ${bytesWords(received)} of ${bytesWords(total)}`;
}

/** Return what was downloaded. */
export function downloadedWords({ rows, bytes }: { rows: number; bytes: number }): string {
  return `Downloaded ${counted(rows, "row")}, ${bytesWords(bytes)}.`;
}

/** Return the error of a transfer that ended after `received` bytes. */
export function brokenOffWords(received: number): string {
  return `The transfer ended early, after ${bytesWords(received)}. Nothing was saved. Download the file again.`;
}
