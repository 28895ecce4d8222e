/** Advance-time settings in sentences. */

import type { AdvanceTimeSettings } from "./api";
import { counted } from "./counts";
import { parseDuration } from "./ticks";

const LATE_WORDS = {
  drop: "Late events are dropped.",
  adjust: "Late events are clipped to begin at the CTI; late points, whose lifetime is over, are dropped.",
  shift: "Late events are moved to begin at the CTI.",
  keep: "Late events are kept as they are and count in windows that are still open.",
} as const;

function generateWords(generate: NonNullable<AdvanceTimeSettings["generate"]>): string {
  const every =
    typeof generate.every === "number" ? counted(generate.every, "event") : `${generate.every} of event time`;
  const basis = generate.basis === "max" ? "the largest start seen" : "the last received event's start";
  const delay = parseDuration(generate.delay ?? 0) === 0 ? "" : ` minus ${generate.delay}`;
  const final = generate.final ? " When the input ends or is flushed, everything is closed." : "";
  return `A CTI after every ${every}, at ${basis}${delay}.${final}`;
}

function clockWords({ generate, import_from: source }: AdvanceTimeSettings): string[] {
  const words = [
    ...(generate ? [generateWords(generate)] : []),
    ...(source ? [`The CTIs of ${source} are copied.`] : []),
  ];
  return words.length > 0 ? words : ["Time advances only by CTIs that the adapter sends."];
}

const FUTURE_WORDS = {
  accept: "are taken as they are",
  hold: "do not move the clock",
  drop: "are dropped",
} as const;

function laneWords({ over, idle_after: silent, idle, max_ahead: ahead, future }: AdvanceTimeSettings): string[] {
  const fate = idle === "advance" ? "follows the wall clock" : "is left out";
  const beyond = `Events more than ${ahead ?? "5m"} beyond their arrival ${FUTURE_WORDS[future ?? "hold"]}.`;
  return [
    ...(over ? [`Each value of ${over} has a clock of its own.`] : []),
    ...(silent != null ? [`A lane that is silent for ${silent} ${fate}.`] : []),
    ...(ahead != null || (future !== undefined && future !== "hold") ? [beyond] : []),
  ];
}

/** What makes time advance, and what becomes of late events: a sentence or two each. */
export function advanceWords(advance: AdvanceTimeSettings | null | undefined): string[] {
  const settings = advance ?? {};
  const lanes = laneWords(settings);
  if (settings.preset != null) {
    const source = settings.import_from ? [`The CTIs of ${settings.import_from} are copied too.`] : [];
    return [`Time advances, and late events are treated, as ${settings.preset} says.`, ...source, ...lanes];
  }
  return [...clockWords(settings), LATE_WORDS[settings.late ?? "drop"], ...lanes];
}

/** The late policy, or the preset that says it, in a word. */
export function lateWord(advance: AdvanceTimeSettings | undefined): string {
  return advance?.preset ?? advance?.late ?? "drop";
}
