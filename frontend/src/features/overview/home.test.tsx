// @vitest-environment happy-dom
import { cleanup, render, screen, within } from "@testing-library/react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FreshnessBudget, HomeBudget, HomeResponse, HomeRow } from "../../model/api";
import { BudgetCell } from "./BudgetCell";
import { Tiles } from "./HomeTiles";
import { QueryGroups } from "./QueryGroups";

afterEach(cleanup);

const NOW = Date.UTC(2026, 10, 26, 14, 32, 10) * 1_000;
const MINUTE = 60_000_000;
const ENOUGH: HomeBudget = {
  state: "enough",
  completeness: 99.99,
  rows: 16_070,
  left: 14_463,
  used_up_at: null,
  unknown_s: 0,
};

const FRESH: FreshnessBudget = {
  state: "enough",
  within_s: 60,
  share: 99,
  counted: 43_000,
  late: 18,
  unknown: 0,
  minutes: 430,
  left: 412,
  used_up_at: null,
};

function row(name: string, condition: HomeRow["condition"], budget: Partial<HomeBudget> = {}): HomeRow {
  return {
    binding: name,
    name,
    query: "q",
    version: 7,
    tags: ["tolling"],
    owner: "mara@northline.example",
    run: "r",
    observed: condition === "unknown" ? "lost" : "running",
    condition,
    sentence: condition === "healthy" ? "" : "85 rows (8.5 %) lost in 15 minutes. Lane 7 of cars has most of them.",
    since: null,
    others: 0,
    lag_s: 22,
    lags_s: Array.from({ length: 32 }, (_, index) => (index * 7) % 22),
    rate: 62,
    recent: { on_time: 950, dropped_late: 4 },
    received_of_day: 5_000_000,
    lost_of_day: 4_318,
    freshness: null,
    budget: { ...ENOUGH, ...budget },
    deliveries: { total: 3, flowing: 3, unknown: 0, waiting_rows: 0 },
    alerts: { firing: 2, pending: 0, unknown: 0 },
  };
}

const ROWS: readonly HomeRow[] = [
  row("toll-by-gate", "rows_lost", { state: "burning", left: 1_240, used_up_at: NOW + 15 * MINUTE }),
  row("bridge-load", "rows_lost", { state: "used_up", left: -400 }),
  row("tram-headway", "unknown", { state: "unknown", left: 11_802, unknown_s: 180 }),
  row("toll-refunds", "healthy"),
  row("ev-charger-use", "healthy", { rows: 0, left: 0 }),
];

const HOME: HomeResponse = {
  now: NOW,
  total: 5,
  listed: 5,
  rows: [...ROWS],
  tiles: {
    conditions: { rows_lost: 2, unknown: 1, healthy: 2 },
    rate: 310,
    unknown_rates: 0,
    received_of_day: 25_000_000,
    lost_of_day: 21_590,
    worst_lag_s: 22,
    worst_lag_name: "toll-by-gate",
    median_lag_s: 22,
    unknown_lags: 1,
    budgets: {
      enough: 2,
      burning: 1,
      used_up: 1,
      unknown: 1,
      today: 1,
      next_name: "toll-by-gate",
      next_at: NOW + 15 * MINUTE,
    },
    deliveries: { total: 15, flowing: 15, unknown: 0, waiting_rows: 0 },
    alerts: { firing: 10, pending: 0, unknown: 0 },
  },
  incidents: [],
  tags: [],
  owners: [],
  idle: { never: 0, stopped: 0, completed: 0 },
  decided_at: NOW,
  ended_at: null,
};

let width = 1440;

beforeEach(() => {
  width = 1440;
  window.matchMedia = (query: string) =>
    ({
      matches: query.includes("max-width") ? width <= Number(/\d+/.exec(query)) : width >= Number(/\d+/.exec(query)),
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }) as unknown as MediaQueryList;
});

function drawn(): void {
  const element = (
    <>
      <Tiles home={HOME} />
      <QueryGroups home={HOME} skip={0} onSkip={() => undefined} />
    </>
  );
  render(<RouterProvider router={createMemoryRouter([{ path: "*", element }])} />);
}

const WORDS: Readonly<Record<string, RegExp>> = {
  "toll-by-gate":
    /Loss budget burning: 1,240 rows left of 16,070 \(7.7 %\); used up at 14:47 .*; 4,318 rows lost in 24 h; 99.99 %/,
  "bridge-load": /Loss budget used up: broken by 400 rows; 16,070 rows may be lost \(0 %\)/,
  "tram-headway":
    /Loss budget unknown now: last known: 11,802 rows left of 16,070 \(73.4 %\); 3 min unknown, not counted/,
  "toll-refunds": /Loss budget: 14,463 rows left of 16,070 \(90 %\)/,
  "ev-charger-use": /Loss budget: no row may be lost yet; /,
};

test.each([
  [1440, ["↓ 1,240 7.7 %", "used up −400", "unknown", "14,463 90 %", "no rows yet"]],
  [390, ["↓ 1,240 7.7 %", "used up −400", "unknown", "14,463 90 %", "no rows yet"]],
])("at %i px each query has its loss budget as figures and in words", (px, figures) => {
  width = px;
  drawn();
  const role = px < 760 ? "listitem" : "row";
  const rows = screen.getAllByRole(role).filter((each) => each.querySelector(".budget") !== null);
  const budgets = rows.map((each) => each.querySelector(".budget"));
  expect(budgets.map((each) => each?.querySelector("span[aria-hidden]:not(.budget-bar)")?.textContent)).toEqual(
    figures,
  );
  for (const [index, { name }] of ROWS.entries()) {
    expect(within(rows[index] as HTMLElement).getByRole("link", { name })).toBeDefined();
    expect(budgets[index]?.querySelector(".visually-hidden")?.textContent).toMatch(WORDS[name] as RegExp);
    expect(budgets[index]?.getAttribute("title")).toMatch(WORDS[name] as RegExp);
  }
});

test("a bar has the width of the share that is left; an unknown or empty one has none", () => {
  drawn();
  const bars = [...document.querySelectorAll(".budget-bar")].map((bar) => bar.querySelector("span")?.style.width);
  expect(bars.map((bar) => bar?.slice(0, 4))).toEqual(["7.71", "0%", undefined, "90%", undefined]);
});

test.each([
  [FRESH, "412 min", "Freshness budget: 412 minutes left of 430"],
  [{ ...FRESH, state: "burning", used_up_at: NOW + 15 * MINUTE }, "↓ 412 min", "used up at 14:47"],
  [{ ...FRESH, state: "used_up", left: -3 }, "−3 min", "broken by 3 minutes"],
  [{ ...FRESH, state: "unknown", unknown: 5 }, "minutes unknown", "5 minutes unknown, not counted"],
] as const)("a freshness budget %# is a figure and a sentence", (freshness, figure, words) => {
  render(<BudgetCell row={{ ...row("toll-by-gate", "healthy"), freshness }} now={NOW} />);
  expect(document.querySelector(".late")?.textContent).toContain(figure);
  expect(document.querySelector(".budget .visually-hidden")?.textContent).toContain(words);
});

test("the tile counts the budgets that are used up, and names the next one", () => {
  drawn();
  const tile = screen.getByText("Loss budget", { selector: "dt" }).parentElement as HTMLElement;
  expect(tile.textContent).toBe("Loss budget1 of 5 used upnext toll-by-gate at 14:47; 1 unknown");
  expect(tile.dataset.tone).toBe("bad");
});
