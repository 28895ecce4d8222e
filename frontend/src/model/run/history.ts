/**
 * A run's history: the server's stored samples, and later reports.
 *
 * Reports carry totals, so a lost, duplicate or late report changes only the resolution. Samples are sorted by time, one
 * for each batch, and the older half is thinned when there are too many.
 */

import type { KnownSpan, ProgressReport, RunHistoryResponse, RunSample } from "../api";
import type { Ticks } from "../time/ticks";
import { isOutcome, noOutcomes, type OutcomeCounts } from "./outcomes";

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
  /** The time before the sample that it may represent, in ticks; 0: one batch only. */
  step: Ticks;
  /** Not a report, but the totals at the start of the run. */
  isBase?: true;
}

export interface RunHistory {
  samples: readonly HistorySample[];
  /** The newest report, unreduced; null before the first. */
  latest: ProgressReport | null;
  /** The spans with complete knowledge of the run, in order, as sent by the server, and the time of that response. */
  known: readonly KnownSpan[];
  toldAt: Ticks;
  /** True if the history was loaded before the first report, so that all reports arrive live. */
  fromStart: boolean;
  /** The longest time that rows may wait for a batch: gaps of that length are normal. */
  freshness?: Ticks;
}

export const EMPTY_HISTORY: RunHistory = { samples: [], latest: null, known: [], toldAt: 0, fromStart: false };
export const MOST_SAMPLES = 4_000;
/** The runner sends a heartbeat every few seconds; shorter gaps are ignored. */
const CRACK: Ticks = 15_000_000;
/** The smallest step, in seconds, of a history that is not batch by batch. */
const COARSE_S = 10;
/** The entry id of a history before any report. */
const NO_ENTRY = "0-0";

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

/** Return the totals at the start of a run, as the server sends them: zero, at the start of its first batch. */
function baseOf(first: HistorySample): HistorySample {
  const inputs = Object.keys(first.inputs).map((id) => [id, { cti: null, ended: false, largestStart: null }] as const);
  return {
    at: first.at - Math.max(1, Math.round(first.batchSeconds * 1_000_000)),
    batch: first.batch - 1,
    received: 0,
    outcomes: noOutcomes(),
    inputs: Object.fromEntries(inputs),
    outputCtis: Object.fromEntries(Object.keys(first.outputCtis).map((id) => [id, null])),
    results: 0,
    quarantined: 0,
    batchSeconds: 0,
    step: 0,
    isBase: true,
  };
}

/** Add the totals at the start of the run; without them the first batch could not be drawn. */
function withBase(history: RunHistory): RunHistory {
  if (!history.fromStart) return history;
  const [first] = history.samples;
  if (first === undefined || first.received === 0) return history;
  return { ...history, samples: [baseOf(first), ...history.samples] };
}

/**
 * Return the newest sample of each `step` of wall-clock time, as the server does for a range with that step, so that a
 * chart is the same for live and for loaded batches; 0: every sample. The first is kept, because later rates need it.
 */
export function newestInSteps(samples: readonly HistorySample[], step: Ticks): readonly HistorySample[] {
  const [first, ...rest] = samples;
  if (step === 0 || first === undefined) return samples;
  const newest = new Map<number, HistorySample>();
  for (const sample of rest) newest.set(Math.floor(sample.at / step), { ...sample, step: Math.max(step, sample.step) });
  return [first, ...newest.values()];
}

/** Keep the first sample, every second one of the older half, and the whole newer half. */
function thinned(samples: readonly HistorySample[]): readonly HistorySample[] {
  if (samples.length <= MOST_SAMPLES) return samples;
  const half = Math.floor(samples.length / 2);
  return samples.filter((_, index) => index >= half || index % 2 === 0);
}

/** Add reports; a report of a known batch replaces the previous one unless it is older. */
export function withReports(history: RunHistory, reports: readonly ProgressReport[]): RunHistory {
  if (reports.length === 0) return history;
  const { latest } = history;
  const newest = [...(latest === null ? [] : [latest]), ...reports].reduce((a, b) => (a.at <= b.at ? b : a));
  const samples = merged(
    history.samples,
    reports.map((report) => sampleOf(report)),
  );
  return withBase({ ...history, samples, latest: newest });
}

/** Add the server's history of a span; its known spans replace the previous ones. */
export function withHistory(history: RunHistory, response: RunHistoryResponse): RunHistory {
  const step = Math.max(response.step_s, COARSE_S) * 1_000_000;
  const samples = merged(
    history.samples,
    response.samples.map((sample) => sampleOf(sample, sample.at >= response.fine_from ? 0 : step)),
  );
  const fromStart = history.fromStart || response.entry === NO_ENTRY;
  return withBase({ ...history, samples, known: response.known, toldAt: response.end, fromStart });
}

function merged(known: readonly HistorySample[], more: readonly HistorySample[]): readonly HistorySample[] {
  const reported = known.filter((sample) => sample.isBase !== true); // its batch may still arrive
  const byBatch = new Map(reported.map((sample) => [sample.batch, sample]));
  for (const sample of more) {
    const same = byBatch.get(sample.batch);
    const isFiner = same === undefined || same.at < sample.at || (same.at === sample.at && sample.step <= same.step);
    if (isFiner) byBatch.set(sample.batch, sample);
  }
  return thinned([...byBatch.values()].toSorted((a, b) => a.at - b.at || a.batch - b.batch));
}

/** Return the times in `[begin, end)` without data; `liveUntil`: how far a live connection has reported since. */
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

/** Return the lag in event time, M - C of one input; null until both are known. */
export function eventLag(input: InputSample | undefined): Ticks | null {
  if (input === undefined || input.cti === null || input.largestStart === null) return null;
  return input.largestStart - input.cti;
}

/** Return the smallest output CTI; null before the first and after the end. */
export function outputCti(sample: HistorySample | undefined): Ticks | null {
  const known = Object.values(sample?.outputCtis ?? {}).filter((cti): cti is Ticks => cti !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

/** Return true if all inputs have ended, so that all results are final. */
export function allEnded(sample: HistorySample): boolean {
  const inputs = Object.values(sample.inputs);
  return inputs.length > 0 && inputs.every((input) => input.ended);
}
