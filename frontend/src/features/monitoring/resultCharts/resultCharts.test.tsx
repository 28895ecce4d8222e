// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ChartPoint, ChartResponse } from "../../../model/api";
import { ResultsPage } from "./ResultsPage";

afterEach(cleanup);

const MINUTE = 60_000_000;
const COLUMNS = ["start timestamp", "end timestamp", "op string", "run string", "gate string", "n long"];
const STATES = ["final boolean", "dropped long", "repaired boolean", "incomplete string"];

function point(minute: number, value: string, more: Partial<ChartPoint> = {}): ChartPoint {
  const state = { provisional: 0, undecided: 0, repaired: 0, incomplete: 0, dropped: 0 };
  return { at: minute * MINUTE, category: null, group: null, value, rows: 1, ...state, ...more };
}

const CHART: ChartResponse = {
  output: "out",
  outputs: ["out"],
  columns: [...COLUMNS, ...STATES].map((text) => {
    const [name = "", type = ""] = text.split(" ");
    return { name, type };
  }),
  axis: "time",
  bucket: null,
  value_type: "long",
  points: [
    point(0, "12345678"),
    point(1, "288", { dropped: 91 }),
    point(2, "5", { repaired: 1 }),
    point(3, "7", { provisional: 1 }),
  ],
  rows: 4,
  rows_stored: 9,
  points_left_out: 0,
  categories_left_out: 0,
  groups_left_out: 0,
  dropped: { unknown: null, elsewhere: 3, unreadable: 0, adds_up: true },
  repeats: false,
};
const OTHERS: Readonly<Record<string, unknown>> = {
  "/api/me/": { organisations: [{ slug: "acme", role: "owner", permissions: ["view", "edit"] }] },
  "/api/t/acme/boards/": [],
  "/api/t/acme/bindings/b/results/": [],
};
let chart: ChartResponse;
let asked: URL[];

beforeEach(() => {
  chart = CHART;
  asked = [];
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => {}); // a saved file is a link that is clicked
  vi.stubGlobal("fetch", async (input: Request | string) => {
    const url = new URL(typeof input === "string" ? input : input.url, window.location.origin);
    asked.push(url);
    if (url.pathname.endsWith("/chart/")) return Response.json(chart);
    if (url.pathname.endsWith("/file/"))
      return new Response("start\n", { headers: { "Punctual-Bytes": "6", "Punctual-Rows": "4" } });
    return Response.json(OTHERS[url.pathname] ?? { id: "b", name: "toll", latest_run: { id: "r" } });
  });
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
});

function openPage(search: string) {
  const router = createMemoryRouter([{ path: "/t/:slug/live/:binding/results", element: <ResultsPage /> }], {
    initialEntries: [`/t/acme/live/b/results${search}`],
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return router;
}

function lastChart(): URL {
  return asked.filter(({ pathname }) => pathname.endsWith("/chart/")).at(-1) as URL;
}

test("the table has every point with its state, newest first", async () => {
  openPage("?kind=table&measure=sum&of=n");
  const table = await screen.findByRole("table");
  const rows = within(table)
    .getAllByRole("row")
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole("cell")
        .map((cell) => cell.textContent),
    );
  expect(rows).toEqual([
    ["1970-01-01 00:03:00Z", "7", "1", "provisional", "no dropped rows so far"],
    ["1970-01-01 00:02:00Z", "5", "1", "repaired", "no dropped rows"],
    ["1970-01-01 00:01:00Z", "288", "1", "final", "91 dropped rows belonged here, would have been 379"],
    ["1970-01-01 00:00:00Z", "12,345,678", "1", "final", "no dropped rows"],
  ]);
  screen.getByText("4 points from 4 results; 1 point short: 91 rows dropped");
  screen.getByText(/3 more dropped rows belonged to results that aren't in this chart/);
});

test("what isn't known is named, and never shown as zero", async () => {
  chart = {
    ...CHART,
    points: [point(0, "1", { dropped: null, undecided: 1 })],
    dropped: {
      unknown: "the windows depend on the rows that are in them",
      elsewhere: null,
      unreadable: 0,
      adds_up: false,
    },
    repeats: true,
    points_left_out: 7,
  };
  openPage("?kind=table&measure=sum&of=n");
  const table = await screen.findByRole("table");
  within(table).getByText("not known");
  within(table).getByText("final or not: unknown");
  screen.getByText(
    "It isn't known how many dropped rows belonged to these results: the windows depend on the rows that are in them.",
  );
  screen.getByText(/they count twice here/);
  screen.getByText("Not shown: 7 points between their smallest and largest neighbours. The export has all results.");
});

test("an address without a measure gets the usual one", async () => {
  const router = openPage("?kind=table");
  await screen.findByRole("table");
  await vi.waitFor(() => expect(router.state.location.search).toBe("?kind=table&x=start&measure=sum&of=n"));
});

test("each choice is in the address and in the request", async () => {
  const router = openPage("?kind=table&measure=sum&of=n");
  await screen.findByRole("table");
  fireEvent.change(screen.getByLabelText("by"), { target: { value: "gate" } });
  const value = screen.getByLabelText("Value of the filter");
  fireEvent.change(value, { target: { value: "G7" } });
  fireEvent.submit(value.closest("form") as HTMLFormElement);
  const from = screen.getByLabelText("from");
  fireEvent.change(from, { target: { value: "2026-11-26T10:00Z" } });
  fireEvent.submit(from.closest("form") as HTMLFormElement);
  await vi.waitFor(() => expect(lastChart().searchParams.get("from")).toBe("2026-11-26T10:00Z"));
  expect(new URLSearchParams(router.state.location.search).toString()).toBe(lastChart().searchParams.toString());
  expect(lastChart().searchParams.getAll("where")).toEqual(["gate:G7"]);
  fireEvent.click(screen.getByLabelText("Remove the filter gate:G7"));
  await vi.waitFor(() => expect(lastChart().searchParams.getAll("where")).toEqual([]));
});

test("the export has the rows of the chart", async () => {
  openPage("?kind=table&measure=sum&of=n&from=2026-11-26T10:00Z&where=gate:G7");
  fireEvent.click(await screen.findByText("Parquet"));
  await screen.findByText(/Downloaded 4 rows/);
  expect(asked.at(-1)?.pathname).toBe("/api/t/acme/bindings/b/results/file/");
  expect(asked.at(-1)?.search).toBe("?format=parquet&output=out&from=2026-11-26T10%3A00Z&where=gate%3AG7");
});

test("a single value is written with its state and all its digits", async () => {
  chart = {
    ...CHART,
    axis: "none",
    points: [point(0, "1234567890123456789.25", { at: null, dropped: 2 })],
    dropped: { ...CHART.dropped, adds_up: false },
  };
  openPage("?kind=value&measure=sum&of=n");
  expect(await screen.findAllByText("1,234,567,890,123,456,789.25")).toHaveLength(2); // and in the table
  screen.getByText("final · 2 dropped rows belonged here");
  expect(lastChart().search).toBe("?kind=value&measure=sum&of=n");
});

test("no results yet and none for a filter are different", async () => {
  chart = { ...CHART, points: [], rows: 0, dropped: { ...CHART.dropped, elsewhere: 0 } };
  openPage("?kind=table&measure=sum&of=n&where=gate:G9");
  await screen.findByText("No results for this filter and range");
  cleanup();
  chart = { ...chart, rows_stored: 0 };
  openPage("?kind=table&measure=sum&of=n");
  await screen.findByText("No results yet");
});

test.each(["bar", "line", "heat"])("points of a %s chart are read one by one by keyboard", async (kind) => {
  const user = userEvent.setup();
  openPage(`?kind=${kind}&measure=sum&of=n&group=gate`);
  const slider = await screen.findByRole("slider", { name: "Point" });
  expect(slider.getAttribute("aria-valuetext")).toContain("provisional");
  slider.focus();
  await user.keyboard("{ArrowLeft}");
  screen.getByRole("img", { name: /Sum of n by gate: 4 points/ });
});

test("a chart becomes a tile of a new board, with its definition", async () => {
  openPage("?kind=line&measure=sum&of=n&group=gate&where=gate:G7");
  const sent: unknown[] = [];
  const before = globalThis.fetch;
  vi.stubGlobal("fetch", async (input: Request | string) => {
    if (typeof input === "string" || input.method !== "POST") return before(input);
    const body = await input.json();
    sent.push(body);
    return Response.json({ id: "1", version: 1, gone: [], ...body });
  });
  const field = await vi.waitFor(() => {
    fireEvent.click(screen.getByRole("button", { name: "Add to a board" }));
    return screen.getByLabelText("Title of the board");
  });
  fireEvent.change(field, { target: { value: "Morning desk" } });
  fireEvent.click(screen.getByRole("button", { name: "Add" }));
  await screen.findByRole("link", { name: "Morning desk" });
  const chart = { output: null, kind: "line", x: "start", bucket: null, measure: "sum", of: "n", group: "gate" };
  expect(sent).toEqual([
    {
      name: "morning_desk",
      definition: {
        title: "Morning desk",
        seconds: null,
        where: [],
        tiles: [expect.objectContaining({ kind: "chart", binding: "b", where: ["gate:G7"], chart })],
      },
    },
  ]);
});
