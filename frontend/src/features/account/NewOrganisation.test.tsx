// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import { NewOrganisation } from "./NewOrganisation";

vi.mock("../../lib/account/session", () => ({ ME: ["me"], useMe: () => ({ data: { id: "p1" } }), useSlug: () => "" }));

afterEach(() => {
  cleanup();
  localStorage.clear();
});

function opened() {
  const element = (
    <QueryClientProvider client={new QueryClient()}>
      <NewOrganisation onCancel={() => undefined} />
    </QueryClientProvider>
  );
  render(<RouterProvider router={createMemoryRouter([{ path: "*", element }])} />);
  const field = (name: string) => screen.getByRole<HTMLInputElement>("textbox", { name });
  return { name: field("Name"), slug: field("Short name") };
}

test("a draft of a new organisation is restored, and its short name follows the name until it is edited", async () => {
  await userEvent.type(opened().name, "Harbour Road");
  cleanup();
  const again = opened();
  expect([again.name.value, again.slug.value]).toEqual(["Harbour Road", "harbour-road"]);
  expect(screen.getByText(/Restored your unsaved changes/)).toBeTruthy();
  await userEvent.type(again.slug, "-2");
  await userEvent.type(again.name, " North");
  cleanup();
  const third = opened();
  expect([third.name.value, third.slug.value]).toEqual(["Harbour Road North", "harbour-road-2"]);
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  cleanup();
  expect(opened().name.value).toBe("");
});
