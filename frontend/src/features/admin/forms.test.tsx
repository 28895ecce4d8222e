// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import { ApiFailure } from "../../lib/api";
import type { ServiceAccountShown } from "../../model/api";
import { Invite } from "./Invite";
import { NewToken } from "./NewToken";
import { RenameAccount } from "./serviceAccountParts";

const ROLES = [{ role: "viewer", words: "sees", permissions: ["view"] }];
const asked = vi.hoisted(() => ({ create: vi.fn(), replace: vi.fn() }));
vi.mock("../../lib/session", () => ({
  useMe: () => ({ data: { id: "p1" } }),
  useSlug: () => "acme",
  useReason: () => null,
  useOrganisation: () => ({ role: "viewer" }),
  usePermissionMatrix: () => ({ data: { roles: ROLES, permissions: [] } }),
}));
vi.mock("./queries", () => ({
  useRefresh: () => () => Promise.resolve(),
  useCreateToken: () => ({ mutate: asked.create, isPending: false, error: asked.create.mock.results[0]?.value }),
  useReplaceServiceAccount: () => ({ mutateAsync: asked.replace }),
}));

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.resetAllMocks();
});

function shown(page: ReactNode) {
  const element = <QueryClientProvider client={new QueryClient()}>{page}</QueryClientProvider>;
  render(<RouterProvider router={createMemoryRouter([{ path: "*", element }])} />);
}

test.each([
  ["New token", "Name", "nightly", () => <NewToken />],
  ["Invite somebody", "E-mail address", "new@acme.example", () => <Invite places={undefined} />],
])("%s: what was typed is there again, and says so, until it is given up", async (opener, label, typed, page) => {
  const open = () => userEvent.click(screen.getByRole("button", { name: opener }));
  const input = () => screen.getByRole<HTMLInputElement>("textbox", { name: label });
  shown(page());
  await open();
  await userEvent.type(input(), typed);
  cleanup();
  shown(page());
  await open();
  expect(input().value).toBe(typed);
  expect(screen.getByText(/was not saved, and is here again/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await open();
  expect(input().value).toBe("");
});

test("a network that is refused is told at the networks of the token", async () => {
  const message = "This is no network.";
  const fault = { code: "bad_shape", severity: "error", node: null, field: "allowed_networks.0", message, remedy: "" };
  asked.create.mockReturnValue(new ApiFailure(422, { code: "faulty", message: "1 fault.", faults: [fault as never] }));
  asked.create();
  shown(<NewToken />);
  await userEvent.click(screen.getByRole("button", { name: "New token" }));
  const networks = screen.getByRole("textbox", { name: "Networks" });
  expect(networks.getAttribute("aria-invalid")).toBe("true");
  expect(
    document.getElementById(networks.getAttribute("aria-describedby")?.split(" ")[0] ?? "")?.textContent,
  ).toContain(message);
});

test("a service account is renamed, and keeps its role and its state", async () => {
  const account = { id: "a1", name: "loader", role: "viewer", disabled: true, tokens: 2 } as ServiceAccountShown;
  asked.replace.mockResolvedValue(account);
  shown(<RenameAccount account={account} reason={null} />);
  await userEvent.click(screen.getByRole("button", { name: "Rename loader" }));
  const name = screen.getByRole("textbox", { name: "New name" });
  await userEvent.clear(name);
  await userEvent.type(name, "night loader");
  await userEvent.click(screen.getByRole("button", { name: "Rename" }));
  const body = { name: "night loader", role: "viewer", disabled: true };
  expect(asked.replace).toHaveBeenCalledExactlyOnceWith({ account: "a1", body });
});
