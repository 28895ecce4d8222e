/** The outcomes of a received element (T12), in the order in which they are stacked and listed. */

export const OUTCOMES = [
  "on_time",
  "reordered",
  "adjusted",
  "shifted",
  "late_kept",
  "dropped_late",
  "dropped_early",
  "dropped_window_closed",
  "malformed",
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** A shape for each outcome beside its colour, so that no reader depends on the colour. */
export type Glyph = "disc" | "ring" | "triangle" | "arrow" | "diamond" | "cross" | "bolt" | "box-cross" | "square";

export interface OutcomeWords {
  label: string;
  glyph: Glyph;
  meaning: string;
}

export const OUTCOME_WORDS: Record<Outcome, OutcomeWords> = {
  on_time: { label: "On time", glyph: "disc", meaning: "At or after the largest time seen so far." },
  reordered: {
    label: "Reordered",
    glyph: "ring",
    meaning:
      "Before the largest time seen, but not before the CTI: out of order, and still in every result it belongs to.",
  },
  adjusted: {
    label: "Adjusted",
    glyph: "triangle",
    meaning:
      "Started before the CTI and lasts beyond it: its start was moved up to the CTI. Points are never adjusted.",
  },
  shifted: {
    label: "Shifted",
    glyph: "arrow",
    meaning: "Before the CTI: the whole lifetime was moved to begin at the CTI.",
  },
  late_kept: {
    label: "Kept late",
    glyph: "diamond",
    meaning: "Before the CTI and passed on unchanged: it counts in the windows that are still open.",
  },
  dropped_late: {
    label: "Dropped, late",
    glyph: "cross",
    meaning: "Before the CTI: in no result.",
  },
  dropped_early: {
    label: "Dropped, early",
    glyph: "bolt",
    meaning: "Too far ahead of the clock at its arrival: in no result.",
  },
  dropped_window_closed: {
    label: "Dropped, closed",
    glyph: "box-cross",
    meaning: "Kept late, but every window it belongs to was closed already: in no result.",
  },
  malformed: {
    label: "Malformed",
    glyph: "square",
    meaning: "The row could not be read: no usable time, a broken line or a wrong type.",
  },
};

const QUARANTINED: ReadonlySet<Outcome> = new Set([
  "dropped_late",
  "dropped_early",
  "dropped_window_closed",
  "malformed",
]);

/** What an outcome means for a row that a run received. */
export function meaningInRun(outcome: Outcome): string {
  const { meaning } = OUTCOME_WORDS[outcome];
  return QUARANTINED.has(outcome) ? `${meaning} It is in quarantine.` : meaning;
}

export function isOutcome(text: string): text is Outcome {
  return (OUTCOMES as readonly string[]).includes(text);
}

export type OutcomeCounts = Record<Outcome, number>;

export function noOutcomes(): OutcomeCounts {
  return Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as OutcomeCounts;
}

export const DROPPED: readonly Outcome[] = ["dropped_late", "dropped_early", "dropped_window_closed"];

/** Why an element was not taken as it came (T5), in words. */
export const REASON_WORDS = {
  after_end: "came after the end of the input",
  bad_row: "the row cannot be parsed",
  bad_time: "no readable timestamp in range",
  bad_cti: "the CTI cannot be read",
  bad_lifetime: "the end is not after the start",
  bad_payload: "a value does not fit the schema",
  orphan_end: "an edge end without an open edge",
  start_dropped: "its edge's start was dropped",
  vanished: "nothing is left of it after the adjustment",
  before_cti: "before the CTI",
  window_closed: "every window it belongs to is closed",
  too_many_windows: "it belongs to too many windows",
} as const;

export function reasonWords(reason: string | null): string {
  if (reason === null) return "";
  return reason in REASON_WORDS ? REASON_WORDS[reason as keyof typeof REASON_WORDS] : reason.replaceAll("_", " ");
}
