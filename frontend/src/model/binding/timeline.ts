/** Start positions of a run on the timeline of its inputs, and the rows that it reads again or skips. */

import type { BeginAt, TimelineResponse } from "../api";
import { counted } from "../text/counts";
import { formatInstant, type Ticks } from "../time/ticks";

export type InputContents = TimelineResponse["inputs"][number];
export type LaneContents = InputContents["lanes"][number];

/** Typed positions, by input and lane. */
export type TypedPositions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The choice: a word, a time (null while invalid), or typed positions. */
export type Chosen =
  | { readonly kind: "word"; readonly word: Extract<BeginAt, string> | "stopped" }
  | { readonly kind: "time"; readonly at: Ticks | null }
  | { readonly kind: "positions"; readonly typed: TypedPositions };

/** Return a lane's start position: its earliest row, its end, or a position; null if it can't be given as a position. */
export function positionOf(chosen: Chosen, input: string, lane: LaneContents): number | null {
  if (chosen.kind === "time") return lane.at_time ?? null;
  if (chosen.kind === "positions") return wholeNumber(chosen.typed[input]?.[lane.lane] ?? "");
  if (chosen.word === "beginning") return lane.earliest ?? null;
  if (chosen.word === "now") return lane.end ?? null;
  return lane.stopped ?? null;
}

/** Return a typed whole number of at least 0; null for anything else. */
export function wholeNumber(text: string): number | null {
  return /^\d{1,15}$/.test(text.trim()) ? Number(text.trim()) : null;
}

/**
 * Return how many positions are read again, and how many unread ones are skipped; null: unknown in positions.
 * They are counted from the earliest existing one: earlier rows are gone, whatever their positions were.
 */
export function spans(
  at: number | null,
  lane: LaneContents,
): { again: number; skipped: number; unread: number } | null {
  const { earliest, end } = lane;
  if (at === null || earliest == null || end == null) return null;
  const read = Math.min(Math.max(lane.stopped ?? earliest, earliest), end);
  return {
    again: Math.max(0, read - at),
    skipped: Math.max(0, at - read),
    unread: Math.max(0, end - Math.max(at, read)),
  };
}

/** Return why an input can't start at the chosen position; null if it can, as far as known. */
export function refusalOf(chosen: Chosen, input: InputContents): string | null {
  const way = chosen.kind === "word" && chosen.word === "now" ? "now" : chosen.kind;
  return way === "word" || input.failure !== null ? null : (input.refused[way] ?? null);
}

/** Return the effect of a start on a lane, in words. */
export function laneWords(chosen: Chosen, input: string, lane: LaneContents): string {
  const found = spans(positionOf(chosen, input, lane), lane);
  if (found !== null) {
    const rows = (count: number) => placesText(count, lane);
    const again = found.again > 0 ? `${rows(found.again)} read again` : "no rows read again";
    const skipped = found.skipped > 0 ? `, ${rows(found.skipped)} skipped unread` : "";
    return `${again}${skipped}, ${found.unread > 0 ? rows(found.unread) : "no rows"} new.`;
  }
  return amountWords(chosen, input, lane);
}

/** Return the number of rows, or `at most` that number if some positions hold no row. */
export function rowsText(count: number, atMost: boolean | undefined): string {
  return `${atMost && count > 0 ? "at most " : ""}${counted(count, "row")}`;
}

function placesText(count: number, { unit, at_most: atMost }: LaneContents): string {
  return unit === "batch" ? counted(count, "batch", "batches") : rowsText(count, atMost);
}

/** Return the amount of data in a lane, or since a time; null if unknown. */
function amountOf(
  rows: number | null | undefined,
  bytes: number | null | undefined,
  atMost: boolean | undefined,
): string | null {
  if (rows != null) return rowsText(rows, atMost);
  return bytes == null ? null : sizeText(bytes);
}

function amountWords(chosen: Chosen, input: string, lane: LaneContents): string {
  const all = amountOf(lane.rows, lane.bytes, lane.at_most);
  if (chosen.kind === "time") return sinceWords(amountOf(lane.rows_since, lane.bytes_since, lane.at_most), all);
  if (chosen.kind === "positions") return behindWords(positionOf(chosen, input, lane), lane);
  if (chosen.word === "now")
    return all === null ? "Existing rows are not read." : `Existing rows (${all}) are not read.`;
  if (chosen.word === "beginning")
    return all === null ? "All existing rows are read." : `All existing rows are read: ${all}.`;
  return lane.stopped == null ? UNKNOWN : `Resumes after row ${lane.stopped}.`;
}

const UNKNOWN = "It is unknown how far it was read.";

function sinceWords(since: string | null, all: string | null): string {
  if (since === null) return "The number of rows since that time is unknown.";
  if (all === null) return `${since} arrived at that time or later and are read.`;
  return `${since} of ${all} arrived at that time or later and are read.`;
}

function behindWords(at: number | null, { stopped }: LaneContents): string {
  if (stopped == null) return UNKNOWN;
  return at === null
    ? `Rows 0 to ${stopped} were read.`
    : `Starts at row ${at} of the ${counted(stopped, "row")} read so far.`;
}

/** `1.2 MB`. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`;
}

/** Return marks on a lane's line, from 0 to 1: by positions, otherwise by times; `held`: its newest row. Null: not drawn. */
export function marksOf(
  chosen: Chosen,
  input: string,
  lane: LaneContents,
  now: Ticks,
  stoppedAt: Ticks | null,
): { stopped: number | null; begin: number | null; held: number | null } | null {
  const { earliest, end } = lane;
  if (earliest != null && end != null) {
    const place = (at: number | null | undefined) =>
      at == null || end === earliest ? null : Math.min(1, Math.max(0, (at - earliest) / (end - earliest)));
    return { stopped: place(lane.stopped), begin: place(positionOf(chosen, input, lane)), held: place(end) };
  }
  const from = lane.from_at;
  if (from == null || from >= now) return null;
  const place = (at: Ticks | null) => (at === null ? null : Math.min(1, Math.max(0, (at - from) / (now - from))));
  const held = place(lane.until_at ?? null);
  return { stopped: place(stoppedAt), begin: place(timeOf(chosen, from, now, stoppedAt)), held };
}

export type Piece = readonly ["again" | "skipped" | "new", number, number];

/**
 * Return the rows read again, skipped and new as parts of the line, from 0 to 1. Nothing follows the newest row: a file
 * that was read to its end has no new rows, at any later time.
 */
export function piecesOf({ stopped, begin, held }: NonNullable<ReturnType<typeof marksOf>>): Piece[] {
  if (begin === null) return [];
  const until = held ?? Math.max(begin, stopped ?? begin);
  const read = stopped ?? begin;
  const pieces: Piece[] = [
    ["new", Math.max(begin, read), until],
    ["again", begin, Math.min(read, until)],
    ["skipped", read, Math.min(begin, until)],
  ];
  return pieces.filter(([, from, to]) => from < to);
}

function timeOf(chosen: Chosen, from: Ticks, now: Ticks, stoppedAt: Ticks | null): Ticks | null {
  if (chosen.kind === "time") return chosen.at;
  if (chosen.kind === "positions") return null;
  const stopped = { stopped: stoppedAt, carried_over: stoppedAt, old_positions: stoppedAt };
  return { beginning: from, now, ...stopped, oldest_open: null }[chosen.word];
}

/** Return the start position to send; null while the input is invalid, undefined to omit it. */
export function beginOf(chosen: Chosen): BeginAt | null | undefined {
  if (chosen.kind === "word") return chosen.word === "stopped" ? undefined : chosen.word;
  if (chosen.kind === "time") return chosen.at === null ? null : { kind: "time", at: chosen.at };
  const typed = Object.entries(chosen.typed);
  const texts = typed.flatMap(([, lanes]) => Object.values(lanes));
  if (texts.some((text) => wholeNumber(text) === null)) return null;
  const numbers = (lanes: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(lanes).map(([lane, text]) => [lane, Number(text.trim())]));
  return { kind: "positions", positions: Object.fromEntries(typed.map(([name, lanes]) => [name, numbers(lanes)])) };
}

/** Return the proposed positions: where the last run stopped, otherwise the earliest. */
export function proposed(inputs: readonly InputContents[], which: "stopped" | "earliest" | "end"): TypedPositions {
  return Object.fromEntries(
    inputs.map((input) => [
      input.input,
      Object.fromEntries(
        input.lanes.map((lane) => [lane.lane, String(lane[which] ?? lane.stopped ?? lane.earliest ?? 0)]),
      ),
    ]),
  );
}

/** Return the tick of a date and time field, in UTC; null if it is invalid. */
export function tickOfField(text: string): Ticks | null {
  const at = Date.parse(`${text}Z`);
  return Number.isNaN(at) ? null : at * 1_000;
}

/** Return the text of such a field for a tick, to the second. */
export function fieldOfTick(at: Ticks): string {
  return formatInstant(Math.floor(at / 1_000_000) * 1_000_000)
    .replace(" ", "T")
    .replace(/Z$/, "");
}
