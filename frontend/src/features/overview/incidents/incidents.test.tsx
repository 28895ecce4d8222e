// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import type { IncidentFigures, IncidentPageResponse, TimelineEntry } from "../../../model/api";
import { IncidentPage } from "./IncidentPage";

const server = vi.hoisted(() => ({
  page: undefined as unknown,
  reason: null as string | null,
  take: vi.fn(async () => undefined),
  resolve: vi.fn(async () => undefined),
}));
vi.mock("../../../lib/account/session", () => ({ useSlug: () => "acme", useReason: () => server.reason }));
vi.mock("../dashboard/requests", () => ({ useBudget: () => ({ data: undefined }) }));
vi.mock("./requests", () => ({
  useIncident: () => ({ data: server.page, error: null, refetch: vi.fn() }),
  useIncidentChanges: () => server,
  incidentFile: () => "/api/t/acme/incidents/i/file/",
}));

afterEach(() => {
  cleanup();
  vi.clearAllMocks();
  server.reason = null;
});

const MINUTE = 60_000_000;
const ENTRY: TimelineEntry = {
  mark: "A",
  at: 8 * MINUTE,
  end: null,
  kind: "note",
  who: "ci",
  text: "Firmware 4.2.1",
  remark: "",
  before_loss: 28_000_000,
  run: null,
};
const FIGURES: IncidentFigures = {
  begin: 10 * MINUTE,
  end: 20 * MINUTE,
  received: 1_000,
  lost: 40,
  outcomes: { dropped_late: 40, adjusted: 3 },
  repaired: 2,
  lost_recently: 40,
  largest_lag: 22_000_000,
  unknown: [{ begin: 12 * MINUTE, end: 13 * MINUTE }],
  loss_at: 10 * MINUTE,
  by_lane: { begin: 10 * MINUTE, end: 20 * MINUTE, lanes: [{ input: "cars", lane: "7", dropped: 40 }] },
  chart: {
    begin: 0,
    end: 20 * MINUTE,
    step: 10 * MINUTE,
    steps: [
      { at: 0, knowledge: "known", lost: 0 },
      { at: 10 * MINUTE, knowledge: "unknown", lost: 40 },
    ],
  },
  budget_state: "enough",
  budget_rows: 100,
  budget_left: 58,
  run: "r",
  query: "q",
};
const PAGE: IncidentPageResponse = {
  now: 20 * MINUTE,
  incident: {
    id: "i",
    number: 31,
    title: "Rows lost",
    binding: { id: "b", name: "toll" },
    level: "page",
    begin: 11 * MINUTE,
    opened_at: 12 * MINUTE,
    opened_by: null,
    taken_by: null,
    resolved_at: null,
    resolved_by: null,
    resolution: "",
  },
  figures: FIGURES,
  timeline: [
    ENTRY,
    {
      ...ENTRY,
      mark: "",
      kind: "loss",
      who: null,
      at: 10 * MINUTE,
      text: "The first row is lost",
      before_loss: null,
    },
    { ...ENTRY, mark: "B", kind: "alert", at: 12 * MINUTE, text: "Fires", before_loss: null },
  ],
  left_out: false,
};

function drawn(page: IncidentPageResponse = PAGE): void {
  server.page = page;
  const element = (
    <QueryClientProvider client={new QueryClient()}>
      <IncidentPage />
    </QueryClientProvider>
  );
  render(<RouterProvider router={createMemoryRouter([{ path: "*", element }])} />);
}

test("an open incident says what was lost, from where, and who works on it", async () => {
  drawn();
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("#31 Rows lost on toll");
  expect(screen.getByText("Open for 9 min")).toBeDefined();
  expect(screen.getByText("40 in the last 15 min")).toBeDefined();
  expect(screen.getByText("Lane 7")).toBeDefined();
  expect(screen.getByText(/Not known: reports of 1 period, 1 min in all/)).toBeDefined();
  const link = screen.getByRole("link", { name: "Open the query in this range" });
  expect(link.getAttribute("href")).toBe(`/t/acme/live/b?begin=${10 * MINUTE}&end=${20 * MINUTE}`);
  await userEvent.click(screen.getByRole("button", { name: "Take" }));
  expect(server.take).toHaveBeenCalled();
});

test("letters on the chart lead to entries, which have their distance from the loss", async () => {
  drawn();
  expect(screen.getByRole("link", { name: "A" }).getAttribute("href")).toBe("#entry-A");
  const timeline = within(screen.getByRole("list", { name: "Timeline" }));
  const [first, loss, alert] = timeline.getAllByRole("listitem");
  expect(first?.textContent).toContain("28 s before the first lost row");
  expect(loss?.textContent).toContain("The first row is lost");
  expect(alert?.id).toBe("entry-B");
  await userEvent.click(screen.getByRole("button", { name: "Alerts" }));
  expect(timeline.getAllByRole("listitem").map(({ id }) => id)).toEqual(["", "entry-B"]);
});

test("a person resolves it with a reason", async () => {
  drawn();
  await userEvent.click(screen.getByRole("button", { name: "Resolve…" }));
  const dialog = within(screen.getByRole("dialog"));
  await userEvent.type(dialog.getByLabelText("Resolution, optional"), "rolled back");
  await userEvent.click(dialog.getByRole("button", { name: "Resolve incident" }));
  expect(server.resolve).toHaveBeenCalledWith("rolled back");
});

test("a resolved incident has its end and no actions, and can be exported", () => {
  const end = { resolved_at: 14 * MINUTE, resolved_by: "mara", resolution: "rolled back", taken_by: "jonas" };
  drawn({ ...PAGE, incident: { ...PAGE.incident, ...end } });
  expect(screen.getByText("Resolved after 3 min")).toBeDefined();
  expect(screen.getByText(/Resolved by mara at .*: rolled back/s)).toBeDefined();
  expect(screen.queryByRole("button", { name: /Take|Resolve/ })).toBeNull();
  expect(screen.getByRole("link", { name: "Export Markdown" }).getAttribute("href")).toMatch(/file/);
});

test("without lost rows the largest lag is a tile, and figures that are unknown are not zero", () => {
  drawn({ ...PAGE, figures: { ...FIGURES, lost: 0, loss_at: null, lost_recently: null, outcomes: {} } });
  expect(screen.getByText("Largest lag")).toBeDefined();
  expect(screen.getByText("unknown now")).toBeDefined();
  expect(screen.queryByText("Stop the loss.")).toBeNull();
});

test("an incident of the organisation has its timeline alone", () => {
  drawn({ ...PAGE, incident: { ...PAGE.incident, binding: null }, figures: null, left_out: true });
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("#31 Rows lost");
  expect(screen.getByText("Earlier entries are left out.")).toBeDefined();
  expect(screen.queryByText("What was lost")).toBeNull();
});

test("a viewer sees why the actions are not allowed", () => {
  server.reason = "Your role viewer does not allow it.";
  drawn();
  const refused = screen.getAllByRole("button", { name: /^(Take|Note…|Resolve…)$/ });
  expect(refused.map((each) => each.getAttribute("aria-disabled"))).toEqual(["true", "true", "true"]);
});
