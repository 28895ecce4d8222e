import { expect, test } from "vitest";
import type { BindingResponse } from "../api";
import { stepsOf } from "./overview";

type Latest = BindingResponse["latest_run"];

function binding(name: string, observed: string | null, created_at = "2026-11-22T10:00:00Z"): BindingResponse {
  const ended_at = observed === "failed" || observed === "stopped" ? created_at : null;
  const latest_run = observed === null ? null : ({ observed, created_at, ended_at } as Latest);
  return { id: name, name, latest_run } as BindingResponse;
}

const EMPTY = { streams: [], queries: [], bindings: [] };
const NAMED = [{ id: "1", name: "cars" }];

test("the next step is the first that is not done", () => {
  const next = (contents: Parameters<typeof stepsOf>[0]) => stepsOf(contents).find((step) => !step.done)?.action;
  expect(next(EMPTY)).toBe("Create a stream");
  expect(next({ ...EMPTY, streams: NAMED })).toBe("Write a query");
  expect(next({ ...EMPTY, streams: NAMED, queries: NAMED })).toBe("Create a binding");
  expect(next({ streams: NAMED, queries: NAMED, bindings: [binding("watch", null)] })).toBe("Start watch");
  expect(next({ streams: NAMED, queries: NAMED, bindings: [binding("watch", "stopped")] })).toBeUndefined();
});
