// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import { ApiFailure } from "../../lib/api/client";
import type { QuerySummary } from "../../model/api";
import { BindingForm } from "./BindingForm";

vi.mock("../../lib/account/session", () => ({ useMe: () => ({ data: { id: "p1" } }), useSlug: () => "acme" }));

afterEach(() => {
  cleanup();
  localStorage.clear();
});

const SAID = { name: "speeding", query_version: "v1", freshness: "5s" };
const QUERY = { id: "q1", name: "speeding", current: { id: "v1", number: 3 } } as QuerySummary;

function renderForm(error: Error | null = null, isPending = false) {
  const mutate = vi.fn();
  const onCancel = vi.fn();
  const form = <BindingForm queries={[QUERY]} creating={{ mutate, isPending, error }} onCancel={onCancel} />;
  render(<RouterProvider router={createMemoryRouter([{ path: "*", element: form }])} />);
  return { mutate, onCancel };
}

test("a new binding shares a carrier by default", async () => {
  const { mutate } = renderForm();
  await userEvent.click(screen.getByRole("button", { name: "Create binding" }));
  expect(mutate).toHaveBeenCalledExactlyOnceWith({
    body: { ...SAID, dedicated: false },
    onStored: expect.any(Function),
  });
});

test("a binding can have its own carrier, and the form states the cost", async () => {
  const { mutate } = renderForm();
  const choice = screen.getByRole("combobox", { name: "Runs" });
  const help = document.getElementById(choice.getAttribute("aria-describedby") ?? "");
  expect(help?.textContent).toContain("about half a core and 300 MB");
  await userEvent.selectOptions(choice, "in its own carrier");
  await userEvent.click(screen.getByRole("button", { name: "Create binding" }));
  expect(mutate).toHaveBeenCalledExactlyOnceWith({
    body: { ...SAID, dedicated: true },
    onStored: expect.any(Function),
  });
});

test("freshness is chosen when the binding is created", async () => {
  const { mutate } = renderForm();
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Freshness" }), "200 ms");
  await userEvent.click(screen.getByRole("button", { name: "Create binding" }));
  expect(mutate.mock.calls[0]?.[0].body.freshness).toBe("200ms");
});

test("a choice can be changed", async () => {
  const { mutate } = renderForm();
  const choice = screen.getByRole("combobox", { name: "Runs" });
  await userEvent.selectOptions(choice, "in its own carrier");
  await userEvent.selectOptions(choice, "in the shared carrier, with other bindings");
  await userEvent.click(screen.getByRole("button", { name: "Create binding" }));
  expect(mutate.mock.calls[0]?.[0].body.dedicated).toBe(false);
});

test("an invalid name is reported at its field, which gets the focus", () => {
  const message = "A name begins with a letter.";
  const faults = [{ code: "bad_shape", severity: "error", node: null, field: "name", message, remedy: "Fix it." }];
  renderForm(new ApiFailure(422, { code: "faulty", message: "1 fault found.", faults: faults as never }));
  const name = screen.getByRole("textbox", { name: "Name of the binding" });
  expect(document.activeElement).toBe(name);
  expect(document.getElementById(name.getAttribute("aria-describedby") ?? "")?.textContent).toContain(message);
});

test("a draft is restored when the form opens again, until it is cancelled", async () => {
  renderForm();
  await userEvent.type(screen.getByRole("textbox", { name: "Name of the binding" }), "_2");
  cleanup();
  renderForm();
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Name of the binding" }).value).toBe("speeding_2");
  expect(screen.getByText(/Restored your unsaved changes/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  cleanup();
  renderForm();
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Name of the binding" }).value).toBe("speeding");
});
