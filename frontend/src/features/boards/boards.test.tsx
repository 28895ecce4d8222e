// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { BoardResponse, TileFigures } from "../../model/api";
import { BoardPage } from "./BoardPage";
import { LatenessFigures } from "./LatenessFigures";

afterEach(cleanup);

const TEXT = { kind: "text", title: "Note", text: "Call the gate.", width: 4, height: 2 } as const;
const GONE = { kind: "lag", title: "Lag", binding: "b", binding_name: "watch", width: 3, height: 2 } as const;
const BOARD: BoardResponse = {
  id: "1",
  name: "desk",
  version: 3,
  definition: { title: "Morning desk", seconds: null, where: [], tiles: [TEXT, GONE] },
  gone: ["b"],
  author: "alice@acme.example",
  created_at: "2026-11-28T10:00:00Z",
};
const NO_FIGURES: TileFigures = { now: 0, begin: null, chart: null, lateness: null, without: [], problem: null };
const ANSWERS: readonly (readonly [string, unknown])[] = [
  ["/boards/figures/", { ...NO_FIGURES, problem: "The query of this tile was deleted." }],
  ["/boards/1/", BOARD],
  ["/permissions/", { roles: {}, permissions: {} }],
  ["/me/", { organisations: [{ slug: "acme", role: "owner", permissions: ["view", "edit"] }] }],
];
let sent: unknown[];

beforeEach(() => {
  sent = [];
  vi.stubGlobal("fetch", async (input: Request | string) => {
    const request = typeof input === "string" ? new Request(input) : input;
    if (request.method === "PUT") {
      const body = await request.json();
      sent.push(body);
      return Response.json({ ...BOARD, version: 4, definition: body.definition });
    }
    return Response.json(ANSWERS.find(([end]) => request.url.endsWith(end))?.[1] ?? []);
  });
});

function openPage() {
  const router = createMemoryRouter([{ path: "/t/:slug/boards/:board", element: <BoardPage /> }], {
    initialEntries: ["/t/acme/boards/1"],
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}

test("a tile of a deleted binding says which one it was", async () => {
  openPage();
  const tile = await screen.findByRole("region", { name: "Lag" });
  within(tile).getByText("watch (deleted)");
  await within(tile).findByText("The query of this tile was deleted.");
  within(await screen.findByRole("region", { name: "Note" })).getByText("Call the gate.");
});

test("tiles are moved, resized and removed by buttons, and saved as a version of the loaded one", async () => {
  openPage();
  await vi.waitFor(() => {
    fireEvent.click(screen.getByRole("button", { name: "Edit" }));
    screen.getByRole("button", { name: "Save" });
  });
  fireEvent.click(screen.getByRole("button", { name: "Move later: Note" }));
  fireEvent.click(screen.getByRole("button", { name: "Make wider: Note" }));
  fireEvent.click(screen.getByRole("button", { name: "Remove the tile: Lag" }));
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  await vi.waitFor(() =>
    expect(sent).toEqual([
      { name: "desk", parent: 3, definition: { ...BOARD.definition, tiles: [{ ...TEXT, width: 5 }] } },
    ]),
  );
});

test("a verdict without its first word stays a sentence", () => {
  const none = { begin: 0, end: 1, since: null, blame: "", outcomes: {}, received: 0, steps: 1, unknown_steps: 0 };
  const rest = { ...none, lag: null, lags: [], inputs: [] };
  render(<LatenessFigures kind="trust" shown={{ ...rest, trust: "stopped", sentence: "No run is active." }} />);
  screen.getByText("No run is active.");
  render(
    <LatenessFigures kind="trust" shown={{ ...rest, trust: "short", sentence: "No: 2 rows are in no result." }} />,
  );
  screen.getByText("2 rows are in no result.");
});
