// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import type { BindingResponse, QueryResponse, VersionResponse } from "../../model/api";
import { RunButton, type UnsavedQuery } from "./RunButton";

const api = vi.hoisted(() => ({ GET: vi.fn(), POST: vi.fn(), PUT: vi.fn() }));
vi.mock("../../lib/account/session", () => ({
  useSlug: () => "acme",
  useReason: () => null,
  useMe: () => ({ data: undefined }),
}));
vi.mock("../../lib/api/client", async (original) => ({ ...(await original()), api }));

afterEach(() => {
  cleanup();
  vi.resetAllMocks();
});

const version = (number: number, name = "tally") =>
  ({
    id: `v${number}`,
    number,
    comment: "",
    graph: { name, nodes: [{ kind: "input", id: "cars", stream: "cars" }] },
  }) as unknown as VersionResponse;
const QUERY = { id: "q1", name: "tally", current: version(2) } as unknown as QueryResponse;
const INPUT = { node: "cars", stream: "s1", stream_name: "cars", advance: null, event_time: null };

function binding(name: string, bound: number, running: number | null) {
  const run = { id: `run of ${name}`, binding: name, binding_name: name, query_version: running, ended_at: null };
  const latest_run = running === null ? null : run;
  return {
    id: name,
    name,
    query_version: `v${bound}`,
    inputs: [INPUT],
    freshness: "2s",
    dedicated: true,
    revision: "r1",
    latest_run,
  } as unknown as BindingResponse;
}

const ok = (data: unknown) => ({ data, response: { ok: true } });

async function renderButton(bindings: readonly BindingResponse[], unsaved: UnsavedQuery | null = null) {
  api.GET.mockImplementation(async (address: string) => {
    if (address.endsWith("/versions/")) return ok([version(3), version(2), version(1)]);
    if (address.endsWith("/next-start/"))
      return ok({ goes_on: true, reason: null, sentence: "It resumes.", options: [], nodes: [], mark: "m" });
    if (address.endsWith("/version-change/")) return ok({ change: null, refusal: "Not during this test." });
    return ok(bindings);
  });
  api.POST.mockResolvedValue(ok({ id: "r1" }));
  api.PUT.mockResolvedValue(ok({}));
  const element = (
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <RunButton query={QUERY} unsaved={unsaved} />
    </QueryClientProvider>
  );
  const router = createMemoryRouter([{ path: "*", element }]);
  render(<RouterProvider router={router} />);
  await waitFor(() => expect(screen.queryByText("Its bindings are being loaded.")).toBeNull());
  return router;
}

async function pressed(name: string) {
  await waitFor(() => expect(screen.queryByText("Its versions are being loaded.")).toBeNull());
  await userEvent.click(await screen.findByRole("button", { name }));
}

const bodies = (method: "POST" | "PUT") => api[method].mock.calls.map(([address, { body }]) => [address, body]);
const saving = (saved: VersionResponse | null, reason: string | null = null) => ({
  reason,
  save: vi.fn().mockResolvedValue(saved),
});

test("without a binding, the query is saved, bound and started", async () => {
  const unsaved = saving(version(3, "tally_2"));
  const router = await renderButton([], unsaved);
  await pressed("Save and run");
  await waitFor(() => expect(router.state.location.pathname).toBe("/t/acme/runs/r1"));
  expect(unsaved.save).toHaveBeenCalledOnce();
  expect(bodies("POST")[0]?.[1]).toEqual({ name: "tally_2", query_version: "v3" });
});

test("nothing starts if the changes can't be saved or the server refuses them", async () => {
  const faulty = saving(null, "Fix the errors first.");
  await renderButton([], faulty);
  await pressed("Save and run");
  expect(faulty.save).not.toHaveBeenCalled();
  expect(screen.getAllByText("Fix the errors first.")).not.toEqual([]);
  cleanup();
  const refused = saving(null);
  await renderButton([binding("watch", 2, null)], refused);
  await pressed("Save and run");
  await waitFor(() => expect(refused.save).toHaveBeenCalledOnce());
  expect(api.POST).not.toHaveBeenCalled();
  expect(api.PUT).not.toHaveBeenCalled();
});

test("a stopped binding gets the version on the screen before it starts", async () => {
  const router = await renderButton([binding("watch", 1, null)]);
  await pressed("Run");
  await waitFor(() => expect(router.state.location.pathname).toBe("/t/acme/runs/r1"));
  const inputs = { cars: { stream: "s1", advance: null, event_time: null } };
  const settings = { name: "watch", query_version: "v2", freshness: "2s", dedicated: true, inputs, upon: "r1" };
  expect(bodies("PUT")).toEqual([["/api/t/{slug}/bindings/{binding}/", settings]]);
  expect(bodies("POST")[0]).toEqual(["/api/t/{slug}/bindings/{binding}/start/", { shown: "m" }]);
});

test("a binding that has the version on the screen is only started", async () => {
  const router = await renderButton([binding("watch", 2, null)]);
  await pressed("Run");
  await waitFor(() => expect(router.state.location.pathname).toBe("/t/acme/runs/r1"));
  expect(api.PUT).not.toHaveBeenCalled();
});

test("a run of this version is linked; a run of another one is offered the change without a pause", async () => {
  await renderButton([binding("watch", 2, 2)]);
  expect((await screen.findByRole("link", { name: "Open the run" })).getAttribute("href")).toBe(
    "/t/acme/runs/run of watch",
  );
  cleanup();
  await renderButton([binding("watch", 1, 1)]);
  await pressed("Run version 2…");
  expect(screen.getByRole("dialog", { name: "Change watch to another version" })).toBeTruthy();
  expect(screen.getByRole<HTMLSelectElement>("combobox", { name: "Version" }).value).toBe("2");
});

test("changes next to a run of the stored version are saved, then proposed for the change", async () => {
  const unsaved = saving(version(3));
  await renderButton([binding("watch", 2, 2)], unsaved);
  await pressed("Save and run…");
  expect((await screen.findByRole<HTMLSelectElement>("combobox", { name: "Version" })).value).toBe("3");
  expect(unsaved.save).toHaveBeenCalledOnce();
});

test("with several bindings the user chooses one, after the changes were saved", async () => {
  const unsaved = saving(version(2));
  await renderButton([binding("day", 2, 2), binding("night", 2, null)], unsaved);
  await pressed("Save and run…");
  const dialog = await screen.findByRole("dialog");
  expect(unsaved.save).toHaveBeenCalledOnce();
  expect(within(dialog).getByText("runs this version")).toBeTruthy();
  await userEvent.click(within(dialog).getByRole("button", { name: "Run night" }));
  await waitFor(() => expect(bodies("POST")).toHaveLength(1));
});
