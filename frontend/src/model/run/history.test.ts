import fc from "fast-check";
import { expect, test } from "vitest";
import type { KnownSpan, ProgressReport, RunHistoryResponse, RunSample } from "../api";
import { recentBatches } from "./freshness";
import {
  EMPTY_HISTORY,
  eventLag,
  MOST_SAMPLES,
  newestInSteps,
  outputCti,
  unknownSpans,
  withHistory,
  withReports,
} from "./history";
import { binWidth, borderAfter, peakRate, perSecond, recentRate } from "./rates";

const SECOND = 1_000_000;

function report(batch: number, seconds: number, onTime: number, dropped = 0): ProgressReport {
  return {
    kind: "progress",
    run: "r",
    batch,
    at: seconds * SECOND,
    inputs: {
      a: {
        received: onTime + dropped,
        outcomes: { on_time: onTime, dropped_late: dropped },
        reasons: {},
        lateness: [],
        cti: 5,
        ended: false,
        largest_start: 12,
      },
    },
    output_ctis: { out: 5, other: null },
    results: 0,
    quarantined: dropped,
    recent_results: [],
    recent_late: [],
    batch_s: 0.5,
  };
}

test("duplicate or reordered reports give the same history", () => {
  const reports = [report(1, 10, 5), report(2, 11, 9), report(3, 12, 10)];
  const straight = withReports(EMPTY_HISTORY, reports);
  const disordered = withReports(withReports(EMPTY_HISTORY, reports.toReversed()), reports);
  expect(disordered.samples).toEqual(straight.samples);
  expect(disordered.latest?.batch).toBe(3);
});

test("a batch reported again after a restart replaces the first report", () => {
  const history = withReports(EMPTY_HISTORY, [report(1, 10, 5), report(1, 14, 6)]);
  expect(history.samples.map((sample) => [sample.at, sample.received])).toEqual([[14 * SECOND, 6]]);
});

test("a long history is thinned in its older half and keeps the newest", () => {
  const reports = Array.from({ length: MOST_SAMPLES + 1 }, (_, index) => report(index, index, index));
  const history = withReports(EMPTY_HISTORY, reports);
  expect(history.samples.length).toBeLessThan(MOST_SAMPLES);
  expect(history.samples[0]?.batch).toBe(0);
  expect(history.samples.at(-1)?.batch).toBe(MOST_SAMPLES);
  expect(history.samples.at(-2)?.batch).toBe(MOST_SAMPLES - 1);
});

test("totals become rates per second over the time since the previous batch", () => {
  const { samples } = withReports(EMPTY_HISTORY, [report(1, 10, 0), report(2, 12, 20, 4), report(3, 13, 20, 5)]);
  const { bins, width } = perSecond(samples, 13 * SECOND, 3 * SECOND);
  expect(width).toBe(SECOND);
  expect(bins.map((bin) => bin.outcomes.on_time)).toEqual([10, 10, 0]);
  expect(bins.map((bin) => bin.outcomes.dropped_late)).toEqual([2, 2, 1]);
  expect(bins.map((bin) => bin.received)).toEqual([12, 12, 1]);
});

test("the bins of a rate add up to the exact counts, for any batches", () => {
  const { samples } = withReports(EMPTY_HISTORY, [report(1, 10.3, 0), report(2, 14.9, 46), report(3, 15.4, 51)]);
  const { bins } = perSecond(samples, 20 * SECOND, 15 * SECOND);
  expect(bins.reduce((sum, bin) => sum + bin.received, 0)).toBeCloseTo(51, 9);
});

test("a total that fell restarted from zero and gives no negative rate", () => {
  const { samples } = withReports(EMPTY_HISTORY, [report(1, 10, 1000), report(2, 11, 7)]);
  expect(perSecond(samples, 11 * SECOND, SECOND).bins.map((bin) => bin.received)).toEqual([7]);
});

test("bins widen so that a long span stays readable", () => {
  expect(binWidth(60 * SECOND)).toBe(SECOND);
  expect(binWidth(300 * SECOND)).toBe(5 * SECOND);
  expect(binWidth(3_600 * SECOND)).toBe(30 * SECOND);
});

test("the recent rate needs two samples", () => {
  const one = withReports(EMPTY_HISTORY, [report(1, 10, 5)]);
  expect(recentRate(one.samples, 10 * SECOND, (sample) => sample.received)).toBeNull();
  const two = withReports(one, [report(2, 12, 25)]);
  expect(recentRate(two.samples, 10 * SECOND, (sample) => sample.received)).toBe(10);
});

test("lag is the largest start minus the CTI, and unknown until both are known", () => {
  const { samples } = withReports(EMPTY_HISTORY, [report(1, 10, 5)]);
  expect(eventLag(samples[0]?.inputs.a)).toBe(7);
  expect(eventLag({ cti: null, ended: false, largestStart: 3 })).toBeNull();
  expect(outputCti(samples[0])).toBe(5);
});

function historyOf(samples: RunSample[], known: KnownSpan[], step = 10): RunHistoryResponse {
  const end = known.at(-1)?.end ?? 0;
  return { now: end, begin: 0, end, step_s: step, fine_from: step === 0 ? 0 : end + 1, samples, known, entry: "9-0" };
}

test("a run with one report has a bar: the server sends the initial totals", () => {
  const base = { ...report(0, 8, 0), batch_s: 0 };
  const history = withHistory(EMPTY_HISTORY, historyOf([base, report(1, 10, 602)], []));
  const { bins } = perSecond(history.samples, borderAfter(10 * SECOND, 60 * SECOND), 60 * SECOND);
  expect(bins.reduce((sum, bin) => sum + bin.received, 0)).toBe(602);
  expect(bins.filter((bin) => bin.received > 0).map((bin) => bin.at / SECOND)).toEqual([8, 9]);
});

test("rows at the end of an idle hour are drawn there and not over the hour", () => {
  const { samples } = withReports(EMPTY_HISTORY, [report(1, 10, 0), report(2, 3_610, 50)]);
  const { bins } = perSecond(samples, 3_620 * SECOND, 60 * SECOND);
  expect(bins.filter((bin) => bin.received > 0).map((bin) => bin.at / SECOND)).toEqual([3_609]);
});

test("live reports continue the server's history, each batch once", () => {
  const history = withReports(withHistory(EMPTY_HISTORY, historyOf([report(1, 10, 5), report(4, 20, 9)], [])), [
    report(4, 20, 9),
    report(5, 21, 10),
  ]);
  expect(history.samples.map((sample) => sample.batch)).toEqual([1, 4, 5]);
});

test("unknown spans are distinguished from empty ones", () => {
  const known = [
    { begin: 100 * SECOND, end: 200 * SECOND },
    { begin: 400 * SECOND, end: 500 * SECOND },
  ];
  const history = withHistory(EMPTY_HISTORY, historyOf([], known));
  const spans = (liveUntil: number) =>
    unknownSpans(history, 50 * SECOND, 600 * SECOND, liveUntil * SECOND).map(({ begin, end }) => [
      begin / SECOND,
      end / SECOND,
    ]);
  expect(spans(600)).toEqual([
    [50, 100],
    [200, 400],
  ]);
  expect(spans(550).at(-1)).toEqual([550, 600]);
});

/** Return the history as the server sends it (`webapp/monitoring`): with the totals before the first report. */
function reloaded(reports: readonly ProgressReport[], span: number) {
  const [first] = reports;
  const end = (reports.at(-1)?.at ?? 0) + 1;
  if (first === undefined) return withHistory(EMPTY_HISTORY, { ...historyOf([], [], 0), entry: "0-0" });
  const step = span <= 300 * SECOND ? 0 : 10;
  const fineFrom = step === 0 ? end - span : end - 60 * SECOND;
  const inputs = {
    a: {
      ...(first.inputs.a as RunSample["inputs"][string]),
      received: 0,
      outcomes: {},
      cti: null,
      largest_start: null,
    },
  };
  const base: RunSample = {
    ...first,
    inputs,
    at: first.at - SECOND / 2,
    batch: first.batch - 1,
    batch_s: 0,
    results: 0,
  };
  const steps = new Map(reports.map((report) => [Math.floor(report.at / (10 * SECOND)), report]));
  const samples = [base, ...new Set([...steps.values(), ...reports.filter(({ at }) => at >= fineFrom)])];
  const answer = {
    ...historyOf(
      samples.toSorted((a, b) => a.at - b.at),
      [],
      step,
    ),
    fine_from: fineFrom,
  };
  return withReports(withHistory(EMPTY_HISTORY, answer), reports.slice(-1));
}

const SPANS = [60, 300, 900, 3_600].map((seconds) => seconds * SECOND);

function figures(history: ReturnType<typeof reloaded>, to: number, span: number) {
  const drawn = newestInSteps(history.samples, span <= 300 * SECOND ? 0 : 10 * SECOND);
  return {
    bars: perSecond(drawn, to, span).bins.map((bin) => [
      bin.at,
      bin.received.toFixed(6),
      bin.outcomes.on_time.toFixed(6),
    ]),
    lately: recentBatches(history.samples, to),
    rate: recentRate(history.samples, 10 * SECOND, (sample) => sample.received),
    latest: history.latest,
  };
}

test("a page with every report shows the same as one loaded later, from the first batch on", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 50 })), {
        minLength: 1,
        maxLength: 40,
      }),
      fc.constantFrom(...SPANS),
      (batches, span) => {
        let [at, total] = [1_000, 0];
        const reports = batches.map(([tenths, rows], index) => {
          [at, total] = [at + tenths / 10, total + rows];
          return report(index + 1, at, total);
        });
        const begun = withHistory(EMPTY_HISTORY, { ...historyOf([], [], 0), entry: "0-0" });
        const live = reports.reduce((history, each) => withReports(history, [each]), begun);
        const to = (reports.at(-1)?.at ?? 0) + 30 * SECOND;
        expect(figures(live, to, span)).toEqual(figures(reloaded(reports, span), to, span));
      },
    ),
  );
});

test("the first batch of a run watched from its start has a bar, even if its newest report arrived first", () => {
  const begun = withHistory(EMPTY_HISTORY, { ...historyOf([], [], 0), entry: "0-0" });
  const live = withReports(withReports(begun, [report(2, 12, 700)]), [report(1, 10, 602)]);
  const { bins } = perSecond(live.samples, borderAfter(12 * SECOND, 60 * SECOND), 60 * SECOND);
  expect(bins.reduce((sum, bin) => sum + bin.received, 0)).toBeCloseTo(700, 6);
  expect(live.samples.map(({ batch }) => batch)).toEqual([0, 1, 2]);
});

test("another range of the charts does not change the batches of the last minute", () => {
  const reports = Array.from({ length: 12 }, (_, index) => report(index + 1, 100 + 5 * index, index));
  const live = withReports(EMPTY_HISTORY, reports);
  const coarse = reports.filter((_, index) => index % 2 === 1);
  const wider = withHistory(live, { ...historyOf(coarse, [], 10), fine_from: 1_000 * SECOND });
  expect(recentBatches(live.samples, 156 * SECOND)).toContain("12 batches");
  expect(recentBatches(wider.samples, 156 * SECOND)).toBe(recentBatches(live.samples, 156 * SECOND));
});

test("the peak rate of an ended run is the top of its chart", () => {
  const { samples } = withReports(EMPTY_HISTORY, [report(1, 10, 0), report(2, 12, 20), report(3, 13, 60)]);
  const rates = perSecond(samples, 20 * SECOND, 15 * SECOND);
  expect(peakRate(rates, ({ received }) => received)).toBe(Math.max(...rates.bins.map(({ received }) => received)));
  expect(peakRate({ width: SECOND, bins: [] }, ({ received }) => received)).toBeNull();
});
