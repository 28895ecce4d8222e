// @vitest-environment happy-dom
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, test } from "vitest";
import type { DashboardResponse, DetailsResponse } from "../../../model/api";
import { Brush } from "./Brush";
import { CrosshairScope } from "./crosshair";
import { DeliveriesPanel, LanesPanel, RunsPanel } from "./DashboardTables";
import { DashboardTiles } from "./DashboardTiles";
import { HeatmapCharts } from "./HeatmapChart";
import { LagPartsChart } from "./LagPartsChart";
import { LanesCharts } from "./LanesChart";
import { OutcomesChart } from "./OutcomesChart";
import { Readout, valuesAt } from "./Readout";
import { VerdictStrip } from "./VerdictStrip";

afterEach(cleanup);

const MINUTE = 60_000_000;
const SHOWN: DashboardResponse = {
  now: 3 * MINUTE,
  seconds: 7_200,
  begin: 0,
  end: 4 * MINUTE,
  step: MINUTE,
  binding: "b",
  name: "toll",
  query: "q",
  query_name: "tolls",
  version: 7,
  tags: ["tolling"],
  owner: null,
  run: "r2",
  observed: "running",
  changed_at: 0,
  reported_at: 3 * MINUTE,
  verdict: {
    trust: "short",
    sentence: "No: 4 of 100 rows are in no result.",
    since: 2 * MINUTE,
    blame: "Lane 7 of cars has 4 of the 4 dropped rows of this run.",
    final_until: MINUTE,
  },
  findings: [{ condition: "rows_lost", since: null, sentence: "4 rows (4 %) lost in 15 minutes." }],
  steps: [
    { at: 0, knowledge: "none", outcomes: {}, lag: null },
    { at: MINUTE, knowledge: "unknown", outcomes: {}, lag: null },
    { at: 2 * MINUTE, knowledge: "known", outcomes: { on_time: 90, adjusted: 6, dropped_late: 4 }, lag: 22_000_000 },
    { at: 3 * MINUTE, knowledge: "known", outcomes: {}, lag: null },
  ],
  runs: [{ run: "r2", number: 42, version: 7, begin: MINUTE, end: null }],
  older_runs: 0,
  inputs: [
    {
      name: "cars",
      cti: MINUTE,
      largest_start: 2 * MINUTE,
      ended: false,
      delay: 5_000_000,
      lane_wait: null,
      lanes: [
        { lane: "7", cti: MINUTE, last_arrival: null, received: 30, late: 4, dropped: 4, state: "waiting" },
        { lane: "8", cti: null, last_arrival: 2 * MINUTE, received: 0, late: 0, dropped: 0, state: "waiting" },
      ],
      other_lanes: 3,
    },
  ],
  deliveries: [
    {
      node: "out",
      state: null,
      waiting_rows: 0,
      waiting_exact: false,
      refused_requests: 0,
      since: null,
      message: null,
    },
  ],
  alerts: 1,
  repaired_rows: 2,
};

const DETAILS: DetailsResponse = {
  begin: 0,
  end: 4 * MINUTE,
  step: MINUTE,
  lags: {
    largest: [null, null, 22_000_000, null],
    input: [null, null, 0, null],
    source: [null, null, 2_000_000, null],
    delay: [null, null, 5_000_000, null],
    lane: [null, null, 14_000_000, null],
    work: [null, null, 1_000_000, null],
  },
  inputs: [
    {
      name: "cars",
      behind: [{}, {}, { 9: 90, 13: 10 }, {}],
      unmeasured: 1,
      median: [null, null, 400_000, null],
      most: [null, null, 8_000_000, null],
      delay: [null, null, 5_000_000, null],
      lanes: [
        {
          lane: "7",
          lanes: 1,
          rows: 30,
          late: 4,
          dropped: 4,
          behind: [null, null, 22_000_000, null],
          lost: [0, 0, 4, 0],
        },
      ],
    },
  ],
};

function drawn(shown: DashboardResponse = SHOWN): void {
  const element = (
    <>
      <VerdictStrip shown={shown} />
      <DashboardTiles shown={shown} />
      <OutcomesChart shown={shown} compared={null} />
      <HeatmapCharts shown={shown} details={DETAILS} compared={null} />
      <LagPartsChart shown={shown} details={DETAILS} compared={null} />
      <LanesCharts shown={shown} details={DETAILS} />
      <LanesPanel shown={shown} />
      <DeliveriesPanel shown={shown} />
      <RunsPanel shown={shown} />
    </>
  );
  render(<RouterProvider router={createMemoryRouter([{ path: "*", element }])} />);
}

test("the verdict answers four questions, and leads to the rows and the delay", () => {
  drawn();
  const verdict = within(screen.getByRole("region", { name: "Verdict" }));
  expect(verdict.getAllByRole("heading").map(({ textContent }) => textContent)).toEqual([
    "Can I trust the numbers?",
    "Since when?",
    "Who is to blame?",
    "What can I do?",
  ]);
  expect(verdict.getByText("Lane 7 of cars has 4 of the 4 dropped rows of this run.")).toBeDefined();
  expect(verdict.getByRole("link", { name: "See and repair the rows" }).getAttribute("href")).toMatch(/#quarantine$/);
});

test("the outcomes chart is also a table with the same figures", async () => {
  drawn();
  await userEvent.click(within(screen.getByRole("group", { name: "Form of Outcomes" })).getByText("Table"));
  const rows = within(screen.getByRole("group", { name: "Table of Outcomes" })).getAllByRole("row");
  expect(rows.map((row) => row.textContent?.slice(0, 23))).toEqual([
    "From (UTC)ReceivedOn ti",
    "1970-01-01 00:02:00Z100",
    "1970-01-01 00:01:00Z000",
  ]);
});

test("what is not known is not zero", () => {
  drawn();
  const deliveries = within(screen.getByRole("group", { name: "Table of deliveries" }));
  expect(deliveries.getAllByText("no data")).toHaveLength(2);
  const lanes = within(screen.getByRole("group", { name: "Table of lanes of cars" }));
  expect(lanes.getByText("no CTI yet")).toBeDefined();
  expect(screen.getAllByText(/^Hatched: no data for 1 period,/)).toHaveLength(4); // in each chart
});

test("a complete verdict is one answer", () => {
  const verdict = { ...SHOWN.verdict, trust: "complete", since: null, blame: "" } as const;
  drawn({ ...SHOWN, verdict, findings: [], deliveries: [] });
  expect(within(screen.getByRole("region", { name: "Verdict" })).getAllByRole("heading")).toHaveLength(1);
});

test("each chart names the delay, the parts, and the lanes, and is also a table", async () => {
  drawn();
  expect(screen.getByText("Rows by largest start minus own start; red: delay D = 5 s")).toBeDefined();
  expect(screen.getByText(/1 rows? without a distance/)).toBeDefined();
  expect(screen.getByText(/^7: 22 s, 4 dropped$/)).toBeDefined();
  await userEvent.click(within(screen.getByRole("group", { name: "Form of Parts of the lag" })).getByText("Table"));
  const rows = within(screen.getByRole("group", { name: "Table of Parts of the lag" })).getAllByRole("row");
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    "From (UTC)Largest lagDelay DSourceWaiting for a laneWorkInputMicroseconds",
    "1970-01-01 00:02:00Z22 s5 s2 s14 s1 scars22,000,000",
  ]);
});

test("the crosshair reads the values of all charts at its time", () => {
  expect(valuesAt(SHOWN, DETAILS, 2 * MINUTE + 1)).toEqual([
    "1.67 rows/s",
    "4 dropped or malformed (4 %)",
    "lag 22 s, 14 s for a lane",
    "99 % at most 8 s behind",
  ]);
  expect(valuesAt(SHOWN, DETAILS, MINUTE)).toEqual(["no data: reports may be missing"]);
  expect(valuesAt(SHOWN, undefined, 0)).toEqual(["no run"]);
});

test("the borders of the brush move by keys, in whole minutes", async () => {
  const chosen: unknown[] = [];
  render(
    <Brush around={SHOWN} selected={{ begin: MINUTE, end: 3 * MINUTE }} onSelect={(range) => chosen.push(range)} />,
  );
  const [begin] = screen.getAllByRole("slider");
  expect(begin?.getAttribute("aria-valuetext")).toBe("1970-01-01 00:01 UTC");
  begin?.focus();
  await userEvent.keyboard("{ArrowRight}");
  expect(chosen).toEqual([{ begin: 2 * MINUTE, end: 3 * MINUTE }]);
});

test("arrow keys move the crosshair by a step, and Escape removes it", async () => {
  render(
    <CrosshairScope>
      <Readout shown={SHOWN} details={DETAILS} />
    </CrosshairScope>,
  );
  const values = screen.getByRole("status", { name: "Values at the crosshair" });
  await userEvent.keyboard("{ArrowLeft}");
  expect(values.textContent).toMatch(/^00:02:30 UTC · 1.67 rows\/s · .* · lag 22 s/);
  await userEvent.keyboard("{ArrowRight}{ArrowRight}{ArrowRight}");
  expect(values.textContent).toMatch(/^00:03:59 UTC/);
  await userEvent.keyboard("{Escape}");
  expect(values.textContent).toMatch(/^Point at a chart/);
});
