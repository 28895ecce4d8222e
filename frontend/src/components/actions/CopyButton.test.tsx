// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { CopyButton } from "./CopyButton";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test("a text is copied, and another text is not yet copied", async () => {
  const user = userEvent.setup();
  const { rerender } = render(<CopyButton text="first" />);
  await user.click(screen.getByRole("button", { name: "Copy" }));
  expect(await screen.findByRole("button", { name: "Copied" })).toBeDefined();
  expect(await navigator.clipboard.readText()).toBe("first");
  rerender(<CopyButton text="second" />);
  expect(screen.getByRole("button", { name: "Copy" })).toBeDefined();
});

test("a page without a clipboard says what to do", async () => {
  const user = userEvent.setup();
  vi.stubGlobal("navigator", { clipboard: undefined });
  render(<CopyButton text="first" label="Copy the link" byHand="Copy it from the address bar." />);
  await user.click(screen.getByRole("button", { name: "Copy the link" }));
  expect(screen.getByRole("status").textContent).toContain("Copy it from the address bar.");
  expect(screen.getByRole("button", { name: "Copy the link" })).toBeDefined();
});
