/** The sample of a simulation: rows in order of arrival, and the edits to them. */

import type { Ticks } from "../../time/ticks";
import { readTime, writtenLike } from "./sampleTimes";

/** A row as in a transcript: an event, a CTI, a heartbeat or raw text, with only the fields that it has. */
export interface SampleRow {
  stream: string;
  lane?: string;
  arrival?: number | string;
  start?: unknown;
  end?: unknown;
  edge?: unknown;
  payload?: unknown;
  key?: unknown;
  meta?: unknown;
  cti?: unknown;
  strict?: boolean;
  bad?: string;
  heartbeat?: number | string;
}

/** The end of a micro-batch, between two rows; only imported CTIs depend on it (T26). */
export type SampleItem = SampleRow | "batch";

/** `key` identifies a row through all edits. */
export interface KeyedRow {
  key: string;
  row: SampleRow;
  /** The number of micro-batches that end before it; by default 0. */
  batches?: number;
}

export type EndMode = "flush" | "stop" | "none";

export interface Sample {
  rows: readonly KeyedRow[];
  end: EndMode;
  /** The number of the next key. */
  next: number;
  /** Its source, in words. */
  from: string;
}

export const NO_SAMPLE: Sample = { rows: [], end: "flush", next: 1, from: "" };

export function sampleOf(items: readonly SampleItem[], from: string, end: EndMode = "flush"): Sample {
  const rows: KeyedRow[] = [];
  let batches = 0;
  for (const item of items) {
    if (item === "batch") batches += 1;
    else {
      rows.push({ key: `r${rows.length + 1}`, row: item, ...(batches > 0 ? { batches } : {}) });
      batches = 0;
    }
  }
  return { rows, end, next: rows.length + 1, from };
}

/** Return the rows and marks to send; with `each`, and without marks, every row is a micro-batch. */
export function itemsOf(sample: Sample, each = false): SampleItem[] {
  const marked = sample.rows.some(({ batches }) => batches !== undefined);
  return sample.rows.flatMap(({ row, batches = 0 }, index): SampleItem[] => {
    const before = each && !marked ? Number(index > 0) : batches;
    return [...Array.from({ length: before }, () => "batch" as const), row];
  });
}

export type RowShape = "event" | "cti" | "heartbeat" | "bad";

export function shapeOf(row: SampleRow): RowShape {
  if ("bad" in row) return "bad";
  if ("heartbeat" in row) return "heartbeat";
  return "cti" in row ? "cti" : "event";
}

/** Return the key of a sample row from that of a line: a row has one line for each input that reads its stream. */
export function sampleKey(line: string): string {
  return line.split("/", 1)[0] ?? line;
}

/** Return the keys of a simulation's lines: that of the row, and for further inputs with their name. */
export function lineKeys(sample: Sample, lines: readonly { sample_row: number; input: string | null }[]): string[] {
  return lines.map(({ sample_row: row, input }, index) => {
    const key = sample.rows[row - 1]?.key ?? "";
    return lines[index - 1]?.sample_row === row ? `${key}/${input}` : key;
  });
}

function placeOfKey(sample: Sample, line: string): number {
  const key = sampleKey(line);
  return sample.rows.findIndex((each) => each.key === key);
}

export function changeRow(sample: Sample, line: string, change: (row: SampleRow) => SampleRow): Sample {
  const key = sampleKey(line);
  return {
    ...sample,
    rows: sample.rows.map((each) => (each.key === key ? { ...each, row: change(each.row) } : each)),
  };
}

export function removeRow(sample: Sample, line: string): Sample {
  const key = sampleKey(line);
  return { ...sample, rows: sample.rows.filter((each) => each.key !== key) };
}

/** Move a row to position `at`, from 0; the others keep their order. */
export function moveRow(sample: Sample, key: string, at: number): Sample {
  const from = placeOfKey(sample, key);
  const moved = sample.rows[from];
  const to = Math.max(0, Math.min(at, sample.rows.length - 1));
  if (moved === undefined || to === from) return sample;
  return { ...sample, rows: sample.rows.toSpliced(from, 1).toSpliced(to, 0, moved) };
}

/** Insert `rows` at position `at`, with new keys. */
export function insertRows(sample: Sample, at: number, rows: readonly SampleRow[]): Sample {
  const keyed = rows.map((row, index) => ({ key: `r${sample.next + index}`, row }));
  return { ...sample, rows: sample.rows.toSpliced(at, 0, ...keyed), next: sample.next + rows.length };
}

export function copyRow(sample: Sample, key: string): Sample {
  const at = placeOfKey(sample, key);
  const row = sample.rows[at]?.row;
  return row === undefined ? sample : insertRows(sample, at + 1, [structuredClone(row)]);
}

/** The event time of a stream whose rows have no `start`: paths into a row, and the unit. */
export interface RowClock {
  start: TimePath;
  end?: TimePath;
  /** True if this time overrides the row's own start (EVENTTIME BY). */
  always: boolean;
}

interface TimePath {
  path: readonly string[];
  unit: string;
}

const PER_UNIT: Record<string, number> = { s: 1_000_000, ms: 1_000, us: 1 };

function shiftedTime(written: unknown, by: Ticks, unit = "us"): unknown {
  if (typeof written === "number" && unit === "ns") return written + by * 1_000;
  if (typeof written === "number") return written + by / (PER_UNIT[unit] ?? 1);
  const at = readTime(written);
  return at === null ? written : writtenLike(written, at + by);
}

/** Return a copy of `value` with the value at `path` changed; unchanged without a value there. */
function changedAt(value: unknown, path: readonly string[], change: (written: unknown) => unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return change(value);
  if (typeof value !== "object" || value === null || !(name in value)) return value;
  const record = value as Record<string, unknown>;
  return { ...record, [name]: changedAt(record[name], rest, change) };
}

function laterInPayload(row: SampleRow, by: Ticks, clock: RowClock): SampleRow {
  const places = clock.end === undefined || "end" in row ? [clock.start] : [clock.start, clock.end];
  return places.reduce<SampleRow>(
    (next, { path, unit }) => changedAt(next, path, (written) => shiftedTime(written, by, unit)) as SampleRow,
    row,
  );
}

/** Move a row by `by` ticks: its start and end, or the time of a CTI or heartbeat. Invalid times stay. */
export function laterBy(row: SampleRow, by: Ticks, clock?: RowClock): SampleRow {
  const inPayload = clock !== undefined && shapeOf(row) === "event" && (clock.always || !("start" in row));
  const names = inPayload ? (["end"] as const) : (["start", "end", "cti", "heartbeat"] as const);
  const moved = names.filter((name) => name in row).map((name) => [name, shiftedTime(row[name], by)] as const);
  const next: SampleRow = { ...row, ...Object.fromEntries(moved) };
  return inPayload ? laterInPayload(next, by, clock) : next;
}

/** Set the row's end (or start) to `at`; unchanged if its lifetime would become empty. */
export function resized(row: SampleRow, side: "start" | "end", at: Ticks): SampleRow {
  const other = readTime(side === "start" ? row.end : row.start);
  if (other !== null && (side === "start" ? at >= other : at <= other)) return row;
  return { ...row, [side]: writtenLike(row[side] ?? row.start, at) };
}

/** Edits with undo and redo. */
export interface History<T> {
  now: T;
  before: readonly T[];
  after: readonly T[];
}

const KEPT = 200;

export function begun<T>(now: T): History<T> {
  return { now, before: [], after: [] };
}

export function changed<T>(history: History<T>, now: T): History<T> {
  return now === history.now ? history : { now, before: [...history.before, history.now].slice(-KEPT), after: [] };
}

export function undone<T>(history: History<T>): History<T> {
  const now = history.before.at(-1);
  return now === undefined
    ? history
    : { now, before: history.before.slice(0, -1), after: [history.now, ...history.after] };
}

export function redone<T>(history: History<T>): History<T> {
  const [now, ...after] = history.after;
  return now === undefined ? history : { now, before: [...history.before, history.now], after };
}
