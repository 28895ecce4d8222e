/** A replay of quarantine: rows as they are mended, and what would change in words. */

import type { LateShown, ReplayedRow } from "./api";
import { formatInstant } from "./ticks";
import { shortText } from "./values";

/** What somebody writes into the fields of a malformed row; a row without a start stays as it came. */
export interface MendedText {
  start: string;
  end: string;
  fields: Readonly<Record<string, string>>;
}

export interface MendedRow {
  id: string;
  start: string;
  end: string | null;
  payload: string;
}

/** The JSON of a field as it is written: text in quotes for texts and times, all else digit by digit. */
function written(type: string, text: string): string {
  if (text.trim() === "") return "null";
  if (type === "string" || type === "timestamp") return JSON.stringify(text);
  return isJson(text) ? text.trim() : JSON.stringify(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Those rows that are mended, as the server takes them; `types` are those of the input that each came by. */
export function mendedRows(
  texts: ReadonlyMap<string, MendedText>,
  types: ReadonlyMap<string, Readonly<Record<string, string>>>,
): MendedRow[] {
  return [...texts]
    .filter(([, { start }]) => start.trim() !== "")
    .map(([id, { start, end, fields }]) => {
      const pairs = Object.entries(types.get(id) ?? {}).map(
        ([name, type]) => `${JSON.stringify(name)}: ${written(type, fields[name] ?? "")}`,
      );
      return { id, start: start.trim(), end: end.trim() || null, payload: `{${pairs.join(", ")}}` };
    });
}

/** What the text of a malformed row has of the fields already, and the start where it was read. */
export function asItCame(row: LateShown, types: Readonly<Record<string, string>>): MendedText {
  const found = objectOf(row.raw);
  const inside = objectIn(found.payload) ?? found;
  const known = Object.keys(types).flatMap((name) => (inside[name] == null ? [] : [[name, textOf(inside[name])]]));
  return { start: row.start === null ? "" : formatInstant(row.start), end: "", fields: Object.fromEntries(known) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function objectIn(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function objectOf(raw: string): Record<string, unknown> {
  try {
    return objectIn(JSON.parse(raw)) ?? {};
  } catch {
    return {};
  }
}

export const REPLAY_WORDS = { same: "the same", changed: "changed", only_here: "new", missing: "gone" } as const;

export interface ColumnWords {
  name: string;
  /** What it is; null where the row is new. */
  was: string | null;
  /** What it would be; null where the row would go. */
  would: string | null;
}

/** The columns of a row, each as it is and as it would be. */
export function columnsOf({ mark, payload, today_payload }: ReplayedRow): ColumnWords[] {
  const before = mark === "only_here" ? null : mark === "missing" ? payload : today_payload;
  const after = mark === "missing" ? null : payload;
  return Object.keys(payload).map((name) => ({
    name,
    was: before === null ? null : shortText(before[name]),
    would: after === null ? null : shortText(after[name]),
  }));
}
