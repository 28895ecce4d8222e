// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import type { AlertList, AlertResponse, ChannelResponse } from "../../model/api";
import { AlertsPage } from "./AlertsPage";

const server = vi.hoisted(() => ({
  alerts: { data: undefined as unknown, error: null as unknown, isPending: false, refetch: vi.fn() },
  channels: [] as unknown[],
  messages: [] as unknown[],
  silences: [] as unknown[],
  incidents: [] as unknown[],
  openIncident: vi.fn(async () => undefined),
  reason: null as string | null,
  acknowledge: vi.fn(async () => ({})),
  silence: vi.fn(async () => ({})),
  endSilence: vi.fn(async () => ({})),
  testChannel: vi.fn(async () => ({})),
}));
vi.mock("../../lib/account/session", () => ({ useSlug: () => "acme", useReason: () => server.reason }));
vi.mock("../../lib/resources/alerts", () => ({ useAlerts: () => server.alerts }));
vi.mock("../../lib/resources/bindings", () => ({
  useBindingChoices: () => ({ data: [{ id: "b1", name: "toll_by_gate" }] }),
}));
vi.mock("./requests", () => ({
  useRefreshAlerts: () => () => Promise.resolve(),
  useRules: () => ({ data: [], error: null, isPending: false }),
  useIncidents: () => ({ data: { now: 0, incidents: server.incidents, next: null }, error: null }),
  useOpenIncident: () => server.openIncident,
  useSilences: () => ({ data: server.silences, error: null }),
  useChannels: () => ({ data: server.channels, error: null, isPending: false }),
  useChannelKinds: () => ({ data: [] }),
  useChannelMessages: () => ({ data: server.messages }),
  useAlertChanges: () => server,
}));

afterEach(() => {
  cleanup();
  vi.clearAllMocks();
  Object.assign(server, { channels: [], messages: [], silences: [], incidents: [], reason: null });
  server.alerts = { data: undefined, error: null, isPending: false, refetch: vi.fn() };
});

const FIRING: AlertResponse = {
  id: "a1",
  rule: "rows_lost",
  title: "Rows lost",
  binding: { id: "b1", name: "toll_by_gate" },
  phase: "firing",
  level: "page",
  sentence: "toll_by_gate lost 2.3 % of its rows in 5 minutes.",
  value: 0.023,
  unit: "share",
  since: 1_795_262_400_000_000,
  fired_at: 1_795_262_400_000_000,
  resolved_at: null,
  unknown_since: null,
  notified: true,
  silenced_until: null,
  acknowledged: null,
};
const CHANNEL: ChannelResponse = {
  id: "c1",
  name: "ops",
  kind: "email",
  title: "E-mail",
  options: {},
  level: "warn",
  enabled: true,
  trouble: null,
};

function list(...alerts: AlertResponse[]): AlertList {
  const counts = { firing: alerts.length, paging: 1, pending: 0, unknown: 0, resolved: 0, channels: 0 };
  return { alerts, undecided: [], counts, decided_at: 1_795_262_400_000_000 };
}

function renderPage(data: AlertList | undefined) {
  server.alerts.data = data;
  const page = (
    <QueryClientProvider client={new QueryClient()}>
      <AlertsPage />
    </QueryClientProvider>
  );
  render(<RouterProvider router={createMemoryRouter([{ path: "*", element: page }])} />);
}

test("a firing alert shows its sentence and can be acknowledged", async () => {
  renderPage(list(FIRING));
  const row = within(screen.getByRole("row", { name: /toll_by_gate/ }));
  expect(row.getByText("Firing, pages")).toBeTruthy();
  expect(row.getByText(FIRING.sentence)).toBeTruthy();
  await userEvent.click(row.getByRole("button", { name: "Acknowledge Rows lost" }));
  expect(server.acknowledge).toHaveBeenCalledWith("a1");
});

test("an alert that somebody has taken names them", () => {
  renderPage(list({ ...FIRING, acknowledged: { by: "alice@acme.example", at: "2026-11-27T12:00:00Z", note: "" } }));
  expect(screen.getByText(/alice@acme.example/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: /Acknowledge/ })).toBeNull();
});

test("a silence needs a reason and ends after the chosen time", async () => {
  renderPage(list(FIRING));
  await userEvent.click(screen.getByRole("button", { name: "Silence Rows lost of toll_by_gate" }));
  const dialog = within(screen.getByRole("dialog"));
  await userEvent.type(dialog.getByLabelText("Reason"), "repair");
  await userEvent.click(dialog.getByRole("button", { name: "Silence" }));
  expect(server.silence).toHaveBeenCalledWith(
    expect.objectContaining({ rule: "rows_lost", binding: "b1", reason: "repair" }),
  );
});

test("an unknown alert is not shown as decided", () => {
  renderPage(list({ ...FIRING, phase: "unknown", level: null }));
  expect(screen.getByText("Not decided: no data for this period.")).toBeTruthy();
});

test("without alerts and channels the page says what is missing", () => {
  renderPage(list());
  expect(screen.getByText("No alert")).toBeTruthy();
  expect(screen.getByText("No channel: nobody is notified")).toBeTruthy();
});

test("an error can be tried again", async () => {
  server.alerts.error = new Error("The server failed.");
  renderPage(undefined);
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(server.alerts.refetch).toHaveBeenCalled();
});

test("a channel shows why its last message was not sent, and can be tested", async () => {
  server.channels = [CHANNEL];
  server.messages = [{ id: "m1", state: "waiting", message: "hook.example answers 500.", headline: "Page" }];
  renderPage(list());
  expect(screen.getByText("hook.example answers 500.")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Send a test to ops" }));
  expect(server.testChannel).toHaveBeenCalledWith("c1");
});

test("a viewer sees the actions and why they are not allowed", () => {
  server.channels = [CHANNEL];
  server.reason = "Your role viewer does not allow it.";
  renderPage(list(FIRING));
  const refused = screen.getAllByRole("button", { name: /Acknowledge|Silence|Send a test|Delete|New channel/ });
  expect(refused.map((each) => each.getAttribute("aria-disabled"))).toEqual(refused.map(() => "true"));
});

test("an incident leads to its page, and a person opens one", async () => {
  const times = { begin: 0, opened_at: 0, resolved_at: null };
  const people = { opened_by: null, taken_by: null, resolved_by: null };
  const binding = { id: "b1", name: "toll_by_gate" };
  server.incidents = [{ id: "i1", number: 31, title: "Rows lost", binding, level: "page", ...times, ...people }];
  renderPage(list());
  const row = within(screen.getByRole("row", { name: /#31 Rows lost/ }));
  expect(row.getByRole("link").getAttribute("href")).toBe("/t/acme/incidents/i1");
  expect(row.getByText("nobody")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Open incident…" }));
  const dialog = within(screen.getByRole("dialog"));
  await userEvent.type(dialog.getByLabelText("Title"), "Odd totals");
  await userEvent.selectOptions(dialog.getByLabelText("Of"), "toll_by_gate");
  await userEvent.click(dialog.getByRole("button", { name: "Open incident" }));
  expect(server.openIncident).toHaveBeenCalledWith({ title: "Odd totals", binding: "b1" });
});
