/** Rows, panes and results of a simulation in a few words, the same on the timeline and in the tables. */

import { isOutcome, OUTCOME_WORDS } from "../model/run/outcomes";
import type { PanePhase } from "../model/simulation/currentState";
import { countsFromZero } from "../model/simulation/drawing/scale";
import type { AttemptState, SimulatedAttempt, SimulatedPane, SimulatedRow, TrackRow } from "../model/simulation/types";
import { counted } from "../model/text/counts";
import { valueText } from "../model/text/values";
import { formatInstant, formatSpan, instantParts, type Ticks } from "../model/time/ticks";

export type TimeWords = (at: Ticks | null) => string;

/**
 * Return a format that shows only the distinguishing part: `:03` within one minute, else the time of day, else the date
 * too. Times of examples, which count from 0, are durations.
 */
export function shortTimes(times: readonly (Ticks | null)[]): TimeWords {
  if (times.some((at) => at !== null) && times.every((at) => at === null || countsFromZero(at))) {
    return (at) => (at === null ? "∞" : countsFromZero(at) ? formatSpan(at) : formatInstant(at));
  }
  const known = times.filter((at) => at !== null).map((at) => instantParts(at));
  const dates = new Set(known.map(({ date }) => date));
  const minutes = new Set(known.map(({ date, time }) => `${date} ${time.slice(0, 5)}`));
  return (at) => {
    if (at === null) return "∞";
    const { date, time } = instantParts(at);
    if (dates.size > 1 || (dates.size === 1 && !dates.has(date))) return `${date.slice(5)} ${time}`;
    return minutes.size <= 1 && minutes.has(`${date} ${time.slice(0, 5)}`) ? time.slice(5) : time;
  };
}

export const KIND_WORDS: Record<SimulatedRow["kind"], string> = {
  event: "event",
  edge_start: "edge start",
  edge_end: "edge end",
  cti: "CTI",
  heartbeat: "heartbeat",
  malformed: "malformed row",
};

function isPoint(row: SimulatedRow): boolean {
  return row.start !== null && row.end === row.start + 1;
}

/** Return `:03, :06`; for a point, CTI or heartbeat one time; `?` for an unreadable one. */
export function timesWords(row: SimulatedRow, words: TimeWords): string {
  if (row.kind === "cti") return words(row.start);
  if (row.start === null) return row.end === null ? "?" : `?, ${words(row.end)}`;
  if (row.kind === "heartbeat" || isPoint(row)) return words(row.start);
  return `${words(row.start)}, ${words(row.end)}`;
}

/** The width of a letter in the list of rows, and the space around the text, in pixels. */
const LETTER = 7.3;
const ROOM = 8;
/** The number of letters next to the drawing that take no space from it. */
const FITTING = 15;

/** The column with the rows' times in the list of rows. */
export interface TimesColumn {
  head: string;
  /** In pixels. */
  width: number;
  of: (row: SimulatedRow) => string;
}

function longest(texts: readonly string[]): number {
  return Math.max(FITTING, ...texts.map((text) => text.length));
}

/** Return start and end if all fit; otherwise only the start, in full: the drawing and the table have the end. */
export function timesColumn(rows: readonly SimulatedRow[], words: TimeWords): TimesColumn {
  const both = (row: SimulatedRow) => timesWords(row, words);
  const fits = longest(rows.map(both)) === FITTING;
  const of = fits ? both : (row: SimulatedRow) => (row.start === null ? both(row) : words(row.start));
  return { head: fits ? "start, end" : "start", width: Math.ceil(longest(rows.map(of)) * LETTER) + ROOM, of };
}

/** Return `Adjusted +2 s`; for a row without an outcome its kind. */
export function outcomeWords(row: SimulatedRow): string {
  if (row.outcome === null || !isOutcome(row.outcome)) return row.kind === "cti" ? "CTI" : KIND_WORDS[row.kind];
  const moved = row.moved_by === null || row.moved_by === 0 ? "" : ` +${formatSpan(row.moved_by)}`;
  return `${OUTCOME_WORDS[row.outcome].label}${moved}`;
}

/** Return `cars`, or `cars as a` if the query gives its input another name. */
export function streamWords({ stream, input }: Pick<SimulatedRow, "stream" | "input">): string {
  return input === null || input === stream ? stream : `${stream} as ${input}`;
}

/** Return a whole sentence for screen readers and the tooltip. */
export function rowSentence(row: SimulatedRow): string {
  const times = timesWords(row, formatInstant);
  const lane = row.lane === "0" ? "" : `, lane ${row.lane}`;
  return `Row ${row.number}, ${KIND_WORDS[row.kind]} of ${streamWords(row)}${lane}, ${times}: ${outcomeWords(row)}`;
}

/** Return `n = 6, sum = 3`; null is written out. */
export function valuesWords(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} = ${valueText(value)}`)
    .join(", ");
}

export function spanWords(start: Ticks, end: Ticks | null, words: TimeWords): string {
  return `[${words(start)}, ${words(end)})`;
}

export const ATTEMPT_WORDS: Record<AttemptState["status"], string> = {
  open: "not decided",
  matched: "match",
  failed: "no match",
};

/** Return `unpaid, customer = 7: from row 3`. */
export function attemptName({ node, group, first }: SimulatedAttempt): string {
  const values = valuesWords(group);
  return `${node}${values === "" ? "" : `, ${values}`}: from row ${first.join(", ")}`;
}

export const PHASE_WORDS: Record<PanePhase, string> = {
  open: "so far",
  complete: "complete, late rows can still change it",
  closed: "final",
};

const PHASE_SHORT: Record<PanePhase, string> = { open: "so far", complete: "complete", closed: "final" };

interface Labelled {
  panes: readonly SimulatedPane[];
  start: Ticks;
  end: Ticks | null;
}

/** Return `[:00, :10) n = 6 final`; for several groups their number. */
export function paneLabel(
  box: Labelled,
  values: Readonly<Record<string, unknown>>,
  phase: PanePhase,
  words: TimeWords,
): string {
  const what = box.panes.length > 1 ? counted(box.panes.length, "group") : valuesWords(values);
  return [spanWords(box.start, box.end, words), what, PHASE_SHORT[phase]].filter((part) => part !== "").join(" ");
}

export function paneName(pane: SimulatedPane): string {
  const group = valuesWords(pane.group);
  return group === "" ? pane.node : `${pane.node}, ${group}`;
}

/** Return text that fits into `pixels` in small type, shortened with an ellipsis if needed. */
export function fitted(text: string, pixels: number, perSign = 6.1): string {
  const signs = Math.floor(pixels / perSign);
  if (text.length <= signs) return text;
  return signs < 2 ? "" : `${text.slice(0, signs - 1)}…`;
}

export function resultWords(row: TrackRow): string {
  return valuesWords(row.payload);
}
