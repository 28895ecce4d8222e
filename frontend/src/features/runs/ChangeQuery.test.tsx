// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { ApiFailure } from "../../lib/api/client";
import type { BindingResponse } from "../../model/api";
import { settingsOf } from "../../model/binding/bindingForm";
import { ChangeQuery } from "./ChangeQuery";

const replacing = vi.hoisted(() => ({ mutate: vi.fn(), isPending: false, error: null as Error | null }));

vi.mock("../../lib/account/session", () => ({ useReason: () => null, useSlug: () => "acme" }));
vi.mock("../../lib/resources/bindings", async (original) => ({
  ...(await original<typeof import("../../lib/resources/bindings")>()),
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
} as unknown as BindingResponse;

test("a binding can be moved to its own carrier, and the page explains the effect", async () => {
  render(<ChangeQuery binding={BINDING} />);
  await userEvent.click(screen.getByRole("button", { name: "shared carrier… Change the carrier of watch" }));
  expect(screen.getByRole("dialog").textContent).toContain(
    "If their state can't be split over the cores, their rows are read again",
  );
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Runs" }), "in its own carrier");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(replacing.mutate.mock.calls[0]?.[0]).toEqual({
    binding: "b1",
    body: { ...settingsOf(BINDING), dedicated: true },
  });
});

test("another person's change is not overwritten: the opened revision is sent, and their version is shown", async () => {
  const theirs = { ...BINDING, name: "look", revision: "r2" };
  const page = render(<ChangeQuery binding={BINDING} />);
  await userEvent.click(screen.getByRole("button", { name: "shared carrier… Change the carrier of watch" }));
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Runs" }), "in its own carrier");
  page.rerender(<ChangeQuery binding={theirs} />);
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(replacing.mutate.mock.lastCall?.[0]).toEqual({
    binding: "b1",
    body: { ...settingsOf(BINDING), dedicated: true },
  });
  const message = "bob changed the binding watch, after you opened it. Nothing of yours was saved.";
  replacing.error = new ApiFailure(409, { code: "conflict", message, faults: [] });
  page.rerender(<ChangeQuery binding={theirs} />);
  expect(screen.getByRole("dialog").textContent).toContain(message);
  expect(screen.getByText("Changes by others")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Overwrite with mine" }));
  expect(replacing.mutate.mock.lastCall?.[0]).toEqual({
    binding: "b1",
    body: { ...settingsOf(theirs), dedicated: true },
  });
  await userEvent.click(screen.getByRole("button", { name: "Load theirs, discard mine" }));
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("all other settings of the binding are sent back unchanged, with the opened revision", () => {
  expect(settingsOf(BINDING)).toEqual({
    upon: "r1",
    name: "watch",
    query_version: "v1",
    dedicated: false,
    inputs: { cars: { stream: "s1", advance: null, event_time: { path: "at" } } },
  });
});
