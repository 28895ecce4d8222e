/** The sample that a simulation reads: rows in order of arrival, and what a person does to them. */

import type { Ticks } from "../ticks";
import { readTime, writtenLike } from "./sampleTimes";

/** A row as a transcript has it: an event, a CTI, a heartbeat or raw text, and only what it says. */
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

/** Where a micro-batch ends, between two rows; only CTIs that are imported wait for it (T26). */
export type SampleItem = SampleRow | "batch";

/** `key` stays with a row through all edits. */
export interface KeyedRow {
  key: string;
  row: SampleRow;
  /** How many micro-batches end before it; none unless it says so. */
  batches?: number;
}

export type EndMode = "flush" | "stop" | "none";

export interface Sample {
  rows: readonly KeyedRow[];
  end: EndMode;
  /** The number of the next key. */
  next: number;
  /** Where it comes from, in words. */
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

/** What is sent: the rows and the marks between them; with `each`, and no mark of its own, every row is a micro-batch. */
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

/** The key of a row of the sample from that of a line: a row stands there once for each input that reads its stream. */
export function sampleKey(line: string): string {
  return line.split("/", 1)[0] ?? line;
}

/** The keys of the lines of a simulation of `sample`: that of the row, and for further inputs with their name. */
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

/** The row at place `at`, from 0, the others in order around it. */
export function moveRow(sample: Sample, key: string, at: number): Sample {
  const from = placeOfKey(sample, key);
  const moved = sample.rows[from];
  const to = Math.max(0, Math.min(at, sample.rows.length - 1));
  if (moved === undefined || to === from) return sample;
  return { ...sample, rows: sample.rows.toSpliced(from, 1).toSpliced(to, 0, moved) };
}

/** `rows` at place `at`, under new keys. */
export function insertRows(sample: Sample, at: number, rows: readonly SampleRow[]): Sample {
  const keyed = rows.map((row, index) => ({ key: `r${sample.next + index}`, row }));
  return { ...sample, rows: sample.rows.toSpliced(at, 0, ...keyed), next: sample.next + rows.length };
}

export function copyRow(sample: Sample, key: string): Sample {
  const at = placeOfKey(sample, key);
  const row = sample.rows[at]?.row;
  return row === undefined ? sample : insertRows(sample, at + 1, [structuredClone(row)]);
}

/** Where the times of a stream's events stand when their rows say no `start`: paths into a row, and the unit there. */
export interface RowClock {
  start: TimePath;
  end?: TimePath;
  /** The start is read from there whatever the row says beside it (EVENTTIME BY). */
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

/** A copy of `value` with what stands at `path` changed; as it was where there is nothing. */
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

/** The row `by` ticks later: its start and its end, or the time of a CTI or heartbeat. What is no time stays. */
export function laterBy(row: SampleRow, by: Ticks, clock?: RowClock): SampleRow {
  const inPayload = clock !== undefined && shapeOf(row) === "event" && (clock.always || !("start" in row));
  const names = inPayload ? (["end"] as const) : (["start", "end", "cti", "heartbeat"] as const);
  const said = names.filter((name) => name in row).map((name) => [name, shiftedTime(row[name], by)] as const);
  const next: SampleRow = { ...row, ...Object.fromEntries(said) };
  return inPayload ? laterInPayload(next, by, clock) : next;
}

/** The row with its end (or its start) at `at`; as it was where that would leave nothing of its lifetime. */
export function resized(row: SampleRow, side: "start" | "end", at: Ticks): SampleRow {
  const other = readTime(side === "start" ? row.end : row.start);
  if (other !== null && (side === "start" ? at >= other : at <= other)) return row;
  return { ...row, [side]: writtenLike(row[side] ?? row.start, at) };
}

/** Edits that can be taken back and made again. */
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
