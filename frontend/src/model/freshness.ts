/** How fresh results are: what may be chosen, what it costs, and how old the newest report may be before the page says so. */

import type { Observed, RunShown } from "./api";
import { counted } from "./counts";
import type { HistorySample } from "./history";
import { formatSpan, parseDuration, type Ticks } from "./ticks";

export type Freshness = RunShown["freshness"];

export const USUAL: Freshness = "5s";
const CHOICES: Record<Freshness, string> = {
  "200ms": "200 ms",
  "1s": "1 s",
  "5s": "5 s, as is usual",
  "15s": "15 s",
  "1m": "1 min",
  "5m": "5 min",
  "15m": "15 min",
  "1h": "1 h",
};
const MINUTE_S = 60;
const MINUTE: Ticks = 60_000_000;
/** A batch and its way here may take so long without a word. */
export const FRESH: Ticks = 20_000_000;

function isFreshness(text: string): text is Freshness {
  return text in CHOICES;
}

export const FRESHNESS_OPTIONS = Object.entries(CHOICES).flatMap(([name, words]) =>
  isFreshness(name) ? [[name, words] as const] : [],
);

/** The choice that a draft holds; one of an older page, which took any length, is the usual one. */
export function freshnessOf(typed: string | null | undefined): Freshness {
  return typed !== null && typed !== undefined && isFreshness(typed) ? typed : USUAL;
}

export function freshnessTicks(freshness: Freshness): Ticks {
  return parseDuration(freshness) ?? 0;
}

/** What batches of so many seconds cost at that freshness, while rows keep coming: at most so many of them follow. */
export function costWords(freshness: Freshness, batchSeconds: number): string {
  const every = Math.max(freshnessTicks(freshness) / 1_000_000, batchSeconds);
  if (every === 0) return "";
  const each = `${Number(batchSeconds.toPrecision(2))} s`;
  const perMinute = Number((MINUTE_S / every).toPrecision(2));
  const many =
    perMinute < 1 ? "less than one batch a minute" : `up to ${counted(perMinute, "batch", "batches")} a minute`;
  return `The last batch took ${each}: ${many}, ${share(batchSeconds / every)} of the time of its carrier.`;
}

/** How often there were batches in the last minute before `now`, and which part of it they took. */
export function recentBatches(samples: readonly HistorySample[], now: Ticks): string {
  const recent = samples.filter((sample) => sample.step === 0 && sample.at > now - MINUTE && sample.batchSeconds > 0);
  if (recent.length === 0) return "no batch in the last minute";
  const part = recent.reduce((sum, each) => sum + each.batchSeconds, 0) / MINUTE_S;
  return `${counted(recent.length, "batch", "batches")} in the last minute took ${share(part)} of it`;
}

/** A part of the time in percent, with two digits. */
export function share(part: number): string {
  const percent = Math.min(1, part) * 100;
  return percent > 0 && percent < 0.1 ? "less than 0.1 %" : `${Number(percent.toPrecision(2))} %`;
}

const WHY: Partial<Record<Observed, string>> = {
  running: "The runner answers and has committed no batch since: no row has come, or a batch takes long.",
  recovering: "The run is taken up where it was; figures go on with its first batch.",
  stopping: "The last batch is being finished.",
};

/**
 * The sentence for a report of that age; null while it is fresh, by what its binding asks for. Ages beyond a minute are
 * told by the minute.
 */
export function staleWords(age: Ticks, observed: Observed, freshness: Freshness = USUAL): string | null {
  if (age <= Math.max(FRESH, FRESH / 2 + freshnessTicks(freshness))) return null;
  const unit = age < 60_000_000 ? 1_000_000 : 60_000_000;
  const told = formatSpan(Math.floor(age / unit) * unit);
  const why = WHY[observed] ?? "Figures go on with the next batch.";
  return `The newest report is ${told} old. ${why}`;
}
