// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, test } from "vitest";
import { PageBroken } from "./ErrorBoundary";

afterEach(cleanup);

async function broken(error: unknown, framed = false): Promise<string> {
  const errorElement = <PageBroken framed={framed} />;
  const routes = [{ path: "/", loader: () => Promise.reject(error), element: null, errorElement }];
  render(<RouterProvider router={createMemoryRouter([...routes, { path: "*", element: null }])} />);
  return (await screen.findByRole("alert")).textContent ?? "";
}

test("a tab from before an update asks for a reload", async () => {
  const gone = new TypeError("Failed to fetch dynamically imported module: http://localhost/assets/RunPage-1.js");
  expect(await broken(gone)).toContain("Punctual was updated");
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Reload this page");
});

test("another error is explained in the main part of the frame", async () => {
  expect(await broken(new Error("No such node."))).toBe("This page could not be displayed: No such node.");
  expect(screen.queryByRole("main")).not.toBeNull();
  cleanup();
  await broken(new Error("No such node."), true);
  expect(screen.queryByRole("main")).toBeNull();
});
