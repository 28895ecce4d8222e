import { expect, test } from "vitest";
import type { ComparedRow } from "../api";
import { bestPoint, delayCurve } from "./drawing/whatIfCurve";
import { policyTable } from "./policies";

const now = { output: "out", start: 0, end: 10, payload: { n: 6 } };

function row(mark: ComparedRow["mark"], payload: Record<string, unknown>, today: boolean): ComparedRow {
  const then = today
    ? { today_start: 0, today_end: 10, today_payload: { n: 6 } }
    : { today_start: null, today_end: null, today_payload: null };
  return { ...now, mark, payload, ...then };
}

test("a result has one line for all policies, and differs if any policy does", () => {
  const rest = { marks: {}, faults: [], today: false };
  const { outcomes, results } = policyTable({
    inputs: ["s"],
    policies: [
      {
        ...rest,
        policy: "drop",
        outcomes: { s: { on_time: 3, dropped_late: 1 } },
        rows: [row("changed", { n: 5 }, true)],
      },
      {
        ...rest,
        policy: "adjust",
        today: true,
        outcomes: { s: { on_time: 3 }, t: { on_time: 1 } },
        rows: [row("same", { n: 6 }, true)],
      },
      { ...rest, policy: "keep", outcomes: {}, rows: [], faults: [{} as never] },
    ],
  });
  expect(outcomes).toEqual([
    { outcome: "on_time", counts: [3, 4, null] },
    { outcome: "dropped_late", counts: [1, 0, null] },
  ]);
  expect(
    results.map((result) => [result.differs, [...result.by].map(([policy, each]) => [policy, each.payload])]),
  ).toEqual([
    [
      true,
      [
        ["drop", { n: 5 }],
        ["adjust", { n: 6 }],
      ],
    ],
  ]);
});

test("the curve has steps: a share applies from its delay until the next one", () => {
  const point = { today: false, outcomes: {}, wait_median: null, wait_largest: null, not_passed: 0 };
  const points = [
    { ...point, delay: 0, share_kept: 0.9, share_whole: 0.5 },
    { ...point, delay: 10, share_kept: 1, share_whole: 1 },
  ];
  const curve = delayCurve(points, { width: 115, height: 56 });
  expect(curve.whole).toBe("M0.0 55.0 L100.0 55.0 L100.0 5.0 L115.0 5.0");
  expect(bestPoint(points)?.delay).toEqual(10);
});
