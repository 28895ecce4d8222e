/** The journal of a run in words, and as marks in charts. */

import type { RunEventResponse } from "../../model/api";
import { OBSERVED_WORDS } from "../../model/run/states";
import { counted } from "../../model/text/counts";
import { type Ticks, ticksOf } from "../../model/time/ticks";

const KIND_WORDS: Record<RunEventResponse["kind"], string> = {
  started: "Start requested",
  moved: "Moved",
  began: "Started with fresh state",
  changed: "Changed",
  stop: "Stop requested",
  told: "Waiting",
  repaired: "Repaired",
  carried: "Moved to another carrier",
  worker: "A worker died",
};

/** Return the event in a word or two. */
export function eventWords({ kind, observed }: Pick<RunEventResponse, "kind" | "observed">): string {
  return observed === null ? KIND_WORDS[kind] : OBSERVED_WORDS[observed].label;
}

/** An event in a chart: its time and label; no label if the next one is so close that they would overlap. */
export interface ChartMark {
  at: Ticks;
  words: string;
}

/** Return the events between two times that are visible in charts; the few steps of a start count as one. */
export function marksOf(events: readonly RunEventResponse[], from: Ticks, to: Ticks): ChartMark[] {
  const found = events
    .map((event) => ({ at: ticksOf(event.at), event }))
    .filter(({ at, event }) => at >= from && at <= to && !PASSING.has(event.observed ?? ""))
    .toSorted((one, other) => one.at - other.at);
  return found.map(({ at, event }, number) => {
    const next = found[number + 1];
    const near = next !== undefined && next.at - at < NEAR * (to - from);
    return { at, words: near ? "" : eventWords(event) };
  });
}

/** The share of a chart's width that an upright label needs. */
const NEAR = 0.03;

const PASSING: ReadonlySet<string> = new Set(["requested", "starting", "stopping"]);

/** Return a note on missing entries of a long journal; null if complete. */
export function notKeptWords(count: number | null): string | null {
  if (count === null) return "This run is from before journals existed.";
  return count === 0 ? null : `Not stored: ${counted(count, "older entry", "older entries")}.`;
}
