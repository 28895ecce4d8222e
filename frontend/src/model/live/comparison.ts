/** The ranges to compare the range of a page with: earlier ones of the same length, and the last one of other runs. */

import type { DashboardResponse } from "../api";
import type { Ticks } from "../time/ticks";
import type { Span } from "./ranges";

export interface ComparisonChoice {
  /** The choice in an address. */
  id: string;
  words: string;
  /** The range; drawn under the page's range, moved by the difference of their starts. */
  range: Span;
}

const DAY: Ticks = 86_400_000_000;
const MOST_RUNS = 20;

/** Return the choices for a range; `runs` are those of the time around it, oldest first. */
export function comparisonChoices(range: Span, runs: DashboardResponse["runs"]): ComparisonChoice[] {
  const length = range.end - range.begin;
  const earlier = (id: string, words: string, by: Ticks) => ({
    id,
    words,
    range: { begin: range.begin - by, end: range.end - by },
  });
  const found = [
    earlier("before", "the range before", length),
    ...(length <= DAY ? [earlier("day", "a day earlier", DAY)] : []),
    ...(length <= 7 * DAY ? [earlier("week", "a week earlier", 7 * DAY)] : []),
  ];
  const others = runs.filter(({ end }) => end !== null && end <= range.begin).slice(-MOST_RUNS);
  for (const { run, version, number, end } of others.toReversed()) {
    const words = `the end of ${version === null ? "" : `v${version}, `}run ${number}`;
    if (end !== null) found.push({ id: run, words, range: { begin: end - length, end } });
  }
  return found.filter(({ range: { begin } }) => begin >= 0);
}
