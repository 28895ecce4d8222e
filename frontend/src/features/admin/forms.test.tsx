// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import { ApiFailure } from "../../lib/api/client";
import type { ExportResponse, InvitationResponse, ServiceAccountResponse, TokenResponse } from "../../model/api";
import { Invitations } from "./members/Invitations";
import { Invite } from "./members/Invite";
import { Exports } from "./organisation/Exports";
import { NewToken } from "./tokens/NewToken";
import { RenameAccount } from "./tokens/serviceAccountParts";
import { TokenTable } from "./tokens/TokenTable";

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
vi.mock("../../lib/account/session", () => ({
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

function renderPage(page: ReactNode) {
  const element = <QueryClientProvider client={new QueryClient()}>{page}</QueryClientProvider>;
  render(<RouterProvider router={createMemoryRouter([{ path: "*", element }])} />);
}

test.each([
  ["New token", "Name", "nightly", () => <NewToken />],
  ["Invite a person", "Email address", "new@acme.example", () => <Invite places={undefined} />],
])("%s: a draft is restored with a notice, until it is discarded", async (opener, label, typed, page) => {
  const open = () => userEvent.click(screen.getByRole("button", { name: opener }));
  const input = () => screen.getByRole<HTMLInputElement>("textbox", { name: label });
  renderPage(page());
  await open();
  await userEvent.type(input(), typed);
  cleanup();
  renderPage(page());
  await open();
  expect(input().value).toBe(typed);
  expect(screen.getByText(/Restored your unsaved changes/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await open();
  expect(input().value).toBe("");
});

test("an invalid network is reported at the token's networks", async () => {
  const message = "This is no network.";
  const fault = { code: "bad_shape", severity: "error", node: null, field: "allowed_networks.0", message, remedy: "" };
  asked.create.mockReturnValue(new ApiFailure(422, { code: "faulty", message: "1 fault.", faults: [fault as never] }));
  asked.create();
  renderPage(<NewToken />);
  await userEvent.click(screen.getByRole("button", { name: "New token" }));
  const networks = screen.getByRole("textbox", { name: "Networks" });
  expect(networks.getAttribute("aria-invalid")).toBe("true");
  expect(
    document.getElementById(networks.getAttribute("aria-describedby")?.split(" ")[0] ?? "")?.textContent,
  ).toContain(message);
});

test("a service account keeps its role and state when it is renamed", async () => {
  const account = { id: "a1", name: "loader", role: "viewer", disabled: true, tokens: 2 } as ServiceAccountResponse;
  asked.replace.mockResolvedValue(account);
  renderPage(<RenameAccount account={account} reason={null} />);
  await userEvent.click(screen.getByRole("button", { name: "Rename loader" }));
  const name = screen.getByRole("textbox", { name: "New name" });
  await userEvent.clear(name);
  await userEvent.type(name, "night loader");
  await userEvent.click(screen.getByRole("button", { name: "Rename" }));
  const body = { name: "night loader", role: "viewer", disabled: true };
  expect(asked.replace).toHaveBeenCalledExactlyOnceWith({ account: "a1", body });
});

test.each(["active", "revoked"] as const)("an %s token can be renamed in the list", async (state) => {
  const token = { id: "t1", name: "nightly", role: "viewer", state, scopes: [], allowed_networks: [] };
  asked.rename.mockResolvedValue(token);
  renderPage(
    <TokenTable tokens={[{ ...token, expires_at: "2026-11-23T00:00:00Z" } as unknown as TokenResponse]} holder />,
  );
  await userEvent.click(screen.getByRole("button", { name: "Rename nightly" }));
  const name = screen.getByRole("textbox", { name: "New name" });
  await userEvent.clear(name);
  await userEvent.type(name, " weekly ");
  await userEvent.click(screen.getByRole("button", { name: "Rename" }));
  expect(asked.rename).toHaveBeenCalledExactlyOnceWith("t1", "weekly");
});

function invitation(id: string, role: string): InvitationResponse {
  const held = { state: "open", sent_at: null, message: null, expires_at: "2026-11-23T00:00:00Z", invited_by: "a" };
  return { id, email: `${id}@acme.example`, role, ...held } as unknown as InvitationResponse;
}

test("an invitation's role can be changed in its row, within the roles that the user may assign", async () => {
  asked.invitations = [invitation("dora", "viewer"), invitation("olga", "owner")];
  renderPage(<Invitations />);
  const chooser = screen.getByRole("combobox", { name: "Role of the invitation of dora@acme.example" });
  expect([...chooser.querySelectorAll("option")].map((each) => each.value)).toEqual(["viewer", "operator"]);
  await userEvent.selectOptions(chooser, "operator");
  expect(asked.changeInvitation).toHaveBeenCalledExactlyOnceWith({ invitation: "dora", role: "operator" });
  expect(screen.getByRole("button", { name: "Role of the invitation of olga@acme.example: owner" })).toBeTruthy();
});

test("an export is deleted after confirmation, but not while it is being created", async () => {
  const made = { requested_by: "a", bytes: null, expires_at: null, message: null };
  const of = (id: string, state: string) => ({ ...made, id, state, created_at: `2026-11-2${id}T00:00:00Z` });
  asked.exports = [of("3", "writing"), of("2", "ready"), of("1", "failed")] as unknown as ExportResponse[];
  asked.deleteExport.mockResolvedValue(undefined);
  renderPage(<Exports reason={null} />);
  const openers = screen.getAllByRole("button", { name: /^Delete the export of/ });
  expect(openers.length).toBe(2);
  await userEvent.click(openers[0] as HTMLElement);
  expect(screen.getByRole("dialog").textContent).toContain("existing download links stop working");
  await userEvent.click(screen.getByRole("button", { name: "Delete export" }));
  expect(asked.deleteExport).toHaveBeenCalledExactlyOnceWith("2");
});
