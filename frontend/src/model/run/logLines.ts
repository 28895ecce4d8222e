/** A run's log as it is read: lines in order, without the oldest ones. */

import type { components } from "../../generated/api";

export type LogLine = components["schemas"]["LogLine"];
type LogPage = components["schemas"]["LogPage"];

export interface Log {
  lines: readonly LogLine[];
  /** Where to continue reading; null: from the start. */
  next: string | null;
  /** The number of dropped older lines. */
  dropped: number;
}

export const EMPTY_LOG: Log = { lines: [], next: null, dropped: 0 };
/** The maximum number of lines: longer pages are slow, and the command line can show all of them. */
export const MOST_LINES = 5_000;

export function withPage(log: Log, page: LogPage): Log {
  const lines = [...log.lines, ...page.lines];
  const over = Math.max(0, lines.length - MOST_LINES);
  return { lines: lines.slice(over), next: page.next, dropped: log.dropped + over };
}

/** The minimum level of the wanted lines. */
export type Level = "all" | "warning" | "error";

export interface LogChoice {
  level: Level;
  text: string;
}

/** Return the filter for the server. */
export function logQuery({ level, text }: LogChoice): { level?: "warning" | "error"; text?: string } {
  const wanted = text.trim();
  return { ...(level === "all" ? {} : { level }), ...(wanted === "" ? {} : { text: wanted }) };
}
