/** Sentences about the preview of results. */

import type { DifferenceCounts, RowDifference } from "../model/simulation/resultRows";
import { counted, formatCount } from "../model/text/counts";

/** The words of a row's difference from the running version. */
export const DIFFERENCE_WORDS: Readonly<Record<Exclude<RowDifference, null>, string>> = {
  same: "same",
  new: "new",
  changed: "changed",
  gone: "gone",
};

/** Return `12 results: 2 new, 1 gone, compared with version 7`. */
export function comparedWords(rows: number, counts: DifferenceCounts, version: number | null): string {
  const results = counted(rows, "result");
  if (version === null) return results;
  const parts = (["new", "changed", "gone"] as const).flatMap((kind) =>
    counts[kind] === 0 ? [] : [`${formatCount(counts[kind])} ${DIFFERENCE_WORDS[kind]}`],
  );
  if (parts.length === 0) return `${results}, the same as in version ${version}`;
  return `${results}: ${parts.join(", ")}, compared with version ${version}`;
}

/** Return the reason why results are not next to those of a running version; empty if they are. */
export function uncomparedWords(isStored: boolean, version: number | null): string {
  if (!isStored) return "Nothing to compare with: the query is not stored yet.";
  return version === null ? "Nothing to compare with: no version of the query runs." : "";
}
