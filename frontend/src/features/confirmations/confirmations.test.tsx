// @vitest-environment happy-dom

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiFailure } from "../../lib/api/client";
import type { ConfirmationResponse } from "../../model/api";
import { ConfirmationPage } from "./ConfirmationPage";
import { ConfirmationsPage } from "./ConfirmationsPage";

const asked = vi.hoisted(() => ({
  decide: vi.fn(),
  reason: null as string | null,
  permission: "",
  plan: undefined as unknown,
  plans: [] as unknown[],
}));
vi.mock("../../lib/account/session", () => ({
  useSlug: () => "acme",
  useReason: (permission: string) => {
    asked.permission = permission;
    return asked.reason;
  },
}));
vi.mock("./requests", () => ({
  useConfirmation: () => ({ data: asked.plan, isPending: false, isError: false }),
  useConfirmations: () => ({ data: asked.plans, isPending: false, isError: false }),
  useDecide: () => asked.decide,
}));

const PLAN: ConfirmationResponse = {
  id: "c1",
  kind: "apply",
  title: "Apply 1 change of definitions",
  status: "pending",
  permission: "edit",
  requested_by: "alice@acme.example",
  token: "pct_1",
  requested_at: "2026-11-28T10:00:00Z",
  expires_at: "2026-11-28T11:00:00Z",
  decided_by: "",
  decided_at: null,
  carried_out_at: null,
  binding: null,
  sentences: ["1 query is changed."],
  changes: [
    {
      kind: "query",
      name: "speeding",
      action: "update",
      diff: "--- a/queries/speeding.sql\n+++ b/queries/speeding.sql\n@@ -1,2 +1,2 @@\n QUERY speeding;\n-WHERE speed > 120;\n+WHERE speed > 130;\n@@ -9 +9 @@\n+-- end\n",
    },
  ],
};

beforeEach(() => {
  asked.reason = null;
  asked.plan = PLAN;
  asked.plans = [PLAN];
});
afterEach(() => {
  cleanup();
  vi.resetAllMocks();
});

function renderPage(page = <ConfirmationPage />) {
  const element = <QueryClientProvider client={new QueryClient()}>{page}</QueryClientProvider>;
  render(<RouterProvider router={createMemoryRouter([{ path: "*", element }])} />);
}

test("a pending plan shows its whole effect and is confirmed or refused", async () => {
  renderPage();
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe(PLAN.title);
  expect(screen.getByText("1 query is changed.")).toBeTruthy();
  expect(screen.getByText("alice@acme.example", { exact: false }).textContent).toContain("pct_1");
  const lines = document.querySelectorAll(".difference > [data-kind]");
  expect([...lines].map((line) => [line.getAttribute("data-kind"), line.textContent?.trim()])).toEqual([
    ["same", "QUERY speeding;"],
    ["removed", "removed: − WHERE speed > 120;"],
    ["added", "added: + WHERE speed > 130;"],
    ["same", "⋯"],
    ["added", "added: + -- end"],
  ]);
  await userEvent.click(screen.getByRole("button", { name: "Confirm plan" }));
  expect(asked.decide).toHaveBeenLastCalledWith(true);
  await userEvent.click(screen.getByRole("button", { name: "Refuse plan" }));
  expect(asked.decide).toHaveBeenLastCalledWith(false);
  expect(asked.permission).toBe("edit");
});

test("a person without the permission reads who has it, and can't decide", async () => {
  asked.reason = "Your role viewer can't edit; designer, admin or owner can.";
  renderPage();
  await userEvent.click(screen.getByRole("button", { name: "Confirm plan" }));
  expect(asked.decide).not.toHaveBeenCalled();
  expect(screen.queryByRole("button", { name: "Refuse plan" })).toBeNull();
  expect(document.body.textContent).toContain(asked.reason);
});

test.each([
  ["confirmed", "can now carry out this plan once"],
  ["refused", "can't be carried out any more"],
  ["carried_out", "The program carried out this plan."],
  ["expired", "Let the program plan again."],
] as const)("a plan that is %s can't be decided again", (status, words) => {
  const decided_at = "2026-11-28T10:05:00Z";
  asked.plan = { ...PLAN, status, decided_at, decided_by: "bob@acme.example" };
  renderPage();
  expect(screen.queryByRole("button")).toBeNull();
  expect(screen.getByText(words, { exact: false })).toBeTruthy();
  expect(screen.getByText("bob@acme.example", { exact: false })).toBeTruthy();
});

test("a refused decision shows the server's sentence", async () => {
  const message = "This plan is expired, so nothing can be decided. Ask for a new plan.";
  asked.decide.mockRejectedValue(new ApiFailure(409, { code: "conflict", message, faults: [] }));
  renderPage();
  await userEvent.click(screen.getByRole("button", { name: "Confirm plan" }));
  expect((await screen.findByRole("alert")).textContent).toContain(message);
});

test("the list links every plan", () => {
  renderPage(<ConfirmationsPage />);
  expect(screen.getByRole("link", { name: PLAN.title }).getAttribute("href")).toBe("/t/acme/confirmations/c1");
  expect(screen.getByText("waits for a decision")).toBeTruthy();
});
