/** Incidents: their state and distances in words, and the places of marks on the chart. */

import type { IncidentFigures, IncidentResponse, TimelineEntry } from "../api";
import type { Span } from "../live/ranges";
import { counted } from "../text/counts";
import { formatSpan, type Ticks } from "../time/ticks";

/** `Open for 46 min`, or `Resolved after 2 h`. */
export function stateWords({ begin, resolved_at: end }: IncidentResponse, now: Ticks): string {
  return end === null ? `Open for ${formatSpan(now - begin)}` : `Resolved after ${formatSpan(end - begin)}`;
}

/** The distance of an entry that precedes the loss; empty for others. */
export function distanceWords({ before_loss: distance }: TimelineEntry): string {
  return distance === null ? "" : `${formatSpan(distance)} before the first lost row`;
}

/** The periods that the figures don't have, in words; null without one. */
export function unknownWords({ unknown }: IncidentFigures): string | null {
  if (unknown.length === 0) return null;
  const length = unknown.reduce((sum, { begin, end }) => sum + end - begin, 0);
  return `Not known: reports of ${counted(unknown.length, "period")}, ${formatSpan(length)} in all, may be missing. Their rows may not be counted.`;
}

export const ENTRY_FILTERS = [
  ["all", "All"],
  ["alert", "Alerts"],
  ["note", "Notes"],
  ["run", "Runs and versions"],
  ["repair", "Repairs"],
  ["action", "Actions"],
] as const;
export type EntryFilter = (typeof ENTRY_FILTERS)[number][0];

/** Return the entries of a filter; the first lost row is always there. */
export function filtered(timeline: readonly TimelineEntry[], filter: EntryFilter): readonly TimelineEntry[] {
  if (filter === "all") return timeline;
  const kind = (entry: TimelineEntry) => (entry.kind === "version" ? "run" : entry.kind);
  return timeline.filter((entry) => entry.kind === "loss" || kind(entry) === filter);
}

export interface LetterPlace {
  entry: TimelineEntry;
  /** The share of the width. */
  left: number;
  /** The row of letters, 0 is the lowest. */
  row: number;
}

/** Entries that are closer have their letters in different rows. */
const CLOSE = 0.022;
const ROWS = 3;

/** Return the places of the letters on the chart; of a crowd, the last letters are only in the list. */
export function letterPlaces(timeline: readonly TimelineEntry[], { begin, end }: Span): LetterPlace[] {
  const reached: number[] = Array.from({ length: ROWS }, () => Number.NEGATIVE_INFINITY);
  return timeline.flatMap((entry) => {
    const left = (entry.at - begin) / (end - begin);
    const row = reached.findIndex((last) => left - last >= CLOSE);
    if (entry.mark === "" || left < 0 || left > 1 || row < 0) return [];
    reached[row] = left;
    return [{ entry, left, row }];
  });
}
