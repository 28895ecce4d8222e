/** Advance-time settings in sentences. */

import type { AdvanceTimeSettings } from "./api";

const LATE_WORDS = {
  drop: "Late events are dropped.",
  adjust: "Late events are clipped to begin at the CTI; late points, whose lifetime is over, are dropped.",
  shift: "Late events are moved to begin at the CTI.",
  keep: "Late events are kept as they are and count in windows that are still open.",
} as const;

function generateWords(generate: NonNullable<AdvanceTimeSettings["generate"]>): string {
  const every = typeof generate.every === "number" ? `${generate.every} events` : `${generate.every} of event time`;
  const basis = generate.basis === "max" ? "the largest start seen" : "the last received event's start";
  const delay = generate.delay ? ` minus ${generate.delay}` : "";
  const final = generate.final ? " When the input ends or is flushed, everything is closed." : "";
  return `A CTI after every ${every}, at ${basis}${delay}.${final}`;
}

/** What makes time advance, and what becomes of late events: a sentence or two each. */
export function advanceWords(advance: AdvanceTimeSettings | null | undefined): string[] {
  const generate = advance?.generate;
  const clock = generate ? generateWords(generate) : "Time advances only by CTIs that the adapter sends.";
  return [clock, LATE_WORDS[advance?.late ?? "drop"]];
}
