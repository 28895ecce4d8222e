// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import { ApiFailure } from "../../lib/api/client";
import type { QueryResponse } from "../../model/api";
import { QueryActions } from "./QueryActions";

const rename = vi.hoisted(() => vi.fn());
vi.mock("../../lib/account/session", () => ({
  useMe: () => ({ data: { id: "p1" } }),
  useSlug: () => "acme",
  useReason: () => null,
}));
vi.mock("../../components/dependencies/Uses", () => ({ useUses: () => ({ data: [] }), UseList: () => null }));
vi.mock("./requests", () => ({
  useDeleteQuery: () => vi.fn(),
  useRenameQuery: () => ({ mutate: rename, mutateAsync: rename, isPending: false, error: null }),
}));

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.resetAllMocks();
});

const QUERY = { id: "q1", name: "tally", current: { id: "v3" } } as unknown as QueryResponse;

async function opened() {
  const element = (
    <QueryClientProvider client={new QueryClient()}>
      <QueryActions query={QUERY} />
    </QueryClientProvider>
  );
  render(<RouterProvider router={createMemoryRouter([{ path: "*", element }])} />);
  await userEvent.click(screen.getByRole("button", { name: "Rename…" }));
  return screen.getByRole<HTMLInputElement>("textbox", { name: "New name" });
}

test("a typed new name is restored, sent with the current version as its base, and then cleared", async () => {
  await userEvent.type(await opened(), "_2");
  cleanup();
  expect((await opened()).value).toBe("tally_2");
  expect(screen.getByText(/Restored your unsaved changes/)).toBeTruthy();
  rename.mockResolvedValue(QUERY);
  await userEvent.click(screen.getByRole("button", { name: "Rename" }));
  expect(rename).toHaveBeenCalledExactlyOnceWith({ name: "tally_2", parent: "v3" });
  expect(screen.queryByRole("dialog")).toBeNull();
  cleanup();
  expect((await opened()).value).toBe("tally");
});

test("an invalid name is reported at its field", async () => {
  const input = await opened();
  const fault = { code: "bad_name", severity: "error", node: null, field: "name", message: "No name.", remedy: "" };
  rename.mockRejectedValue(new ApiFailure(422, { code: "faulty", message: "1 fault.", faults: [fault as never] }));
  await userEvent.click(screen.getByRole("button", { name: "Rename" }));
  expect(input.getAttribute("aria-invalid")).toBe("true");
});
