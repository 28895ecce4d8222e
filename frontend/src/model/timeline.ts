/** Where a run may begin on the timeline of its inputs, and what it then reads again or leaves out. */

import type { BeginAt, TimelineShown } from "./api";
import { counted } from "./counts";
import { formatInstant, type Ticks } from "./ticks";

export type InputHeld = TimelineShown["inputs"][number];
export type LaneHeld = InputHeld["lanes"][number];

/** Positions as they are typed, by input and lane. */
export type TypedPositions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What is chosen: a word, a time (null while none can be read), or positions as typed. */
export type Chosen =
  | { readonly kind: "word"; readonly word: Extract<BeginAt, string> | "stopped" }
  | { readonly kind: "time"; readonly at: Ticks | null }
  | { readonly kind: "positions"; readonly typed: TypedPositions };

/** Where a lane begins: at its earliest row, at its end, at a position; null where that cannot be said in positions. */
export function positionOf(chosen: Chosen, input: string, lane: LaneHeld): number | null {
  if (chosen.kind === "time") return lane.at_time ?? null;
  if (chosen.kind === "positions") return wholeNumber(chosen.typed[input]?.[lane.lane] ?? "");
  if (chosen.word === "beginning") return lane.earliest ?? null;
  if (chosen.word === "now") return lane.end ?? null;
  return lane.stopped ?? null;
}

/** A whole number of at least 0, as typed; null for anything else. */
export function wholeNumber(text: string): number | null {
  return /^\d{1,15}$/.test(text.trim()) ? Number(text.trim()) : null;
}

/**
 * How many positions are read again, and how many that nobody has read are left out; null: not known in positions.
 * They are counted from the earliest that is still there: what lies before it is gone, whatever number it had.
 */
export function spans(at: number | null, lane: LaneHeld): { again: number; skipped: number; unread: number } | null {
  const { earliest, end } = lane;
  if (at === null || earliest == null || end == null) return null;
  const read = Math.min(Math.max(lane.stopped ?? earliest, earliest), end);
  return {
    again: Math.max(0, read - at),
    skipped: Math.max(0, at - read),
    unread: Math.max(0, end - Math.max(at, read)),
  };
}

/** Why an input cannot begin where it is chosen; null if it can, as far as that is known. */
export function refusalOf(chosen: Chosen, input: InputHeld): string | null {
  const way = chosen.kind === "word" && chosen.word === "now" ? "now" : chosen.kind;
  return way === "word" || input.failure !== null ? null : (input.refused[way] ?? null);
}

/** What a start does with a lane, in words. */
export function laneWords(chosen: Chosen, input: string, lane: LaneHeld): string {
  const found = spans(positionOf(chosen, input, lane), lane);
  if (found !== null) {
    const rows = (count: number) => placesText(count, lane);
    const again = found.again > 0 ? `${rows(found.again)} read again` : "nothing read again";
    const skipped = found.skipped > 0 ? `, ${rows(found.skipped)} left out that nobody has read` : "";
    return `${again}${skipped}, ${found.unread > 0 ? rows(found.unread) : "nothing"} new.`;
  }
  return amountWords(chosen, input, lane);
}

/** So many rows, or `at most` so many where some positions hold none. */
export function rowsText(count: number, atMost: boolean | undefined): string {
  return `${atMost && count > 0 ? "at most " : ""}${counted(count, "row")}`;
}

function placesText(count: number, { unit, at_most: atMost }: LaneHeld): string {
  return unit === "batch" ? counted(count, "batch", "batches") : rowsText(count, atMost);
}

/** How much a lane holds, or holds since a time; null where that is not known. */
function amountOf(
  rows: number | null | undefined,
  bytes: number | null | undefined,
  atMost: boolean | undefined,
): string | null {
  if (rows != null) return rowsText(rows, atMost);
  return bytes == null ? null : sizeText(bytes);
}

function amountWords(chosen: Chosen, input: string, lane: LaneHeld): string {
  const all = amountOf(lane.rows, lane.bytes, lane.at_most);
  if (chosen.kind === "time") return sinceWords(amountOf(lane.rows_since, lane.bytes_since, lane.at_most), all);
  if (chosen.kind === "positions") return behindWords(positionOf(chosen, input, lane), lane);
  if (chosen.word === "now") return all === null ? "What is there is not read." : `What is there, ${all}, is not read.`;
  if (chosen.word === "beginning")
    return all === null ? "All that is there is read." : `All that is there is read: ${all}.`;
  return lane.stopped == null ? UNKNOWN : `It goes on behind row ${lane.stopped}.`;
}

const UNKNOWN = "It is not known how far it was read.";

function sinceWords(since: string | null, all: string | null): string {
  if (since === null) return "How much came then or later is not known beforehand.";
  if (all === null) return `${since} came then or later, and are read.`;
  return `${since} of ${all} came then or later, and are read.`;
}

function behindWords(at: number | null, { stopped }: LaneHeld): string {
  if (stopped == null) return UNKNOWN;
  return at === null ? `Rows 0 to ${stopped} were read.` : `It begins at row ${at} of ${stopped} that were read.`;
}

/** `1.2 MB`. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`;
}

/** Where the marks of a lane stand on its line, from 0 to 1: by positions, else by times; null: nothing to draw. */
export function marksOf(
  chosen: Chosen,
  input: string,
  lane: LaneHeld,
  now: Ticks,
  stoppedAt: Ticks | null,
): { stopped: number | null; begin: number | null } | null {
  const { earliest, end } = lane;
  if (earliest != null && end != null) {
    const place = (at: number | null | undefined) =>
      at == null || end === earliest ? null : Math.min(1, Math.max(0, (at - earliest) / (end - earliest)));
    return { stopped: place(lane.stopped), begin: place(positionOf(chosen, input, lane)) };
  }
  const from = lane.from_at;
  if (from == null || from >= now) return null;
  const place = (at: Ticks | null) => (at === null ? null : Math.min(1, Math.max(0, (at - from) / (now - from))));
  return { stopped: place(stoppedAt), begin: place(timeOf(chosen, from, now, stoppedAt)) };
}

function timeOf(chosen: Chosen, from: Ticks, now: Ticks, stoppedAt: Ticks | null): Ticks | null {
  if (chosen.kind === "time") return chosen.at;
  if (chosen.kind === "positions") return null;
  const stopped = { stopped: stoppedAt, carried_over: stoppedAt, old_positions: stoppedAt };
  return { beginning: from, now, ...stopped, oldest_open: null }[chosen.word];
}

/** What is sent to the server; null while what is typed cannot be sent, undefined to say nothing. */
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

/** The positions that are proposed: where the last run stopped, else the earliest. */
export function proposed(inputs: readonly InputHeld[], which: "stopped" | "earliest" | "end"): TypedPositions {
  return Object.fromEntries(
    inputs.map((input) => [
      input.input,
      Object.fromEntries(
        input.lanes.map((lane) => [lane.lane, String(lane[which] ?? lane.stopped ?? lane.earliest ?? 0)]),
      ),
    ]),
  );
}

/** The tick of what a field for date and time holds, in UTC; null where that is none. */
export function tickOfField(text: string): Ticks | null {
  const at = Date.parse(`${text}Z`);
  return Number.isNaN(at) ? null : at * 1_000;
}

/** What such a field shows of a tick, to the second. */
export function fieldOfTick(at: Ticks): string {
  return formatInstant(Math.floor(at / 1_000_000) * 1_000_000)
    .replace(" ", "T")
    .replace(/Z$/, "");
}
