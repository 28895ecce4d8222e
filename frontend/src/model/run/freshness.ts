/** Freshness of results: the choices, their cost, and the age at which the newest report counts as stale. */

import type { Observed, RunResponse } from "../api";
import { counted } from "../text/counts";
import { formatSpan, parseDuration, type Ticks } from "../time/ticks";
import type { HistorySample } from "./history";

export type Freshness = RunResponse["freshness"];

export const USUAL: Freshness = "5s";
const CHOICES: Record<Freshness, string> = {
  "200ms": "200 ms",
  "1s": "1 s",
  "5s": "5 s (default)",
  "15s": "15 s",
  "1m": "1 min",
  "5m": "5 min",
  "15m": "15 min",
  "1h": "1 h",
};
const MINUTE_S = 60;
const MINUTE: Ticks = 60_000_000;
/** The longest time for a batch and its report, before the report counts as stale. */
export const FRESH: Ticks = 20_000_000;

function isFreshness(text: string): text is Freshness {
  return text in CHOICES;
}

export const FRESHNESS_OPTIONS = Object.entries(CHOICES).flatMap(([name, words]) =>
  isFreshness(name) ? [[name, words] as const] : [],
);

/** Return the choice in a draft; a value from an older page, which allowed any duration, becomes the default. */
export function freshnessOf(typed: string | null | undefined): Freshness {
  return typed !== null && typed !== undefined && isFreshness(typed) ? typed : USUAL;
}

export function freshnessTicks(freshness: Freshness): Ticks {
  return parseDuration(freshness) ?? 0;
}

/** Return the cost of batches of this duration at a freshness, with a constant flow of rows. */
export function costWords(freshness: Freshness, batchSeconds: number): string {
  const every = Math.max(freshnessTicks(freshness) / 1_000_000, batchSeconds);
  if (every === 0) return "";
  const each = `${Number(batchSeconds.toPrecision(2))} s`;
  const perMinute = Number((MINUTE_S / every).toPrecision(2));
  const many =
    perMinute < 1 ? "less than one batch a minute" : `up to ${counted(perMinute, "batch", "batches")} a minute`;
  return `The last batch took ${each}: ${many}, ${share(batchSeconds / every)} of the time of its carrier.`;
}

/** Return the number of batches in the minute before `now`, and their share of that time. */
export function recentBatches(samples: readonly HistorySample[], now: Ticks): string {
  const recent = samples.filter((sample) => sample.step === 0 && sample.at > now - MINUTE && sample.batchSeconds > 0);
  if (recent.length === 0) return "no batch in the last minute";
  const part = recent.reduce((sum, each) => sum + each.batchSeconds, 0) / MINUTE_S;
  return `${counted(recent.length, "batch", "batches")} in the last minute took ${share(part)} of it`;
}

/** Return a share of time in percent, with two digits. */
export function share(part: number): string {
  const percent = Math.min(1, part) * 100;
  return percent > 0 && percent < 0.1 ? "less than 0.1 %" : `${Number(percent.toPrecision(2))} %`;
}

const WHY: Partial<Record<Observed, string>> = {
  running: "The runner responds but has not committed a batch since: no rows have arrived, or a batch takes long.",
  recovering: "The run is being resumed; figures update with its first batch.",
  stopping: "The last batch is being finished.",
};

/**
 * Return a sentence about a stale report; null while it is fresh, by its binding's freshness. Ages above a minute are
 * given in minutes.
 */
export function staleWords(age: Ticks, observed: Observed, freshness: Freshness = USUAL): string | null {
  if (age <= Math.max(FRESH, FRESH / 2 + freshnessTicks(freshness))) return null;
  const unit = age < 60_000_000 ? 1_000_000 : 60_000_000;
  const rounded = formatSpan(Math.floor(age / unit) * unit);
  const why = WHY[observed] ?? "Figures update with the next batch.";
  return `The newest report is ${rounded} old. ${why}`;
}
