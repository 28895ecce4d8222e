/** The days of a ledger: their range in the address, the outcomes that have a column, and the words for a day. */

import type { LedgerCounts, LedgerDay, LedgerResponse } from "../api";
import { OUTCOMES, type Outcome } from "../run/outcomes";
import { counted } from "../text/counts";
import { formatInstant } from "../time/ticks";

export const DAY_RANGES = [
  [7, "7 d"],
  [30, "30 d"],
  [90, "90 d"],
] as const;

/** So many days until today, or from the day `first` to the day `last`. */
export type DayRange = { days: (typeof DAY_RANGES)[number][0] } | { first: string; last: string };

const A_DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOST_DAYS = 92;
const DAY_MS = 86_400_000;
const DAY_TICKS = 1_000 * DAY_MS;

/** Return why a range can't be requested; null: it can. */
export function dayRangeFault(first: string, last: string): string | null {
  if (!A_DAY.test(first) || !A_DAY.test(last)) return "Choose a first and a last day.";
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  if (days < 1) return "The last day is before the first one.";
  return days > MOST_DAYS ? `At most ${counted(MOST_DAYS, "day")} can be shown. Choose a later first day.` : null;
}

/** Return the range in an address; an invalid one counts as 30 days. */
export function dayRangeOf(params: URLSearchParams): DayRange {
  const [first, last] = [params.get("first") ?? "", params.get("last") ?? ""];
  if (dayRangeFault(first, last) === null) return { first, last };
  return { days: DAY_RANGES.find(([days]) => String(days) === params.get("days"))?.[0] ?? 30 };
}

/** Return the parameters of an address, and of requests, for a range. */
export function dayParams(range: DayRange): Record<string, string> {
  return "days" in range ? { days: String(range.days) } : range;
}

/** The outcomes that every ledger has a column for; others have one if a row had them. */
const ALWAYS: readonly Outcome[] = ["on_time", "reordered", "adjusted", "dropped_late", "malformed"];

export function ledgerOutcomes({ outcomes }: LedgerCounts): Outcome[] {
  return OUTCOMES.filter((outcome) => ALWAYS.includes(outcome) || (outcomes[outcome] ?? 0) !== 0);
}

/** Return the unknown spans of a day as `08:00–09:30`, in UTC; its end is 24:00. */
export function unknownWords({ unknown }: LedgerDay): string {
  const end = (tick: number) => (tick % DAY_TICKS === 0 ? "24:00" : clockOf(tick));
  return unknown.map((span) => `${clockOf(span.begin)}–${end(span.end)}`).join(", ");
}

function clockOf(tick: number): string {
  return formatInstant(Math.floor(tick / 1_000_000) * 1_000_000).slice(11, 16);
}

/** Return a sentence about all days: do they add up, and is anything unknown? */
export function ledgerVerdict({ days, total, unknown_days: unknown }: LedgerResponse): {
  tone: "good" | "bad" | "unknown";
  words: string;
} {
  const wrong = days.filter(({ counts }) => counts !== null && counts.difference !== 0);
  if (wrong.length > 0) {
    const words = `Counts do not add up on ${wrong.map(({ day }) => day).join(", ")}.`;
    return { tone: "bad", words: `${words} This is an error in Punctual: contact your administrator.` };
  }
  if (unknown > 0) {
    return {
      tone: "unknown",
      words: `All counted rows have an outcome. Not completely known: ${counted(unknown, "day")}.`,
    };
  }
  if (total.received === 0) return { tone: "good", words: "No row was received on these days." };
  return { tone: "good", words: "Every received row has exactly one outcome." };
}
