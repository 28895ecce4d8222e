// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import { ApiFailure } from "../../lib/api";
import type { QueryShown } from "../../model/api";
import { BindingForm } from "./BindingForm";

vi.mock("../../lib/session", () => ({ useMe: () => ({ data: { id: "p1" } }), useSlug: () => "acme" }));

afterEach(() => {
  cleanup();
  localStorage.clear();
});

const THEN = { onSuccess: expect.any(Function) };
const SAID = { name: "speeding", query_version: "v1", freshness: "5s" };
const QUERY = { id: "q1", name: "speeding", current: { id: "v1", number: 3 } } as QueryShown;

function shown(error: Error | null = null, isPending = false) {
  const mutate = vi.fn();
  const onCancel = vi.fn();
  const form = <BindingForm queries={[QUERY]} creating={{ mutate, isPending, error }} onCancel={onCancel} />;
  render(<RouterProvider router={createMemoryRouter([{ path: "*", element: form }])} />);
  return { mutate, onCancel };
}

test("a new binding shares its query with others unless something else is chosen", async () => {
  const { mutate } = shown();
  await userEvent.click(screen.getByRole("button", { name: "Create the binding" }));
  expect(mutate).toHaveBeenCalledExactlyOnceWith({ ...SAID, dedicated: false }, THEN);
});

test("a binding may have a carrier of its own, and the form says what that costs", async () => {
  const { mutate } = shown();
  const choice = screen.getByRole("combobox", { name: "Runs" });
  const help = document.getElementById(choice.getAttribute("aria-describedby") ?? "");
  expect(help?.textContent).toContain("about half a core and 300 MB");
  await userEvent.selectOptions(choice, "in a carrier of its own");
  await userEvent.click(screen.getByRole("button", { name: "Create the binding" }));
  expect(mutate).toHaveBeenCalledExactlyOnceWith({ ...SAID, dedicated: true }, THEN);
});

test("how fresh results must be is said when the binding is made", async () => {
  const { mutate } = shown();
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "How fresh results must be" }), "200 ms");
  await userEvent.click(screen.getByRole("button", { name: "Create the binding" }));
  expect(mutate.mock.calls[0]?.[0].freshness).toBe("200ms");
});

test("a choice may be taken back", async () => {
  const { mutate } = shown();
  const choice = screen.getByRole("combobox", { name: "Runs" });
  await userEvent.selectOptions(choice, "in a carrier of its own");
  await userEvent.selectOptions(choice, "in the shared carrier, with other bindings");
  await userEvent.click(screen.getByRole("button", { name: "Create the binding" }));
  expect(mutate.mock.calls[0]?.[0].dedicated).toBe(false);
});

test("a name that is refused is told at the name, which gets the focus", () => {
  const message = "A name begins with a letter.";
  const faults = [{ code: "bad_shape", severity: "error", node: null, field: "name", message, remedy: "Mend it." }];
  shown(new ApiFailure(422, { code: "faulty", message: "1 fault found.", faults: faults as never }));
  const name = screen.getByRole("textbox", { name: "Name of the binding" });
  expect(document.activeElement).toBe(name);
  expect(document.getElementById(name.getAttribute("aria-describedby") ?? "")?.textContent).toContain(message);
});

test("what was typed is there again when the form is opened again, until it is cancelled", async () => {
  shown();
  await userEvent.type(screen.getByRole("textbox", { name: "Name of the binding" }), "_2");
  cleanup();
  shown();
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Name of the binding" }).value).toBe("speeding_2");
  expect(screen.getByText(/was not saved, and is here again/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  cleanup();
  shown();
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Name of the binding" }).value).toBe("speeding");
});
