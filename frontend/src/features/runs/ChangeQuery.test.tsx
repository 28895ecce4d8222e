// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { BindingShown } from "../../model/api";
import { ChangeQuery } from "./ChangeQuery";
import { bodyOf } from "./queries";

const replacing = vi.hoisted(() => ({ mutate: vi.fn(), isPending: false, error: null }));

vi.mock("../../lib/session", () => ({ useReason: () => null, useSlug: () => "acme" }));
vi.mock("./queries", async (original) => ({
  ...(await original<typeof import("./queries")>()),
  useReplaceBinding: () => replacing,
}));

afterEach(cleanup);

const INPUT = { node: "cars", stream: "s1", stream_name: "cars", advance: null, event_time: { path: "at" } };
const BINDING = {
  id: "b1",
  name: "watch",
  query_version: "v1",
  query_version_number: 3,
  inputs: [INPUT],
  dedicated: false,
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

test("what else the binding says is sent back as it is", () => {
  expect(bodyOf(BINDING)).toEqual({
    name: "watch",
    query_version: "v1",
    inputs: { cars: { stream: "s1", advance: null, event_time: { path: "at" } } },
  });
});
