/** A replay of quarantined rows: the corrected rows, and the resulting changes in words. */

import type { LateResponse, ReplayedRow } from "../api";
import { parseExactly } from "../text/exactJson";
import { valueText } from "../text/values";
import { formatInstant } from "../time/ticks";

/** The corrected fields of a malformed row; a row without a start stays as received. */
export interface CorrectedText {
  start: string;
  end: string;
  fields: Readonly<Record<string, string>>;
}

export interface CorrectedRow {
  id: string;
  start: string;
  end: string | null;
  payload: string;
}

/** Return the JSON of a field: texts and times quoted, all else digit by digit. */
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

/** Return the corrected rows for the server; `types` are those of each row's input. */
export function correctedRows(
  texts: ReadonlyMap<string, CorrectedText>,
  types: ReadonlyMap<string, Readonly<Record<string, string>>>,
): CorrectedRow[] {
  return [...texts]
    .filter(([, { start }]) => start.trim() !== "")
    .map(([id, { start, end, fields }]) => {
      const pairs = Object.entries(types.get(id) ?? {}).map(
        ([name, type]) => `${JSON.stringify(name)}: ${written(type, fields[name] ?? "")}`,
      );
      return { id, start: start.trim(), end: end.trim() || null, payload: `{${pairs.join(", ")}}` };
    });
}

/** Return the fields that the text of a malformed row already has, and its start if it could be read. */
export function originalText(row: LateResponse, types: Readonly<Record<string, string>>): CorrectedText {
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
    return objectIn(parseExactly(raw)) ?? {};
  } catch {
    return {};
  }
}

export const REPLAY_WORDS = { same: "the same", changed: "changed", only_here: "new", missing: "removed" } as const;

export interface ColumnWords {
  name: string;
  /** The current value; null if the row is new. */
  was: string | null;
  /** The new value; null if the row would be removed. */
  would: string | null;
}

/** Return the columns of a row, each with its current and its new value. */
export function columnsOf({ mark, payload, today_payload }: ReplayedRow): ColumnWords[] {
  const before = mark === "only_here" ? null : mark === "missing" ? payload : today_payload;
  const after = mark === "missing" ? null : payload;
  return Object.keys(payload).map((name) => ({
    name,
    was: before === null ? null : valueText(before[name]),
    would: after === null ? null : valueText(after[name]),
  }));
}
