// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { ApiFailure } from "../../lib/api";
import type { BindingShown } from "../../model/api";
import { ChangeQuery } from "./ChangeQuery";
import { bodyOf } from "./requests";

const replacing = vi.hoisted(() => ({ mutate: vi.fn(), isPending: false, error: null as Error | null }));

vi.mock("../../lib/session", () => ({ useReason: () => null, useSlug: () => "acme" }));
vi.mock("./requests", async (original) => ({
  ...(await original<typeof import("./requests")>()),
  useReplaceBinding: () => replacing,
}));

afterEach(() => {
  cleanup();
  replacing.mutate.mockReset();
  replacing.error = null;
});

const INPUT = { node: "cars", stream: "s1", stream_name: "cars", advance: null, event_time: { path: "at" } };
const BINDING = {
  id: "b1",
  name: "watch",
  query_version: "v1",
  query_version_number: 3,
  inputs: [INPUT],
  dedicated: false,
  revision: "r1",
} as unknown as BindingShown;

test("a binding is given a carrier of its own, and the page says what a change leaves behind", async () => {
  render(<ChangeQuery binding={BINDING} />);
  await userEvent.click(screen.getByRole("button", { name: "shared carrier… Change how watch runs" }));
  expect(screen.getByRole("dialog").textContent).toContain(
    "where its state cannot be divided over the cores, it is read again",
  );
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Runs" }), "in a carrier of its own");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(replacing.mutate.mock.calls[0]?.[0]).toEqual({ binding: BINDING, dedicated: true });
});

test("somebody else's change is not overwritten unread: what was opened is sent, and theirs is shown", async () => {
  const theirs = { ...BINDING, name: "look", revision: "r2" };
  const page = render(<ChangeQuery binding={BINDING} />);
  await userEvent.click(screen.getByRole("button", { name: "shared carrier… Change how watch runs" }));
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Runs" }), "in a carrier of its own");
  page.rerender(<ChangeQuery binding={theirs} />);
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(replacing.mutate.mock.lastCall?.[0]).toEqual({ binding: BINDING, dedicated: true });
  const message = "bob changed the binding watch, after you opened it. Nothing of yours was saved.";
  replacing.error = new ApiFailure(409, { code: "conflict", message, faults: [] });
  page.rerender(<ChangeQuery binding={theirs} />);
  expect(screen.getByRole("dialog").textContent).toContain(message);
  expect(screen.getByText("What was changed meanwhile")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Save mine over it" }));
  expect(replacing.mutate.mock.lastCall?.[0]).toEqual({ binding: theirs, dedicated: true });
  await userEvent.click(screen.getByRole("button", { name: "Take theirs, discard mine" }));
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("what else the binding says is sent back as it is, upon what was seen of it", () => {
  expect(bodyOf(BINDING)).toEqual({
    upon: "r1",
    name: "watch",
    query_version: "v1",
    inputs: { cars: { stream: "s1", advance: null, event_time: { path: "at" } } },
  });
});
