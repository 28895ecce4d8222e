/** Sentences about the preview of results. */

import type { RowDifference } from "../model/simulation/resultRows";
import { counted } from "../model/text/counts";

/** The words of a row's difference from the running version. */
export const DIFFERENCE_WORDS: Readonly<Record<Exclude<RowDifference, null>, string>> = {
  same: "same",
  new: "new",
  changed: "changed",
  gone: "gone",
};

/** Return `12 results, 5 differ from version 7`. */
export function comparedWords(rows: number, differing: number, version: number | null): string {
  const results = counted(rows, "result");
  if (version === null) return results;
  if (differing === 0) return `${results}, the same as in version ${version}`;
  return `${results}, ${counted(differing, "differs", "differ")} from version ${version}`;
}

/** Return the reason why results are not next to those of a running version; empty if they are. */
export function uncomparedWords(isStored: boolean, version: number | null): string {
  if (!isStored) return "Nothing to compare with: the query is not stored yet.";
  return version === null ? "Nothing to compare with: no version of the query runs." : "";
}
