/** The effect of other delays on the rows of an input: shares, sentences, the axis of the curve, and its table. */

import type { WhatIfResponse, WhatIfRows } from "../api";
import { counted, formatCount } from "../text/counts";
import { formatInstant, formatSpan, type Ticks } from "../time/ticks";
import type { FigureTable } from "./dashboard";

export type CountedDelay = WhatIfRows["delays"][number];

const SECOND: Ticks = 1_000_000;
const HUNDREDTH: Ticks = 10_000;
const MOST_MARKS = 4;
const STEPS = [1, 2, 5];

/** A delay in words, rounded up where it has too many digits: a shorter one would not suffice. */
export function delayWords(delay: Ticks): string {
  const isLong = delay >= SECOND && delay < 60 * SECOND;
  return isLong ? `${Math.ceil(delay / HUNDREDTH) / 100} s` : formatSpan(delay);
}

/** The share of rows in results, with two digits and rounded down: 100 % only if no row is lost. */
export function shareWords({ lost }: Pick<CountedDelay, "lost">, { received }: Pick<WhatIfRows, "received">): string {
  if (received === 0) return "no rows";
  return `${Math.floor((10_000 * (received - lost)) / received) / 100} %`;
}

/** Today's delay, which is the first one. */
export function todayOf({ delays, delay, lost }: WhatIfRows): CountedDelay {
  return delays[0] ?? { delay, lost, changed: 0 };
}

/** The additional wait for results. */
export function laterWords(delay: Ticks, rows: WhatIfRows): string {
  return delay === rows.delay ? "as now" : `${delayWords(delay - rows.delay)} later`;
}

/** The effect of one of the delays, in a sentence. */
export function effectWords(chosen: CountedDelay, rows: WhatIfRows): string {
  const today = todayOf(rows);
  const late = counted(rows.dropped_late, "row");
  if (rows.received === 0) return "No rows in this range.";
  if (chosen.delay === today.delay)
    return `With today's delay of ${delayWords(today.delay)}, ${shareWords(today, rows)} of ${counted(rows.received, "row")} are in results. Dropped late: ${late}.`;
  const kept = formatCount(today.lost - chosen.lost);
  return `A delay of ${delayWords(chosen.delay)} keeps ${kept} of the ${late} dropped late: ${shareWords(chosen, rows)} of rows are in results instead of ${shareWords(today, rows)}. Results come ${laterWords(chosen.delay, rows)}.`;
}

/** The limits of the counts: rows that are missing, that no delay keeps, or that are not counted. */
export function limitWords(rows: WhatIfRows, { newest_only }: Pick<WhatIfResponse, "newest_only">): string[] {
  const missing = rows.dropped_late - rows.stored - rows.undecided;
  const late = `${formatCount(rows.stored)} of ${counted(rows.dropped_late, "row")}`;
  const why = newest_only ? "were read, the newest ones" : "are still kept";
  return [
    ...(missing > 0 ? [`${late} dropped late ${why}; the others count as lost with every delay.`] : []),
    ...(rows.fixed > 0 ? [`No delay keeps ${counted(rows.fixed, "row")}: their lanes had ended.`] : []),
    ...(rows.undecided > 0
      ? [`${counted(rows.undecided, "row")} met a CTI of an earlier delay and count as lost with every delay.`]
      : []),
    ...(rows.since === null
      ? []
      : [`Counted since ${formatInstant(rows.since).slice(0, 16)} UTC: earlier runs had another delay.`]),
    ...(rows.may_have_ctis ? ["Exact unless rows of this input are CTIs, which no delay moves."] : []),
  ];
}

/** Shorter delays in a sentence; null: they can't be estimated. */
export function shorterWords({ shorter, measured }: WhatIfRows): string | null {
  if (shorter === null || shorter.length === 0) return null;
  const each = shorter.map(({ delay, fewest, most }) => {
    const rows = fewest === most ? formatCount(most) : `${formatCount(fewest)} to ${formatCount(most)}`;
    return `${delay === 0 ? "no delay" : delayWords(delay)}: ${rows}`;
  });
  return `Late rows with a shorter delay, estimated from the distances of ${counted(measured, "row")}: ${each.join("; ")}.`;
}

export interface ShareAxis {
  /** The share at the foot. */
  lowest: number;
  marks: readonly { share: number; words: string }[];
}

/** Return the axis of shares from below today's to 100 %; its marks have shares of the height. */
export function shareAxis(rows: WhatIfRows): ShareAxis {
  const lost = rows.received === 0 ? 0 : todayOf(rows).lost / rows.received;
  const range = Math.max(0.000_1, lost * 1.3);
  const decade = 10 ** Math.floor(Math.log10(range / MOST_MARKS));
  const step = decade * (STEPS.find((each) => range <= each * decade * MOST_MARKS) ?? 10);
  const count = Math.min(Math.ceil(range / step), Math.floor(1 / step + 1e-9));
  return {
    lowest: 1 - count * step,
    marks: Array.from({ length: count + 1 }, (_, index) => ({
      share: index / count,
      words: `${Math.round(1e6 * (1 - (count - index) * step)) / 1e4} %`,
    })),
  };
}

/** Return the place of a delay on the axis as a share of its height. */
export function heightOfShare({ lost }: CountedDelay, { received }: WhatIfRows, { lowest }: ShareAxis): number {
  const share = received === 0 ? 1 : 1 - lost / received;
  return (share - lowest) / (1 - lowest);
}

/** Return the index of the longest delay that is at most `delay`. */
export function indexOf({ delays }: WhatIfRows, delay: Ticks | null): number {
  return delay === null
    ? 0
    : Math.max(
        0,
        delays.findLastIndex((each) => each.delay <= delay),
      );
}

export function whatIfTable(rows: WhatIfRows): FigureTable {
  return {
    head: ["Delay", "Rows in no result", "In results", "Adjusted or shifted", "Results come"],
    rows: rows.delays.map((each) => [
      delayWords(each.delay),
      each.lost,
      shareWords(each, rows),
      each.changed,
      laterWords(each.delay, rows),
    ]),
  };
}
