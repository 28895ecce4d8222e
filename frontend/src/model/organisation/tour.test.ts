import { expect, test } from "vitest";
import type { QuerySummary } from "../api";
import { isThere, NOT_BEGUN, queryOfPath, readTour, sceneOf, stepBeside, TOUR, type TourContents } from "./tour";

function query(id: string, name: string) {
  return { id, name, current: { number: 1 } as QuerySummary["current"] };
}

const EMPTY: TourContents = { streams: [], queries: [], bindings: [] };
const DEMO: TourContents = {
  streams: [
    { id: "s1", name: "boats" },
    { id: "s2", name: "cars" },
  ],
  queries: [query("q1", "by_minute"), query("q2", "speeding")],
  bindings: [],
};
const step = (name: string) => TOUR.find((each) => each.name === name) ?? TOUR[0];
const placeOf = (name: string, contents: TourContents, own: string | null = null) =>
  step(name)?.place(sceneOf(contents, { ...NOT_BEGUN, own }));

test("the tour uses the demo objects if they exist, otherwise the first of each kind", () => {
  const demo = sceneOf(DEMO, NOT_BEGUN);
  expect([demo.stream?.name, demo.shown?.name]).toEqual(["cars", "speeding"]);
  const other = { ...DEMO, streams: DEMO.streams.slice(0, 1), queries: DEMO.queries.slice(0, 1) };
  expect([sceneOf(other, NOT_BEGUN).stream?.name, sceneOf(other, NOT_BEGUN).shown?.name]).toEqual([
    "boats",
    "by_minute",
  ]);
});

test("a person's own query is never the demo query", () => {
  const scene = sceneOf(DEMO, { ...NOT_BEGUN, own: "q2" });
  expect([scene.own?.id, scene.shown?.id]).toEqual(["q2", "q1"]);
});

test("if an object is missing, each step says so and leads to its creation", () => {
  for (const each of TOUR) {
    const place = each.place(sceneOf(EMPTY, NOT_BEGUN));
    expect([each.name, place.to]).toEqual([each.name, "queries/new?templates"]);
    if (each.name !== "own") expect(place.missing).toMatch(/\.$/);
  }
});

test("binding and starting lead from a person's own query to its run", () => {
  expect(placeOf("bind", DEMO, "q1")?.to).toBe("runs?new=q1");
  expect(placeOf("start", DEMO, "q1")?.missing).toBe("by_minute has no binding yet. Create one first.");
  const bound = { ...DEMO, bindings: [{ id: "b", name: "mine", query: "q1", latest_run: null }] };
  expect(placeOf("run", bound, "q1")?.missing).toBe("mine has not been started yet. Start it first.");
  const run = { id: "r", observed: "running", ended_at: null } as never;
  const started = { ...DEMO, bindings: [{ id: "b", name: "mine", query: "q1", latest_run: run }] };
  expect(placeOf("run", started, "q1")?.to).toBe("runs/r");
  expect(step("start")?.done?.(sceneOf(started, { ...NOT_BEGUN, own: "q1" }))).toBe(true);
  expect(step("start")?.done?.(sceneOf(bound, { ...NOT_BEGUN, own: "q1" }))).toBe(false);
});

test("a page is identified by its path", () => {
  expect(isThere("runs", { to: "runs?new=q1" })).toBe(true);
  expect(isThere("runs/1", { to: "runs" })).toBe(false);
  expect([queryOfPath("queries/q1"), queryOfPath("queries/new"), queryOfPath("runs/1")]).toEqual(["q1", null, null]);
});

test("steps stop at both ends, and unreadable state means that the tour was not started", () => {
  expect(stepBeside("stream", -1)).toBe("stream");
  expect(stepBeside("stream", 1)).toBe("sample");
  expect(stepBeside("run", 1)).toBe("run");
  expect(readTour("{")).toEqual(NOT_BEGUN);
  expect(readTour('{"step":"gone","open":true}')).toEqual(NOT_BEGUN);
  expect(readTour('{"step":"late","open":true}')).toEqual({ ...NOT_BEGUN, step: "late", open: true });
});
