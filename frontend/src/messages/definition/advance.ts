/** Time settings in sentences. */

import type { AdvanceTimeSettings } from "../../model/api";
import { counted } from "../../model/text/counts";
import { parseDuration } from "../../model/time/ticks";

const LATE_WORDS = {
  drop: "Late events are dropped.",
  adjust: "The start of late events is moved up to the CTI; late points, which have already ended, are dropped.",
  shift: "Late events are moved to the CTI with their whole lifetime.",
  keep: "Late events are kept unchanged and count in windows that are still open.",
} as const;

function generateWords(generate: NonNullable<AdvanceTimeSettings["generate"]>): string {
  const every =
    typeof generate.every === "number" ? counted(generate.every, "event") : `${generate.every} of event time`;
  const basis = generate.basis === "max" ? "the largest start so far" : "the last received event's start";
  const delay = parseDuration(generate.delay ?? 0) === 0 ? "" : ` minus ${generate.delay}`;
  const final = generate.final ? " When the input ends or is flushed, all windows are closed." : "";
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
  accept: "are accepted unchanged",
  hold: "do not advance the clock",
  drop: "are dropped",
} as const;

function laneWords({ over, idle_after: silent, idle, max_ahead: ahead, future }: AdvanceTimeSettings): string[] {
  const fate = idle === "advance" ? "follows the wall clock" : "is ignored";
  const beyond = `Events more than ${ahead ?? "5m"} ahead of their arrival ${FUTURE_WORDS[future ?? "hold"]}.`;
  return [
    ...(over ? [`Each value of ${over} has its own clock.`] : []),
    ...(silent != null ? [`A lane that is silent for ${silent} ${fate}.`] : []),
    ...(ahead != null || (future !== undefined && future !== "hold") ? [beyond] : []),
  ];
}

/** Return how time advances and what happens to late events, in a sentence or two each. */
export function advanceWords(advance: AdvanceTimeSettings | null | undefined): string[] {
  const settings = advance ?? {};
  const lanes = laneWords(settings);
  if (settings.preset != null) {
    const source = settings.import_from ? [`The CTIs of ${settings.import_from} are also copied.`] : [];
    return [
      `The preset ${settings.preset} sets how time advances and what happens to late events.`,
      ...source,
      ...lanes,
    ];
  }
  return [...clockWords(settings), LATE_WORDS[settings.late ?? "drop"], ...lanes];
}

/** Return the late policy in a word, or the preset that sets it. */
export function lateWord(advance: AdvanceTimeSettings | undefined): string {
  return advance?.preset ?? advance?.late ?? "drop";
}
