// @vitest-environment happy-dom
import { act, cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import { DraftGuard } from "./DraftGuard";

afterEach(cleanup);

function draft(typed: boolean) {
  return { dirty: () => typed, discard: vi.fn(), done: vi.fn(), restored: null };
}

test("a page and its dialog, both unsaved, ask one question before leaving", async () => {
  const [page, dialog] = [draft(true), draft(false)];
  const guards = (
    <>
      <DraftGuard draft={page} />
      <DraftGuard draft={dialog} />
    </>
  );
  const router = createMemoryRouter([{ path: "*", element: guards }]);
  render(<RouterProvider router={router} />);
  await act(() => router.navigate("/elsewhere"));
  expect(router.state.location.pathname).toBe("/");
  expect(screen.getAllByRole("dialog").length).toBe(1);
  await userEvent.click(screen.getByRole("button", { name: "Leave and discard changes" }));
  expect(router.state.location.pathname).toBe("/elsewhere");
  expect(page.done).toHaveBeenCalledOnce();
});
