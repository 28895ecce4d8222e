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
  "overlap",
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** A shape for each outcome in addition to its colour, so that no reader depends on the colour. */
export type Glyph =
  | "disc"
  | "ring"
  | "triangle"
  | "arrow"
  | "diamond"
  | "cross"
  | "bolt"
  | "box-cross"
  | "square"
  | "bars";

export interface OutcomeWords {
  label: string;
  glyph: Glyph;
  meaning: string;
}

export const OUTCOME_WORDS: Record<Outcome, OutcomeWords> = {
  on_time: { label: "On time", glyph: "disc", meaning: "At or after the largest time so far." },
  reordered: {
    label: "Reordered",
    glyph: "ring",
    meaning:
      "Before the largest time so far, but not before the CTI: out of order, and still in every result it belongs to.",
  },
  adjusted: {
    label: "Adjusted",
    glyph: "triangle",
    meaning: "Started before the CTI and ends after it: its start was moved up to the CTI. Points are never adjusted.",
  },
  shifted: {
    label: "Shifted",
    glyph: "arrow",
    meaning: "Before the CTI: the whole lifetime was moved to start at the CTI.",
  },
  late_kept: {
    label: "Kept late",
    glyph: "diamond",
    meaning: "Before the CTI and passed on unchanged: it counts in windows that are still open.",
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
    meaning: "Kept late, but every window it belongs to was already closed: in no result.",
  },
  malformed: {
    label: "Malformed",
    glyph: "square",
    meaning: "The row could not be read: no usable time, a broken line or a wrong type.",
  },
  overlap: {
    label: "Overlap",
    glyph: "bars",
    meaning: "The other source of the input has the same row: history or live. It counts there.",
  },
};

const QUARANTINED: ReadonlySet<Outcome> = new Set([
  "dropped_late",
  "dropped_early",
  "dropped_window_closed",
  "malformed",
]);

/** Return the meaning of an outcome for a row that a run received. */
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

/** Return the rows accepted unchanged: on time, or out of order but not before a CTI. All others are not on time. */
export function inTime(outcomes: Readonly<Record<string, number>>): number {
  return (outcomes.on_time ?? 0) + (outcomes.reordered ?? 0);
}

export const DROPPED: readonly Outcome[] = ["dropped_late", "dropped_early", "dropped_window_closed"];

/** Why an element was not accepted unchanged (T5), in words. */
export const REASON_WORDS = {
  after_end: "arrived after the end of the input",
  bad_row: "the row cannot be parsed",
  bad_time: "no valid timestamp in range",
  bad_cti: "the CTI is invalid",
  bad_lifetime: "the end is not after the start",
  bad_payload: "a value does not match the schema",
  orphan_end: "an edge end without an open edge",
  start_dropped: "its edge's start was dropped",
  vanished: "nothing is left of it after the adjustment",
  before_cti: "before the CTI",
  window_closed: "every window it belongs to is closed",
  too_many_windows: "it belongs to too many windows",
  future: "further ahead of its arrival than allowed",
  stale_snapshot: "a snapshot of this time or a later one had already been loaded",
  duplicate_key: "another row of the snapshot has the same key",
  superseded: "a later version of its key already holds",
  too_many_keys: "the table would have more keys than max_keys",
} as const;

export function reasonWords(reason: string | null): string {
  if (reason === null) return "";
  return reason in REASON_WORDS ? REASON_WORDS[reason as keyof typeof REASON_WORDS] : reason.replaceAll("_", " ");
}
