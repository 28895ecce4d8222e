// @vitest-environment happy-dom
import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { sampleOf } from "../../../model/simulation/sample/sample";
import type { Simulation, TrackRow } from "../../../model/simulation/types";
import type { PageSample } from "../sampling/pageSample";
import { PreviewPanel } from "./PreviewPanel";
import { NO_PREVIEW, type Preview } from "./preview";
import type { RunningComparison } from "./runningVersion";

const parts = vi.hoisted(() => ({ preview: null as unknown, running: null as unknown, query: null as unknown }));
vi.mock("../page/designer", () => ({ useDesigner: () => ({ query: parts.query }) }));
vi.mock("./preview", async (real) => ({ ...(await real<object>()), usePreviewed: () => parts.preview }));
vi.mock("./runningVersion", () => ({ useRunningComparison: () => parts.running }));
vi.mock("../sampling/pageSample", () => ({
  usePageSample: (): Partial<PageSample> => ({ sample: SAMPLE, note: "", loading: false, load: () => undefined }),
}));

afterEach(cleanup);

const SAMPLE = sampleOf([{ stream: "cars", start: 1 }], "100 rows read from cars");

function simulated(...rows: (readonly [start: number, n: number])[]): Simulation {
  const origin = {
    edge: null,
    deleted: false,
    replaces: null,
    closes: null,
    parents: [],
    rows: [],
    pane: null,
    why: [],
  };
  const track = rows.map(([start, n], id): TrackRow => {
    const times = { after: 1, gone_after: null, start, end: start + 10, closed_after: null, closed_end: null };
    return { id, node: "out", ...times, ...origin, payload: { n }, released_by: null, released_cti: null };
  });
  const tracks = [{ node: "out", kind: "output", rows: track }];
  return {
    rows: [],
    staircases: [],
    tracks,
    panes: [],
    order: ["out"],
    outcomes: {},
    holding: [],
    attempts: [],
    failures: [],
  };
}

function renderPreview(state: Preview["state"], now: Simulation | null, running: Partial<RunningComparison> = {}) {
  const answer = now === null ? null : { request: { text: "t", sample: SAMPLE }, simulation: now };
  parts.preview = { ...NO_PREVIEW, state, answer };
  parts.running = { number: null, others: [], simulation: null, error: null, ...running };
  parts.query = { id: "q1" };
  render(<PreviewPanel />);
}

const rows = () => screen.getAllByRole("row").slice(1);

test("rows that differ from the running version are marked, with the value before", () => {
  const running = { number: 7, simulation: simulated([0, 1], [10, 2], [20, 3]) };
  renderPreview({ kind: "current" }, simulated([0, 1], [10, 5], [30, 4]), running);
  expect(screen.getByText("3 results: 1 new, 1 changed, 1 gone, compared with version 7.")).toBeTruthy();
  expect(rows().map((row) => row.getAttribute("data-difference"))).toEqual(["new", "gone", "changed", "same"]);
  const [, , changed] = rows();
  const cells = within(changed as HTMLElement);
  expect([cells.getByText("2").closest("del"), cells.getByText("5").closest("ins")]).not.toContain(null);
  expect(screen.getByText("Sample: 100 rows read from cars", { exact: false })).toBeTruthy();
});

test("without a running version the page says so", () => {
  renderPreview({ kind: "current" }, simulated([0, 1]));
  expect(screen.getByText("Nothing to compare with: no version of the query runs.")).toBeTruthy();
  expect(screen.queryByRole("columnheader", { name: /Against/ })).toBeNull();
});

test("old results are marked as old, with the reason, and explain nothing", () => {
  renderPreview({ kind: "blocked", reason: "The query has an error in line 12: Expected a value." }, simulated([0, 1]));
  expect(screen.getByText("The query has an error in line 12: Expected a value.")).toBeTruthy();
  expect(screen.getByRole("status").textContent).toContain("not of the text on the screen");
  expect(screen.getByRole("region", { name: "Preview of out" }).getAttribute("data-old")).toBe("true");
  expect(screen.queryByRole("button", { name: "Why?" })).toBeNull();
});
