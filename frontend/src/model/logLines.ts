/** The log of a run as it is read on: lines in order, of which the oldest are let go. */

import type { components } from "../generated/api";

export type LogLine = components["schemas"]["LogLine"];
type LogPage = components["schemas"]["LogPage"];

export interface Log {
  lines: readonly LogLine[];
  /** Where reading goes on; null from the beginning. */
  next: string | null;
  /** How many older lines were let go. */
  dropped: number;
}

export const EMPTY_LOG: Log = { lines: [], next: null, dropped: 0 };
/** So many are held: a page that lists more is slow, and the command line has them all. */
export const MOST_LINES = 5_000;

export function withPage(log: Log, page: LogPage): Log {
  const lines = [...log.lines, ...page.lines];
  const over = Math.max(0, lines.length - MOST_LINES);
  return { lines: lines.slice(over), next: page.next, dropped: log.dropped + over };
}

/** Which lines are looked for: of that level or a worse one, and with that text. */
export type Level = "all" | "warning" | "error";

export interface LogChoice {
  level: Level;
  text: string;
}

/** What the server is asked of them. */
export function logQuery({ level, text }: LogChoice): { level?: "warning" | "error"; text?: string } {
  const wanted = text.trim();
  return { ...(level === "all" ? {} : { level }), ...(wanted === "" ? {} : { text: wanted }) };
}
