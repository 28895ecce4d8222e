/** The live page: groups and order of rows, and shares that add up to 100 %. */

import type { HomeResponse, HomeRow, HomeTiles } from "../api";
import { OUTCOMES, type Outcome } from "../run/outcomes";

export interface GroupedRows {
  attention: readonly HomeRow[];
  healthy: readonly HomeRow[];
}

export function grouped(rows: readonly HomeRow[]): GroupedRows {
  return {
    attention: rows.filter((row) => row.condition !== "healthy"),
    healthy: rows.filter((row) => row.condition === "healthy"),
  };
}

/** Return `rows` in the order of `held`, ids of bindings, with new ones at the end: rows don't jump under the pointer. */
export function inHeldOrder(rows: readonly HomeRow[], held: readonly string[] | null): readonly HomeRow[] {
  if (held === null) return rows;
  const places = new Map(held.map((binding, index) => [binding, index]));
  const place = (row: HomeRow) => places.get(row.binding) ?? held.length;
  return rows.toSorted((one, other) => place(one) - place(other));
}

/** Split rows into columns of equal length, in reading order from top to bottom. */
export function inColumns<T>(rows: readonly T[], columns: number): readonly (readonly T[])[] {
  const length = Math.ceil(rows.length / columns);
  return Array.from({ length: columns }, (_, index) => rows.slice(index * length, (index + 1) * length)).filter(
    (part) => part.length > 0,
  );
}

export interface OutcomeShare {
  outcome: Outcome;
  count: number;
  /** Tenths of a percent. */
  tenths: number;
}

/** Return the share of each outcome with a row; together they are exactly 1,000 tenths of a percent. */
export function sharesOf(counts: Readonly<Record<string, number>>): OutcomeShare[] {
  const found = OUTCOMES.map((outcome) => ({ outcome, count: counts[outcome] ?? 0 })).filter(({ count }) => count > 0);
  const whole = found.reduce((sum, { count }) => sum + count, 0);
  const exact = found.map((each) => ({ ...each, share: (1_000 * each.count) / whole }));
  let left = exact.reduce((sum, { share }) => sum - Math.floor(share), whole === 0 ? 0 : 1_000);
  const rounded = new Map<Outcome, number>();
  for (const { outcome, share } of exact.toSorted((a, b) => (b.share % 1) - (a.share % 1))) {
    rounded.set(outcome, Math.floor(share) + (left > 0 ? 1 : 0));
    left -= 1;
  }
  return found.map((each) => ({ ...each, tenths: rounded.get(each.outcome) ?? 0 }));
}

/** Outcomes of rows that are in time, so not part of the bar of those that aren't. */
const IN_TIME: ReadonlySet<Outcome> = new Set(["on_time", "reordered"]);

export interface NotInTime {
  /** Parts of the bar in percent of its width, in the order of outcomes. */
  parts: readonly { outcome: Outcome; percent: number }[];
  /** The rows not in time, and all. */
  late: number;
  whole: number;
}

/** The share of all rows at which the bar is full. */
export const FULL_BAR = 0.05;

/** Return the bar of the rows that aren't in time; at most full. */
export function notInTime(counts: Readonly<Record<string, number>>): NotInTime {
  const whole = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const found = OUTCOMES.filter((outcome) => !IN_TIME.has(outcome) && (counts[outcome] ?? 0) > 0);
  const late = found.reduce((sum, outcome) => sum + (counts[outcome] ?? 0), 0);
  const full = Math.max(FULL_BAR * whole, late);
  return { parts: found.map((outcome) => ({ outcome, percent: (100 * (counts[outcome] ?? 0)) / full })), late, whole };
}

/** Conditions in which nothing is known of the present. */
function unknownOf({ conditions }: HomeTiles): number {
  return (conditions.unknown ?? 0) + (conditions.undecided ?? 0);
}

export interface HealthCounts {
  healthy: number;
  unknown: number;
  starting: number;
  attention: number;
}

/** Return the parts of all listed queries. */
export function healthOf(tiles: HomeTiles): HealthCounts {
  const whole = Object.values(tiles.conditions).reduce((sum, count) => sum + count, 0);
  const healthy = tiles.conditions.healthy ?? 0;
  const starting = tiles.conditions.starting ?? 0;
  const unknown = unknownOf(tiles);
  return { healthy, unknown, starting, attention: whole - healthy - unknown - starting };
}

/** Alerts that were decided longer ago than this, in ticks, are unknown: a turn comes every ten seconds. */
const DECIDED_WITHIN = 60_000_000;

/** Return whether alerts are decided at present. */
export function alertsAreDecided({ now, decided_at }: HomeResponse): boolean {
  return decided_at !== null && now - decided_at <= DECIDED_WITHIN;
}
