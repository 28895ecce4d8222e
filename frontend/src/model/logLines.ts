/** The log of a run as it is read on: lines in order, of which the oldest are let go, and which of them are looked for. */

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

export type Level = "all" | "warning" | "error";

const SHOWN: Record<Level, readonly string[] | null> = { all: null, warning: ["warning", "error"], error: ["error"] };

/** The lines of at least that level that hold the text, in whatever case. */
export function linesShown(lines: readonly LogLine[], level: Level, typed: string): LogLine[] {
  const levels = SHOWN[level];
  const wanted = typed.trim().toLowerCase();
  return lines.filter(
    (line) =>
      (levels === null || levels.includes(line.level)) &&
      (wanted === "" || line.message.toLowerCase().includes(wanted)),
  );
}
