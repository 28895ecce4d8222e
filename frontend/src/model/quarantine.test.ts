import { expect, test } from "vitest";
import type { LateShown, RunDefinitionShown } from "./api";
import { EVERYTHING, lateParams, lateQuery, whyLate } from "./quarantine";

const S = 1_000_000;
const ROW: LateShown = {
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

function ran(advance: unknown, definition: object = { fields: {} }): RunDefinitionShown {
  const inputs = [
    { node: "cars", stream: "cars", adapter: "file", definition: { shape: "point", ...definition }, advance },
  ];
  return { inputs } as unknown as RunDefinitionShown;
}

test("what is not chosen is not asked, and times are in UTC", () => {
  expect(lateQuery(EVERYTHING)).toEqual({});
  const chosen = {
    ...EVERYTHING,
    outcome: "malformed",
    text: "a b",
    since: "1970-01-01T00:01",
    until: "no time",
    lateBy: "1h",
  } as const;
  expect(lateQuery({ ...chosen, lateBy: "soon" })).toEqual({ outcome: "malformed", text: "a b", since: 60 * S });
  expect(lateQuery(chosen).late_by).toBe(3_600 * S);
  expect(String(lateParams(chosen))).toBe("outcome=malformed&text=a+b&since=60000000&late_by=3600000000");
});

test("a late row says what it met and the smallest delay that would have kept it, to the last tick", () => {
  const words = whyLate(ROW, ran({ generate: { every: 10, delay: "5s" } }));
  expect(words[0]).toBe("When it came, the CTI of lane 0 of cars was 12 s beyond its start.");
  expect(words.at(-1)).toBe("With a delay of 17 s in place of 5 s it would have been on time.");
  const odd = whyLate({ ...ROW, cti: 22 * S + 1 }, ran({ generate: { every: 10 } }));
  expect(odd.at(-1)).toBe("With a delay of 12.000001 s in place of 0 s it would have been on time.");
});

test("no delay is promised where CTIs come with the data", () => {
  expect(whyLate(ROW, ran({ import_from: "clock" })).at(-1)).toContain("CTIs of this input come as they were sent");
});

test("a row that was not late, or could not be read, has nothing to say of the CTI", () => {
  expect(whyLate({ ...ROW, start: null }, null)).toEqual([]);
  expect(whyLate({ ...ROW, start: 22 * S }, null)).toEqual([]);
});

test("a malformed row says what it would have had to be", () => {
  const malformed = { ...ROW, start: null, outcome: "malformed", reason: "bad_payload" } as const;
  const fields = { plate: "string", speed: "double" };
  expect(whyLate(malformed, ran(null, { fields }))).toEqual([
    "Each value must be of the type of its field, or empty: plate string, speed double.",
  ]);
  const timeless = { ...malformed, reason: "bad_time" } as const;
  const at = (unit?: string) => ran(null, { fields, event_time: { start: { column: "seen_at", unit } } });
  expect(whyLate(timeless, at())).toEqual(["Its time must stand in seen_at, as ISO 8601 text."]);
  expect(whyLate(timeless, at("ms"))).toEqual(["Its time must stand in seen_at, as a number of ms."]);
  expect(whyLate({ ...malformed, reason: "bad_row" }, at())).toEqual([]);
  expect(whyLate(malformed, null)).toEqual([]);
});
