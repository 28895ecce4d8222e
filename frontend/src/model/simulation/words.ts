/** Rows, panes and results of a simulation in a few words, the same on the timeline and in its tables. */

import { counted } from "../counts";
import { isOutcome, OUTCOME_WORDS } from "../outcomes";
import { formatInstant, formatSpan, instantParts, type Ticks } from "../ticks";
import { shortText } from "../values";
import { countsFromZero } from "./scale";
import type { PanePhase } from "./standing";
import type { SimulatedPane, SimulatedRow, TrackRow } from "./types";

export type TimeWords = (at: Ticks | null) => string;

/**
 * Times with only what tells them apart: `:03` where all are of one minute, else the time of day, else the date too.
 * Those of examples, which count from 0, are lengths.
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

/** `:03, :06`; of a point, CTI or heartbeat the one time; `?` where none could be read. */
export function timesWords(row: SimulatedRow, words: TimeWords): string {
  if (row.kind === "cti") return words(row.start);
  if (row.start === null) return row.end === null ? "?" : `?, ${words(row.end)}`;
  if (row.kind === "heartbeat" || isPoint(row)) return words(row.start);
  return `${words(row.start)}, ${words(row.end)}`;
}

/** The width of a letter of the list of rows, and the room beside the letters, in pixels. */
const LETTER = 7.3;
const ROOM = 8;
/** As many letters stand beside the drawing without taking room from it. */
const FITTING = 15;

/** What the list of rows says of their times. */
export interface TimesColumn {
  head: string;
  /** In pixels. */
  width: number;
  of: (row: SimulatedRow) => string;
}

function longest(texts: readonly string[]): number {
  return Math.max(FITTING, ...texts.map((text) => text.length));
}

/** Start and end where all of them fit; else each start alone, and whole: the drawing and the table say the end. */
export function timesColumn(rows: readonly SimulatedRow[], words: TimeWords): TimesColumn {
  const both = (row: SimulatedRow) => timesWords(row, words);
  const fits = longest(rows.map(both)) === FITTING;
  const of = fits ? both : (row: SimulatedRow) => (row.start === null ? both(row) : words(row.start));
  return { head: fits ? "start, end" : "start", width: Math.ceil(longest(rows.map(of)) * LETTER) + ROOM, of };
}

/** `Adjusted +2 s`; for what has no outcome what it is. */
export function outcomeWords(row: SimulatedRow): string {
  if (row.outcome === null || !isOutcome(row.outcome)) return row.kind === "cti" ? "CTI" : KIND_WORDS[row.kind];
  const moved = row.moved_by === null || row.moved_by === 0 ? "" : ` +${formatSpan(row.moved_by)}`;
  return `${OUTCOME_WORDS[row.outcome].label}${moved}`;
}

/** `cars`, or `cars as a` where the query calls its input otherwise. */
export function streamWords({ stream, input }: Pick<SimulatedRow, "stream" | "input">): string {
  return input === null || input === stream ? stream : `${stream} as ${input}`;
}

/** A whole sentence for screen readers and the tooltip. */
export function rowSentence(row: SimulatedRow): string {
  const times = timesWords(row, formatInstant);
  const lane = row.lane === "0" ? "" : `, lane ${row.lane}`;
  return `Row ${row.number}, ${KIND_WORDS[row.kind]} of ${streamWords(row)}${lane}, ${times}: ${outcomeWords(row)}`;
}

/** `n = 6, sum = 3`; null is said. */
export function valuesWords(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} = ${shortText(value)}`)
    .join(", ");
}

export function spanWords(start: Ticks, end: Ticks | null, words: TimeWords): string {
  return `[${words(start)}, ${words(end)})`;
}

export const PHASE_WORDS: Record<PanePhase, string> = {
  open: "so far",
  complete: "complete, late rows may still change it",
  closed: "final",
};

const PHASE_SHORT: Record<PanePhase, string> = { open: "so far", complete: "complete", closed: "final" };

interface Labelled {
  panes: readonly SimulatedPane[];
  start: Ticks;
  end: Ticks | null;
}

/** `[:00, :10) n = 6 final`; of several groups how many there are. */
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

/** Text that fits `pixels` in small type, an ellipsis where it does not. */
export function fitted(text: string, pixels: number, perSign = 6.1): string {
  const signs = Math.floor(pixels / perSign);
  if (text.length <= signs) return text;
  return signs < 2 ? "" : `${text.slice(0, signs - 1)}…`;
}

export function resultWords(row: TrackRow): string {
  return valuesWords(row.payload);
}
