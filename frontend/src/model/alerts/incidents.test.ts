import { expect, test } from "vitest";
import type { IncidentResponse, TimelineEntry } from "../api";
import { distanceWords, filtered, letterPlaces, stateWords } from "./incidents";

const MINUTE = 60_000_000;
const ENTRY: TimelineEntry = {
  mark: "A",
  at: 0,
  end: null,
  kind: "note",
  who: "ci",
  text: "Firmware 4.2.1",
  remark: "",
  before_loss: null,
  run: null,
};

test("an incident is open until it is resolved", () => {
  const incident = { begin: MINUTE, resolved_at: null } as IncidentResponse;
  expect(stateWords(incident, 47 * MINUTE)).toBe("Open for 46 min");
  expect(stateWords({ ...incident, resolved_at: 3 * MINUTE }, 47 * MINUTE)).toBe("Resolved after 2 min");
});

test("an entry near the loss has its distance", () => {
  expect(distanceWords({ ...ENTRY, before_loss: 28_000_000 })).toBe("28 s before the first lost row");
  expect(distanceWords(ENTRY)).toBe("");
});

test("a filter keeps the first lost row, and versions belong to runs", () => {
  const kinds = ["note", "loss", "version", "run"] as const;
  const timeline = kinds.map((kind) => ({ ...ENTRY, kind }));
  expect(filtered(timeline, "run").map(({ kind }) => kind)).toEqual(["loss", "version", "run"]);
  expect(filtered(timeline, "all")).toBe(timeline);
});

test("letters that are close are in different rows, and none is outside of the chart", () => {
  const at = [0, 1, 2, 3, 500, 1_001].map((each) => ({ ...ENTRY, at: each }));
  const places = letterPlaces([...at, { ...ENTRY, mark: "", at: 700 }], { begin: 0, end: 1_000 });
  expect(places.map(({ left, row }) => [left, row])).toEqual([
    [0, 0],
    [0.001, 1],
    [0.002, 2],
    [0.5, 0],
  ]);
});
