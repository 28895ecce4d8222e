import { expect, test } from "vitest";
import type { LateResponse, RunDefinitionResponse } from "../../model/api";
import { whyLate } from "./whyLate";

const S = 1_000_000;
const ROW: LateResponse = {
  id: "0-0-0",
  run: null,
  input: "cars",
  lane: "0",
  position: 1,
  start: 10 * S,
  end: null,
  edge: null,
  cti: 22 * S,
  outcome: "dropped_late",
  reason: "before_cti",
  policy: "drop",
  moved_by: null,
  raw: "{}",
};

function ran(advance: unknown, definition: object = { fields: {} }): RunDefinitionResponse {
  const inputs = [
    { node: "cars", stream: "cars", adapter: "file", definition: { shape: "point", ...definition }, advance },
  ];
  return { inputs } as unknown as RunDefinitionResponse;
}

test("a late row names its CTI and the smallest delay that would have kept it, to the tick", () => {
  const words = whyLate(ROW, ran({ generate: { every: 10, delay: "5s" } }));
  expect(words[0]).toBe("When it arrived, the CTI of lane 0 of cars was 12 s after its start.");
  expect(words.at(-1)).toBe("With a delay of 17 s instead of 5 s it would have been on time.");
  const odd = whyLate({ ...ROW, cti: 22 * S + 1 }, ran({ generate: { every: 10 } }));
  expect(odd.at(-1)).toBe("With a delay of 12.000001 s instead of 0 s it would have been on time.");
});

test("no delay is suggested if CTIs come with the data", () => {
  expect(whyLate(ROW, ran({ import_from: "clock" })).at(-1)).toContain("CTIs of this input come with the data");
});

test("rows on time and malformed rows have no sentence about the CTI", () => {
  expect(whyLate({ ...ROW, start: null }, null)).toEqual([]);
  expect(whyLate({ ...ROW, start: 22 * S }, null)).toEqual([]);
});

test("a malformed row names the expected form", () => {
  const malformed = { ...ROW, start: null, outcome: "malformed", reason: "bad_payload" } as const;
  const fields = { plate: "string", speed: "double" };
  expect(whyLate(malformed, ran(null, { fields }))).toEqual([
    "Each value must match its field's type, or be empty: plate string, speed double.",
  ]);
  const timeless = { ...malformed, reason: "bad_time" } as const;
  const at = (unit?: string) => ran(null, { fields, event_time: { start: { column: "seen_at", unit } } });
  expect(whyLate(timeless, at())).toEqual(["Its time must be in seen_at, as ISO 8601 text."]);
  expect(whyLate(timeless, at("ms"))).toEqual(["Its time must be in seen_at, as a number of ms."]);
  expect(whyLate({ ...malformed, reason: "bad_row" }, at())).toEqual([]);
  expect(whyLate(malformed, null)).toEqual([]);
});
