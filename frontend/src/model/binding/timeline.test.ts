import { expect, test } from "vitest";
import {
  beginOf,
  type Chosen,
  fieldOfTick,
  type InputContents,
  type LaneContents,
  laneWords,
  marksOf,
  piecesOf,
  proposed,
  refusalOf,
  sizeText,
  spans,
  tickOfField,
} from "./timeline";

const NONE: LaneContents = {
  lane: "0",
  earliest: null,
  end: null,
  at_time: null,
  stopped: null,
  reach: null,
  from_at: null,
  until_at: null,
  rows: null,
  bytes: null,
  rows_since: null,
  bytes_since: null,
  at_most: false,
  unit: "row",
};
const KAFKA: LaneContents = { ...NONE, earliest: 100, end: 200, stopped: 150, at_time: 120 };
const FILES: LaneContents = {
  ...NONE,
  earliest: 0,
  stopped: 7,
  from_at: 10,
  until_at: 30,
  bytes: 2000,
  bytes_since: 500,
};
const TIME: Chosen = { kind: "time", at: 20 };
const word = (of: "now" | "stopped" | "beginning"): Chosen => ({ kind: "word", word: of });
const at = (text: string): Chosen => ({ kind: "positions", typed: { cars: { "0": text } } });

test("a lane with positions states how many rows are read again, skipped and new", () => {
  expect(laneWords(TIME, "cars", KAFKA)).toBe("30 rows read again, 50 rows new.");
  expect(laneWords(word("now"), "cars", KAFKA)).toBe("no rows read again, 50 rows skipped unread, no rows new.");
  expect(laneWords(word("stopped"), "cars", KAFKA)).toBe("no rows read again, 50 rows new.");
  expect(laneWords(at("199"), "cars", KAFKA)).toBe("no rows read again, 49 rows skipped unread, 1 row new.");
});

test("with positions that hold no row, counts are upper bounds from the earliest existing position", () => {
  const topic = { ...KAFKA, earliest: 1_000_000, end: 1_000_200, stopped: 1_000_150, at_most: true };
  expect(laneWords(word("beginning"), "cars", topic)).toBe("at most 150 rows read again, at most 50 rows new.");
  expect(laneWords(word("beginning"), "cars", { ...topic, stopped: 5 })).toBe(
    "no rows read again, at most 200 rows new.",
  );
});

test("a transcript is counted in batches, and an input says why it can't start at a time", () => {
  const batches: LaneContents = { ...KAFKA, unit: "batch" };
  expect(laneWords(word("beginning"), "cars", batches)).toBe("50 batches read again, 50 batches new.");
  const input = { input: "cars", failure: null, refused: { time: "No." } } as unknown as InputContents;
  expect(refusalOf(TIME, input)).toBe("No.");
  for (const chosen of [word("now"), word("beginning"), at("3")]) expect(refusalOf(chosen, input)).toBeNull();
  expect(refusalOf(word("now"), { ...input, refused: { now: "Never." } })).toBe("Never.");
});

test("without a previous run no rows are read again", () => {
  expect(spans(100, { ...KAFKA, stopped: null })).toEqual({ again: 0, skipped: 0, unread: 100 });
  expect(spans(null, KAFKA)).toBeNull();
});

test("a lane without positions states the bytes or rows since a time", () => {
  expect(laneWords(TIME, "cars", FILES)).toBe("500 bytes of 2 kB arrived at that time or later and are read.");
  expect(laneWords(TIME, "cars", { ...NONE, rows: 9, rows_since: 1 })).toContain("1 row of 9 rows");
  expect(laneWords(TIME, "cars", NONE)).toContain("is unknown");
  expect(laneWords(TIME, "cars", { ...NONE, rows_since: 4 })).toBe(
    "4 rows arrived at that time or later and are read.",
  );
  expect(laneWords(word("now"), "cars", FILES)).toBe("Existing rows (2 kB) are not read.");
  expect(laneWords(word("beginning"), "cars", NONE)).toBe("All existing rows are read.");
  expect(laneWords(at("3"), "cars", FILES)).toBe("Starts at row 3 of the 7 rows read so far.");
});

test("marks are placed by positions, otherwise by times; a lane with neither is not drawn", () => {
  expect(marksOf(TIME, "cars", KAFKA, 40, null)).toEqual({ stopped: 0.5, begin: 0.2, held: 1 });
  expect(marksOf(TIME, "cars", FILES, 30, 15)).toEqual({ stopped: 0.25, begin: 0.5, held: 1 });
  expect(marksOf(word("now"), "cars", NONE, 30, 15)).toBeNull();
  expect(marksOf(word("now"), "cars", { ...KAFKA, end: 100 }, 30, 15)).toEqual({
    stopped: null,
    begin: null,
    held: null,
  });
});

test("a file that was read to its end has no new rows, at any later time", () => {
  const read = { ...FILES, until_at: 20 };
  const drawn = (chosen: Chosen) =>
    piecesOf(marksOf(chosen, "cars", read, 110, 25) ?? { stopped: null, begin: null, held: null });
  expect(drawn(word("stopped"))).toEqual([]);
  expect(drawn(word("now"))).toEqual([]);
  expect(drawn(word("beginning"))).toEqual([["again", 0, 0.1]]);
  expect(drawn({ kind: "time", at: 15 })).toEqual([["again", 0.05, 0.1]]);
});

test("pieces are drawn up to the newest row", () => {
  const drawn = (chosen: Chosen) =>
    piecesOf(marksOf(chosen, "cars", KAFKA, 40, null) ?? { stopped: null, begin: null, held: null });
  expect(drawn(word("stopped"))).toEqual([["new", 0.5, 1]]);
  expect(drawn(word("now"))).toEqual([["skipped", 0.5, 1]]);
  expect(drawn(word("beginning"))).toEqual([
    ["new", 0.5, 1],
    ["again", 0, 0.5],
  ]);
});

test("a valid choice is sent in the API's form, an invalid one is not sent", () => {
  expect(beginOf(word("stopped"))).toBeUndefined();
  expect(beginOf(word("now"))).toBe("now");
  expect(beginOf(TIME)).toEqual({ kind: "time", at: 20 });
  expect(beginOf({ kind: "time", at: null })).toBeNull();
  expect(beginOf(at(" 12 "))).toEqual({ kind: "positions", positions: { cars: { "0": 12 } } });
  expect(beginOf(at("12.5"))).toBeNull();
});

test("proposed positions are where the last run stopped, otherwise the earliest", () => {
  const inputs = [
    { input: "cars", lanes: [KAFKA, { ...KAFKA, lane: "1", stopped: null }] } as unknown as InputContents,
  ];
  expect(proposed(inputs, "stopped")).toEqual({ cars: { "0": "150", "1": "100" } });
  expect(proposed(inputs, "end")).toEqual({ cars: { "0": "200", "1": "200" } });
});

test("a time field is in UTC", () => {
  expect(tickOfField("2026-11-26T03:30:05")).toBe(Date.UTC(2026, 10, 26, 3, 30, 5) * 1000);
  expect(tickOfField("")).toBeNull();
  expect(fieldOfTick(tickOfField("2026-11-26T03:30") ?? 0)).toBe("2026-11-26T03:30:00");
  expect(sizeText(1_234_567)).toBe("1.23 MB");
});
