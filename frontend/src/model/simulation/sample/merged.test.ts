import { expect, it } from "vitest";
import { mergedByTime } from "./merged";
import type { SampleRow } from "./sample";

it("keeps the order of each stream, and merges streams by time", () => {
  const cars: SampleRow[] = [
    { stream: "cars", start: 1 },
    { stream: "cars", start: 5 },
    { stream: "cars", start: 3 },
    { stream: "cars", bad: "{" },
    { stream: "cars", cti: 9 },
  ];
  const roads: SampleRow[] = [
    { stream: "roads", start: 2 },
    { stream: "roads", start: 7 },
  ];
  expect(mergedByTime([cars, roads])).toEqual([cars[0], roads[0], cars[1], cars[2], cars[3], roads[1], cars[4]]);
  expect(mergedByTime([cars])).toEqual(cars);
  expect(mergedByTime([])).toEqual([]);
});
