// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ME } from "../../lib/account/session";
import { useTour } from "../../lib/tour";
import { Tour } from "./Tour";

const ORGANISATION = { slug: "x", name: "X", role: "owner", permissions: ["edit", "operate", "view"] };
const QUERY = { id: "q1", name: "speeding", current: { number: 1 } };

function Opener() {
  const { begin } = useTour("x");
  return (
    <button type="button" onClick={begin}>
      Take the tour
    </button>
  );
}

function page(contents: { streams: unknown[]; queries: unknown[]; bindings: unknown[] }) {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  });
  client.setQueryData(ME, { id: "p", organisations: [ORGANISATION] });
  client.setQueryData(["permissions"], { permissions: [], roles: [] });
  client.setQueryData(["x", "streams"], contents.streams);
  client.setQueryData(["x", "queries"], contents.queries);
  client.setQueryData(["x", "runs", "bindings"], contents.bindings);
  const element = (
    <>
      <Opener />
      <Tour />
    </>
  );
  const router = createMemoryRouter([{ path: "/t/:slug/*", element }], { initialEntries: ["/t/x"] });
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return { client, router };
}

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const title = () => screen.getByRole("heading", { level: 3 }).textContent;
const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));

test("the card takes the focus, moves forward and back, and returns the focus when closed", async () => {
  page({ streams: [{ id: "s", name: "cars" }], queries: [QUERY], bindings: [] });
  expect(screen.queryByRole("complementary")).toBeNull();
  await press("Take the tour");
  expect(document.activeElement?.textContent).toBe("Guided tour");
  expect(screen.getByRole("link", { name: "Open the stream" }).getAttribute("href")).toBe("/t/x/streams/s");
  await press("Next");
  expect(title()).toBe("Run a query on a few rows");
  await press("Back");
  expect(screen.getByRole("status").textContent).toContain("Step 1 of 14");
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("complementary")).toBeNull();
  expect(document.activeElement?.textContent).toBe("Take the tour");
});

test("without streams it names the missing part and links to the templates", async () => {
  page({ streams: [], queries: [], bindings: [] });
  await press("Take the tour");
  expect(screen.getByText(/This organisation has no streams yet/)).toBeTruthy();
  expect(screen.getByRole("link", { name: "Open the templates" }).getAttribute("href")).toBe(
    "/t/x/queries/new?templates",
  );
});

test("a finished task advances the tour and is confirmed", async () => {
  const { router } = page({ streams: [{ id: "s", name: "cars" }], queries: [QUERY], bindings: [] });
  await press("Take the tour");
  await press("Next");
  await act(() => router.navigate("/t/x/queries/q1"));
  expect(title()).toBe("Run a query on a few rows");
  const simulator = document.createElement("div");
  simulator.className = "dock-panel";
  simulator.innerHTML = '<div id="simulator"><div role="option"></div></div>';
  document.body.append(simulator);
  await screen.findByRole("heading", { name: "Let the rows arrive one by one" });
  expect(screen.getByText("✓ Done: Run a query on a few rows.")).toBeTruthy();
  simulator.remove();
});
