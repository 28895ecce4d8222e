import { expect, test } from "vitest";
import type { KnownSpan, ProgressReport, RunHistoryShown, RunSample } from "./api";
import { EMPTY_HISTORY, eventLag, MOST_SAMPLES, outputCti, unknownSpans, withHistory, withReports } from "./history";
import { binWidth, borderAfter, perSecond, recentRate } from "./rates";

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

test("reports that come twice or in disorder give the same history", () => {
  const reports = [report(1, 10, 5), report(2, 11, 9), report(3, 12, 10)];
  const straight = withReports(EMPTY_HISTORY, reports);
  const disordered = withReports(withReports(EMPTY_HISTORY, reports.toReversed()), reports);
  expect(disordered.samples).toEqual(straight.samples);
  expect(disordered.latest?.batch).toBe(3);
});

test("a batch that is reported again after a restart replaces the first report", () => {
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

test("totals become rates per second, shared out over the time since the batch before", () => {
  const { samples } = withReports(EMPTY_HISTORY, [report(1, 10, 0), report(2, 12, 20, 4), report(3, 13, 20, 5)]);
  const { bins, width } = perSecond(samples, 13 * SECOND, 3 * SECOND);
  expect(width).toBe(SECOND);
  expect(bins.map((bin) => bin.outcomes.on_time)).toEqual([10, 10, 0]);
  expect(bins.map((bin) => bin.outcomes.dropped_late)).toEqual([2, 2, 1]);
  expect(bins.map((bin) => bin.received)).toEqual([12, 12, 1]);
});

test("the bins of a rate hold exactly what was counted, whatever the batches were", () => {
  const { samples } = withReports(EMPTY_HISTORY, [report(1, 10.3, 0), report(2, 14.9, 46), report(3, 15.4, 51)]);
  const { bins } = perSecond(samples, 20 * SECOND, 15 * SECOND);
  expect(bins.reduce((sum, bin) => sum + bin.received, 0)).toBeCloseTo(51, 9);
});

test("a total that fell began again from nothing and gives no negative rate", () => {
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

test("lag is the largest start minus the CTI, and unknown until both are", () => {
  const { samples } = withReports(EMPTY_HISTORY, [report(1, 10, 5)]);
  expect(eventLag(samples[0]?.inputs.a)).toBe(7);
  expect(eventLag({ cti: null, ended: false, largestStart: 3 })).toBeNull();
  expect(outputCti(samples[0])).toBe(5);
});

function told(samples: RunSample[], known: KnownSpan[], step = 10): RunHistoryShown {
  const end = known.at(-1)?.end ?? 0;
  return { now: end, begin: 0, end, step_s: step, samples, known, entry: "0-0" };
}

test("a run of one report has a bar for it: the server tells the totals with which it began", () => {
  const base = { ...report(0, 8, 0), batch_s: 0 };
  const history = withHistory(EMPTY_HISTORY, told([base, report(1, 10, 602)], []));
  const { bins } = perSecond(history.samples, borderAfter(10 * SECOND, 60 * SECOND), 60 * SECOND);
  expect(bins.reduce((sum, bin) => sum + bin.received, 0)).toBe(602);
  expect(bins.filter((bin) => bin.received > 0).map((bin) => bin.at / SECOND)).toEqual([8, 9]);
});

test("what came at the end of an idle hour is drawn there and not over the hour", () => {
  const { samples } = withReports(EMPTY_HISTORY, [report(1, 10, 0), report(2, 3_610, 50)]);
  const { bins } = perSecond(samples, 3_620 * SECOND, 60 * SECOND);
  expect(bins.filter((bin) => bin.received > 0).map((bin) => bin.at / SECOND)).toEqual([3_609]);
});

test("reports that come live go on from what the server told, each batch once", () => {
  const history = withReports(withHistory(EMPTY_HISTORY, told([report(1, 10, 5), report(4, 20, 9)], [])), [
    report(4, 20, 9),
    report(5, 21, 10),
  ]);
  expect(history.samples.map((sample) => sample.batch)).toEqual([1, 4, 5]);
});

test("what is not known is told apart from what is known to be nothing", () => {
  const known = [
    { begin: 100 * SECOND, end: 200 * SECOND },
    { begin: 400 * SECOND, end: 500 * SECOND },
  ];
  const history = withHistory(EMPTY_HISTORY, told([], known));
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
