/** The journal of a run in words, and as marks in charts. */

import type { RunEventShown } from "./api";
import { counted } from "./counts";
import { OBSERVED_WORDS } from "./states";
import { type Ticks, ticksOf } from "./ticks";

const KIND_WORDS: Record<RunEventShown["kind"], string> = {
  started: "Asked to run",
  moved: "Moved",
  began: "Began with fresh state",
  changed: "Changed",
  stop: "Asked to stop",
  told: "Waits",
  repaired: "Repaired",
  carried: "Carried elsewhere",
  worker: "A worker died",
};

/** What happened, in a word or two. */
export function eventWords({ kind, observed }: Pick<RunEventShown, "kind" | "observed">): string {
  return observed === null ? KIND_WORDS[kind] : OBSERVED_WORDS[observed].label;
}

/** An event as charts draw it: where it was, and what; no words where the next one is so near that they would meet. */
export interface ChartMark {
  at: Ticks;
  words: string;
}

/** Those events between two times that change what charts show; a start in a few steps is one. */
export function marksOf(events: readonly RunEventShown[], from: Ticks, to: Ticks): ChartMark[] {
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

/** The part of a chart's width that a label takes, which stands upright. */
const NEAR = 0.03;

const PASSING: ReadonlySet<string> = new Set(["requested", "starting", "stopping"]);

/** What is not there any more of a long journal; null: nothing is missing. */
export function notKeptWords(count: number | null): string | null {
  if (count === null) return "This run is from before there were journals.";
  return count === 0 ? null : `Not kept: ${counted(count, "older entry", "older entries")}.`;
}
