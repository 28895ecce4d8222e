/**
 * A run's history: what the server keeps of it, and the reports that came since.
 *
 * Reports carry totals, so one that is lost, doubled or late changes nothing but the resolution. Samples are kept in
 * order of time, one for each batch, and the older half is thinned when there are too many.
 */

import type { KnownSpan, ProgressReport, RunHistoryShown, RunSample } from "./api";
import { isOutcome, noOutcomes, type OutcomeCounts } from "./outcomes";
import type { Ticks } from "./ticks";

export interface InputSample {
  cti: Ticks | null;
  ended: boolean;
  largestStart: Ticks | null;
}

export interface HistorySample {
  at: Ticks;
  batch: number;
  received: number;
  outcomes: OutcomeCounts;
  inputs: Record<string, InputSample>;
  outputCtis: Record<string, Ticks | null>;
  results: number;
  quarantined: number;
  batchSeconds: number;
  /** It may stand for batches of so long before it, in ticks: 0 for one batch alone. */
  step: Ticks;
}

export interface RunHistory {
  samples: readonly HistorySample[];
  /** The newest report, whole; null before the first. */
  latest: ProgressReport | null;
  /** When all that the run did is known, in order; told by the server, and up to when it told it. */
  known: readonly KnownSpan[];
  toldAt: Ticks;
  /** So long its rows may wait for a batch: pauses of that length are no pauses. */
  freshness?: Ticks;
}

export const EMPTY_HISTORY: RunHistory = { samples: [], latest: null, known: [], toldAt: 0 };
export const MOST_SAMPLES = 4_000;
/** The runner says that it lives every few seconds: what is shorter is no hole. */
const CRACK: Ticks = 15_000_000;

function outcomesOf(inputs: RunSample["inputs"]): OutcomeCounts {
  const sum = noOutcomes();
  for (const counts of Object.values(inputs)) {
    for (const [outcome, count] of Object.entries(counts.outcomes)) {
      if (isOutcome(outcome)) sum[outcome] += count;
    }
  }
  return sum;
}

export function sampleOf(report: RunSample, step: Ticks = 0): HistorySample {
  const inputs = Object.entries(report.inputs);
  return {
    at: report.at,
    batch: report.batch,
    received: inputs.reduce((sum, [, counts]) => sum + counts.received, 0),
    outcomes: outcomesOf(report.inputs),
    inputs: Object.fromEntries(
      inputs.map(([id, counts]) => [id, { cti: counts.cti, ended: counts.ended, largestStart: counts.largest_start }]),
    ),
    outputCtis: report.output_ctis,
    results: report.results,
    quarantined: report.quarantined,
    batchSeconds: report.batch_s,
    step,
  };
}

/** Keep the first sample, every second one of the older half, and the whole newer half. */
function thinned(samples: readonly HistorySample[]): readonly HistorySample[] {
  if (samples.length <= MOST_SAMPLES) return samples;
  const half = Math.floor(samples.length / 2);
  return samples.filter((_, index) => index >= half || index % 2 === 0);
}

/** Fold reports in; a report of a batch that is already there replaces it when it is not older. */
export function withReports(history: RunHistory, reports: readonly ProgressReport[]): RunHistory {
  if (reports.length === 0) return history;
  const { latest } = history;
  const newest = [...(latest === null ? [] : [latest]), ...reports].reduce((a, b) => (a.at <= b.at ? b : a));
  return {
    ...history,
    samples: merged(
      history.samples,
      reports.map((report) => sampleOf(report)),
    ),
    latest: newest,
  };
}

/** Fold in what the server tells of a span of time; what it says of when the run is known takes the place of before. */
export function withHistory(history: RunHistory, told: RunHistoryShown): RunHistory {
  const step = told.step_s * 1_000_000;
  const samples = merged(
    history.samples,
    told.samples.map((sample) => sampleOf(sample, step)),
  );
  return { ...history, samples, known: told.known, toldAt: told.end };
}

function merged(known: readonly HistorySample[], more: readonly HistorySample[]): readonly HistorySample[] {
  const byBatch = new Map(known.map((sample) => [sample.batch, sample]));
  for (const sample of more) {
    const same = byBatch.get(sample.batch);
    if (same === undefined || same.at <= sample.at) byBatch.set(sample.batch, sample);
  }
  return thinned([...byBatch.values()].toSorted((a, b) => a.at - b.at || a.batch - b.batch));
}

/** The times in `[begin, end)` of which nothing is known; `liveUntil`: how far a connection that lives has told since. */
export function unknownSpans(history: RunHistory, begin: Ticks, end: Ticks, liveUntil: Ticks): KnownSpan[] {
  const known = [...history.known, ...(liveUntil > history.toldAt ? [{ begin: history.toldAt, end: liveUntil }] : [])];
  const found: KnownSpan[] = [];
  let reached = begin;
  for (const span of known.toSorted((a, b) => a.begin - b.begin)) {
    if (span.begin - reached > CRACK && span.begin < end) found.push({ begin: reached, end: span.begin });
    reached = Math.max(reached, span.end);
  }
  if (end - reached > CRACK) found.push({ begin: reached, end });
  return found;
}

/** How far event time is known behind the largest start: M - C of one input; null until both are known. */
export function eventLag(input: InputSample | undefined): Ticks | null {
  if (input === undefined || input.cti === null || input.largestStart === null) return null;
  return input.largestStart - input.cti;
}

/** The smallest output CTI; null before the first and after the end. */
export function outputCti(sample: HistorySample | undefined): Ticks | null {
  const known = Object.values(sample?.outputCtis ?? {}).filter((cti): cti is Ticks => cti !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

/** Whether every input has come to its end, so that nothing is left to become final. */
export function allEnded(sample: HistorySample): boolean {
  const inputs = Object.values(sample.inputs);
  return inputs.length > 0 && inputs.every((input) => input.ended);
}
