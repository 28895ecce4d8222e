// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import { ApiFailure } from "../../lib/api";
import type { ExportShown, InvitationShown, ServiceAccountShown, TokenShown } from "../../model/api";
import { Exports } from "./Exports";
import { Invitations } from "./Invitations";
import { Invite } from "./Invite";
import { NewToken } from "./NewToken";
import { RenameAccount } from "./serviceAccountParts";
import { TokenTable } from "./TokenTable";

const ROLES = [
  { role: "viewer", words: "sees", permissions: ["view"] },
  { role: "operator", words: "starts", permissions: ["view"] },
  { role: "owner", words: "decides", permissions: ["view", "own"] },
];
const asked = vi.hoisted(() => ({
  create: vi.fn(),
  replace: vi.fn(),
  rename: vi.fn(),
  changeInvitation: vi.fn(),
  deleteExport: vi.fn(),
  invitations: [] as unknown[],
  exports: [] as unknown[],
}));
vi.mock("../../lib/session", () => ({
  useMe: () => ({ data: { id: "p1" } }),
  useSlug: () => "acme",
  useReason: () => null,
  useOrganisation: () => ({ role: "viewer" }),
  usePermissionMatrix: () => ({ data: { roles: ROLES, permissions: [] } }),
}));
vi.mock("./requests", () => ({
  useRefresh: () => () => Promise.resolve(),
  useCreateToken: () => ({ mutate: asked.create, isPending: false, error: asked.create.mock.results[0]?.value }),
  useReplaceServiceAccount: () => ({ mutateAsync: asked.replace }),
  useRenameToken: () => asked.rename,
  useInvitations: () => ({ data: asked.invitations }),
  useChangeInvitation: () => ({ mutate: asked.changeInvitation, isPending: false, error: null }),
  useExports: () => ({ data: asked.exports }),
  useDeleteExport: () => asked.deleteExport,
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

test.each(["active", "revoked"] as const)("a token that is %s is renamed where it is listed", async (state) => {
  const token = { id: "t1", name: "nightly", role: "viewer", state, scopes: [], allowed_networks: [] };
  asked.rename.mockResolvedValue(token);
  shown(<TokenTable tokens={[{ ...token, expires_at: "2026-11-23T00:00:00Z" } as unknown as TokenShown]} holder />);
  await userEvent.click(screen.getByRole("button", { name: "Rename nightly" }));
  const name = screen.getByRole("textbox", { name: "New name" });
  await userEvent.clear(name);
  await userEvent.type(name, " weekly ");
  await userEvent.click(screen.getByRole("button", { name: "Rename" }));
  expect(asked.rename).toHaveBeenCalledExactlyOnceWith("t1", "weekly");
});

function invitation(id: string, role: string): InvitationShown {
  const held = { state: "open", sent_at: null, message: null, expires_at: "2026-11-23T00:00:00Z", invited_by: "a" };
  return { id, email: `${id}@acme.example`, role, ...held } as unknown as InvitationShown;
}

test("an invitation gets another role in its row, unless it has or gets more than I may give", async () => {
  asked.invitations = [invitation("dora", "viewer"), invitation("olga", "owner")];
  shown(<Invitations />);
  const chooser = screen.getByRole("combobox", { name: "Role of the invitation of dora@acme.example" });
  expect([...chooser.querySelectorAll("option")].map((each) => each.value)).toEqual(["viewer", "operator"]);
  await userEvent.selectOptions(chooser, "operator");
  expect(asked.changeInvitation).toHaveBeenCalledExactlyOnceWith({ invitation: "dora", role: "operator" });
  expect(screen.getByRole("button", { name: "Role of the invitation of olga@acme.example: owner" })).toBeTruthy();
});

test("an export is deleted once that was confirmed, but not while it is being written", async () => {
  const made = { requested_by: "a", bytes: null, expires_at: null, message: null };
  const of = (id: string, state: string) => ({ ...made, id, state, created_at: `2026-11-2${id}T00:00:00Z` });
  asked.exports = [of("3", "writing"), of("2", "ready"), of("1", "failed")] as unknown as ExportShown[];
  asked.deleteExport.mockResolvedValue(undefined);
  shown(<Exports reason={null} />);
  const openers = screen.getAllByRole("button", { name: /^Delete the export of/ });
  expect(openers.length).toBe(2);
  await userEvent.click(openers[0] as HTMLElement);
  expect(screen.getByRole("dialog").textContent).toContain("cannot be downloaded any more");
  await userEvent.click(screen.getByRole("button", { name: "Delete the export" }));
  expect(asked.deleteExport).toHaveBeenCalledExactlyOnceWith("2");
});
