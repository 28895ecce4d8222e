import { expect, test } from "vitest";
import type { BindingResponse } from "../api";
import { runTargets } from "./runTarget";

function binding(running: number | null, ended_at: string | null = null): BindingResponse {
  return { latest_run: running === null ? null : { query_version: running, ended_at } } as unknown as BindingResponse;
}

const kinds = (bindings: readonly BindingResponse[], changed = false) =>
  runTargets(bindings, 2, changed).map(({ kind }) => kind);

test("a query without a binding gets one", () => {
  expect(kinds([])).toEqual(["create"]);
});

test("a binding that never ran, or whose run has ended, is started", () => {
  expect(kinds([binding(null), binding(2, "2026-11-28T10:00:00Z")])).toEqual(["start", "start"]);
});

test("only an active run of the very text on the screen counts as running it", () => {
  expect(kinds([binding(2), binding(1)])).toEqual(["runs", "change"]);
  expect(kinds([binding(2), binding(1)], true)).toEqual(["change", "change"]);
});
