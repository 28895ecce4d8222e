/** Rows from pasted or uploaded text: CSV with a header, or one JSON object per line. Every line becomes a row. */

import type { StreamDefinition } from "../../api";
import { parseExactly } from "../../text/exactJson";
import type { SampleRow } from "./sample";
import { readTime } from "./sampleTimes";

export interface PastedRows {
  rows: SampleRow[];
  /** Notes for the user to check: how columns were read, and unreadable parts. */
  notes: string[];
}

export interface PasteTarget {
  stream: string;
  fields: Readonly<Record<string, string>>;
  eventTime: StreamDefinition["event_time"] | null;
}

const OWN = ["start", "end", "edge", "cti", "heartbeat", "lane", "arrival", "stream", "bad", "strict"] as const;
const OWN_NAMES: ReadonlySet<string> = new Set(OWN);
const WHOLE: ReadonlySet<string> = new Set([...OWN, "payload", "key", "meta"]);
const NUMBERS = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const PER_UNIT: Record<string, number> = { s: 1_000_000, ms: 1_000, us: 1 };

function cellOf(written: string): string {
  const quoted = written.length > 1 && written.startsWith('"') && written.endsWith('"');
  return quoted ? written.slice(1, -1).replaceAll('""', '"') : written.replace(/\r$/, "");
}

/** Split lines into cells: separated by commas, semicolons or tabs; quotes are doubled within quotes. */
export function csvCells(text: string, separator: string): string[][] {
  const cell = new RegExp(`("(?:[^"]|"")*"|[^${separator}\\n]*)(${separator}|\\r?\\n|$)`, "g");
  const lines: string[][] = [[]];
  for (const [, written = "", after = ""] of text.matchAll(cell)) {
    lines.at(-1)?.push(cellOf(written));
    if (after === "") break;
    if (after.endsWith("\n")) lines.push([]);
  }
  return lines.filter((cells) => cells.some((each) => each.trim() !== ""));
}

function separatorOf(head: string): string {
  const counts = [",", ";", "\t"].map((sign) => [sign, head.split(sign).length] as const);
  return counts.toSorted((one, other) => other[1] - one[1])[0]?.[0] ?? ",";
}

function numberOr(cell: string, type: string | undefined): unknown {
  const text = cell.trim();
  const readable = NUMBERS.test(text) && (type !== "long" || Number.isSafeInteger(Number(text)));
  return readable ? Number(text) : cell;
}

function jsonOr(cell: string): unknown {
  try {
    return parseExactly(cell);
  } catch {
    return cell;
  }
}

const BOOLEANS: Record<string, boolean> = { true: true, false: false };

/** Parse a cell by its field's type; invalid text stays text, which the simulation then reports as malformed. */
function typedValue(cell: string, type: string | undefined): unknown {
  const text = cell.trim();
  if (text === "") return null;
  if (type === undefined || type === "long" || type === "double") return numberOr(cell, type);
  if (type === "boolean") return BOOLEANS[text] ?? cell;
  return /^(array|struct)/.test(type) ? jsonOr(text) : cell;
}

/** Parse nanoseconds, which have more digits than a number can hold. */
function tickOfNanoseconds(written: unknown, number: number): number {
  const text = String(written).trim();
  if (!/^\d+$/.test(text)) return Math.floor(number / 1_000);
  return Number(BigInt(text) / 1_000n);
}

/** Parse a time as the stream's adapter would read it from its column; unchanged if that fails. */
function columnTime(value: unknown, unit: string): unknown {
  const per = PER_UNIT[unit];
  const number = typeof value === "string" && NUMBERS.test(value.trim()) ? Number(value) : value;
  if (per !== undefined && typeof number === "number") return Math.round(number * per);
  if (unit === "ns" && typeof number === "number") return tickOfNanoseconds(value, number);
  return readTime(value) ?? value;
}

/** Return the meaning and unit of each time column ("" without a time). */
function timeColumns({ eventTime }: PasteTarget): ReadonlyMap<string, readonly [string, string]> {
  const columns = new Map<string, readonly [string, string]>();
  if (eventTime == null) return columns;
  columns.set(eventTime.start.column, ["start", eventTime.start.unit ?? "iso"]);
  if (eventTime.end != null) columns.set(eventTime.end.column, ["end", eventTime.end.unit ?? "iso"]);
  if (eventTime.edge != null) columns.set(eventTime.edge, ["edge", ""]);
  return columns;
}

/** Return a column's meaning for the row itself: a time of the stream, or a reserved column; null for a payload value. */
function ownEntry(name: string, value: unknown, target: PasteTarget): readonly [string, unknown] | null {
  const time = timeColumns(target).get(name);
  if (time !== undefined) return [time[0], time[1] === "" ? value : columnTime(value, time[1])];
  if (name in target.fields || !OWN_NAMES.has(name) || value === null || value === "") return null;
  return [name, ownValue(name, value)];
}

const inPayload = (name: string, target: PasteTarget) =>
  name in target.fields || (!OWN_NAMES.has(name) && !isTimeColumn(name, target));

/** Turn a flat record, from a CSV line or a JSON object without `payload`, into a row. */
function rowOf(record: Readonly<Record<string, unknown>>, target: PasteTarget): SampleRow {
  const entries = Object.entries(record);
  const own = Object.fromEntries(
    entries.flatMap(([name, value]) => [ownEntry(name, value, target)].filter((each) => each !== null)),
  );
  const row: SampleRow = { stream: target.stream, ...own };
  const event = !("cti" in row || "heartbeat" in row || "bad" in row);
  if (!event) return row;
  return { ...row, payload: Object.fromEntries(entries.filter(([name]) => inPayload(name, target))) };
}

function ownValue(name: string, value: unknown): unknown {
  if (name === "cti" && (value === "infinity" || value === "inf")) return null;
  if (name === "strict") return value === true || value === "true";
  if (name === "lane" || name === "stream" || name === "bad" || name === "edge") return String(value);
  return readTime(value) ?? value;
}

function pastedCsv(text: string, target: PasteTarget): PastedRows {
  const separator = separatorOf(text.slice(0, text.indexOf("\n") < 0 ? text.length : text.indexOf("\n")));
  const [head = [], ...lines] = csvCells(text, separator);
  const names = head.map((name) => name.trim());
  const notes: string[] = [];
  const isKnown = (name: string) => name in target.fields || OWN_NAMES.has(name) || isTimeColumn(name, target);
  const unknown = names.filter((name) => !isKnown(name));
  if (unknown.length > 0) {
    notes.push(`Unknown columns of ${target.stream}, ignored by the query: ${unknown.join(", ")}.`);
  }
  const rows = lines.map((cells): SampleRow => {
    if (cells.length > names.length) return { stream: target.stream, bad: cells.join(separator) };
    const record = names.map((name, index) => {
      const cell = cells[index] ?? "";
      const plain = OWN_NAMES.has(name) || (isTimeColumn(name, target) && !(name in target.fields));
      return [name, plain ? cell.trim() : typedValue(cell, target.fields[name])] as const;
    });
    return rowOf(Object.fromEntries(record), target);
  });
  return { rows, notes };
}

function isTimeColumn(name: string, { eventTime }: PasteTarget): boolean {
  return eventTime != null && [eventTime.start.column, eventTime.end?.column, eventTime.edge].includes(name);
}

function pastedLine(line: string, target: PasteTarget): SampleRow {
  try {
    const value = parseExactly(line);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { stream: target.stream, bad: line };
    const record = value as Record<string, unknown>;
    const whole = ["payload", "cti", "bad", "heartbeat"].some((name) => name in record);
    const fits = whole && Object.keys(record).every((name) => WHOLE.has(name));
    return fits ? { ...record, stream: String(record.stream ?? target.stream) } : rowOf(record, target);
  } catch {
    return { stream: target.stream, bad: line };
  }
}

function pastedJson(text: string, target: PasteTarget): PastedRows {
  if (text.startsWith("[")) {
    try {
      const values = parseExactly(text) as unknown[];
      return { rows: values.map((value) => pastedLine(JSON.stringify(value), target)), notes: [] };
    } catch {
      // Not one array: each line by itself says what is wrong with it.
    }
  }
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return { rows: lines.map((line) => pastedLine(line.trim(), target)), notes: [] };
}

/** Parse pasted text as rows of a stream. */
export function pastedRows(text: string, target: PasteTarget): PastedRows {
  const trimmed = text.replace(/^\uFEFF/, "").trim();
  if (trimmed === "") return { rows: [], notes: ["The text is empty."] };
  const read = /^[[{]/.test(trimmed) ? pastedJson(trimmed, target) : pastedCsv(trimmed, target);
  const bad = read.rows.filter((row) => row.bad !== undefined).length;
  const notes = bad === 0 ? read.notes : [...read.notes, "Unreadable lines became malformed rows."];
  return read.rows.length === 0 ? { rows: [], notes: ["The text has a header but no rows."] } : { ...read, notes };
}
