/**
 * A run's history, reduced from its progress reports.
 *
 * Reports carry totals, so one that is lost, doubled or late changes nothing but the resolution. Samples are kept in
 * order of time, one for each batch, and the older half is thinned when there are too many.
 */

import type { InputCounts, ProgressReport } from "./api";
import { isOutcome, noOutcomes, OUTCOMES, type OutcomeCounts } from "./outcomes";
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
}

export interface RunHistory {
  samples: readonly HistorySample[];
  /** The newest report, whole; null before the first. */
  latest: ProgressReport | null;
}

export const EMPTY_HISTORY: RunHistory = { samples: [], latest: null };
export const MOST_SAMPLES = 4_000;

function outcomesOf(inputs: Record<string, InputCounts>): OutcomeCounts {
  const sum = noOutcomes();
  for (const counts of Object.values(inputs)) {
    for (const [outcome, count] of Object.entries(counts.outcomes)) {
      if (isOutcome(outcome)) sum[outcome] += count;
    }
  }
  return sum;
}

export function sampleOf(report: ProgressReport): HistorySample {
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
  };
}

/** Keep the first sample, every second one of the older half, and the whole newer half. */
function thinned(samples: readonly HistorySample[]): readonly HistorySample[] {
  if (samples.length <= MOST_SAMPLES) return samples;
  const half = Math.floor(samples.length / 2);
  return samples.filter((_, index) => index >= half || index % 2 === 0);
}

export function withReport(history: RunHistory, report: ProgressReport): RunHistory {
  return withReports(history, [report]);
}

/** Fold reports in; a report of a batch that is already there replaces it when it is not older. */
export function withReports(history: RunHistory, reports: readonly ProgressReport[]): RunHistory {
  if (reports.length === 0) return history;
  const byBatch = new Map(history.samples.map((sample) => [sample.batch, sample]));
  let { latest } = history;
  for (const report of reports) {
    const known = byBatch.get(report.batch);
    if (known === undefined || known.at <= report.at) byBatch.set(report.batch, sampleOf(report));
    if (latest === null || latest.at <= report.at) latest = report;
  }
  const samples = [...byBatch.values()].toSorted((a, b) => a.at - b.at || a.batch - b.batch);
  return { samples: thinned(samples), latest };
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

export function hasAnyLate(counts: OutcomeCounts): boolean {
  return OUTCOMES.some((outcome) => outcome !== "on_time" && outcome !== "reordered" && counts[outcome] > 0);
}
