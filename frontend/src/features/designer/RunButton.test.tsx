// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import type { QueryResponse, VersionResponse } from "../../model/api";
import { RunButton, type UnsavedQuery } from "./RunButton";

const post = vi.hoisted(() => vi.fn());
vi.mock("../../lib/account/session", () => ({ useSlug: () => "acme", useReason: () => null }));
vi.mock("../../lib/api/client", async (original) => ({ ...(await original()), api: { POST: post } }));

afterEach(() => {
  cleanup();
  vi.resetAllMocks();
});

const version = (id: string, name: string) => ({ id, graph: { name } }) as unknown as VersionResponse;
const QUERY = { id: "q1", name: "tally", current: version("v1", "tally") } as unknown as QueryResponse;

async function pressed(name: string, unsaved: UnsavedQuery | null) {
  post.mockResolvedValue({ data: { id: "r1" }, response: { ok: true } });
  const element = (
    <QueryClientProvider client={new QueryClient()}>
      <RunButton query={QUERY} unsaved={unsaved} />
    </QueryClientProvider>
  );
  render(<RouterProvider router={createMemoryRouter([{ path: "*", element }])} />);
  await userEvent.click(screen.getByRole("button", { name }));
}

const bodies = () => post.mock.calls.map(([address, { body }]) => [address, body]);

test("a query with unsaved changes is saved, and the new version is bound and started", async () => {
  const save = vi.fn().mockResolvedValue(version("v2", "tally_2"));
  await pressed("Save and run", { reason: null, save });
  await waitFor(() => expect(bodies()).toHaveLength(2));
  expect(save).toHaveBeenCalledOnce();
  expect(bodies()[0]?.[1]).toEqual({ name: "tally_2", query_version: "v2" });
});

test("nothing starts if the changes can't be saved or the server refuses them", async () => {
  const save = vi.fn().mockResolvedValue(null);
  await pressed("Save and run", { reason: "Fix the errors first.", save });
  expect(save).not.toHaveBeenCalled();
  expect(screen.getAllByText("Fix the errors first.")).not.toEqual([]);
  cleanup();
  await pressed("Save and run", { reason: null, save });
  await waitFor(() => expect(save).toHaveBeenCalledOnce());
  expect(post).not.toHaveBeenCalled();
});

test("an unchanged query runs in its stored version", async () => {
  await pressed("Run", null);
  await waitFor(() => expect(bodies()).toHaveLength(2));
  expect(bodies()[0]?.[1]).toEqual({ name: "tally", query_version: "v1" });
});
