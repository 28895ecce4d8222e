// @vitest-environment happy-dom
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { ApiFailure } from "../../../lib/api/client";
import type { VersionMerge, VersionResponse } from "../../../model/api";
import { MergePanel } from "./MergePanel";

const useMerge = vi.hoisted(() => vi.fn());
vi.mock("./requests", () => ({ useMerge }));

afterEach(() => {
  cleanup();
  vi.resetAllMocks();
});

const THEIRS = { id: "v2", number: 2, text: "theirs", author: "bob", comment: "longer delay" } as VersionResponse;
const STALE = new ApiFailure(409, { code: "conflict", message: "Version 2 was made meanwhile.", faults: [] });
const FOUND: VersionMerge = {
  text: "both",
  base_number: 1,
  base_text: "base",
  conflicts: [
    { key: "advance:cars", node: "cars", part: "advance", theirs: ["delay 5 s -> 12 s"], mine: ["delay 5 s -> 1 s"] },
  ],
  theirs: [{ node: "cars", change: "changed", words: "time of cars: delay 5 s -> 12 s" }],
  mine: [{ node: "fast", change: "added", words: "node fast added" }],
};

function renderPanel(error: unknown = STALE, found: VersionMerge = FOUND) {
  useMerge.mockReturnValue({ data: found, error: null, isPending: false });
  const onMerged = vi.fn();
  const props = { query: "q", base: "v1", theirs: THEIRS, mine: "mine", onReload: vi.fn(), onOverwrite: vi.fn() };
  render(<MergePanel {...props} error={error} onMerged={onMerged} />);
  return onMerged;
}

test("both sides are described, and a conflict is resolved before the merged text is used", async () => {
  const onMerged = renderPanel();
  expect(screen.getByText(/bob saved version 2 \(longer delay\)/)).toBeTruthy();
  expect(screen.getByText("time of cars: delay 5 s -> 12 s")).toBeTruthy();
  expect(screen.getByText("node fast added")).toBeTruthy();
  const take = () => screen.getByRole("button", { name: "Use the merged text" });
  await userEvent.click(take());
  expect(onMerged).not.toHaveBeenCalled();
  const sides = screen.getByRole("group", { name: "Version to keep for cars" });
  await userEvent.click(within(sides).getByRole("button", { name: "Theirs" }));
  expect(useMerge).toHaveBeenLastCalledWith("q", "v1", "v2", "mine", { "advance:cars": "theirs" });
  await userEvent.click(take());
  expect(onMerged).toHaveBeenCalledExactlyOnceWith("both");
});

test("without a conflict no decision is needed", async () => {
  const onMerged = renderPanel(STALE, { ...FOUND, conflicts: [] });
  expect(screen.queryByRole("table")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Use the merged text" }));
  expect(onMerged).toHaveBeenCalledExactlyOnceWith("both");
});

test("another error opens no merge", () => {
  renderPanel(new ApiFailure(422, { code: "faulty", message: "no", faults: [] }));
  expect(screen.queryByRole("heading")).toBeNull();
});
