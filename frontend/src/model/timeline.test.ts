import { expect, test } from "vitest";
import {
  beginOf,
  type Chosen,
  fieldOfTick,
  type InputHeld,
  type LaneHeld,
  laneWords,
  marksOf,
  proposed,
  refusalOf,
  sizeText,
  spans,
  tickOfField,
} from "./timeline";

const NONE: LaneHeld = {
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
const KAFKA: LaneHeld = { ...NONE, earliest: 100, end: 200, stopped: 150, at_time: 120 };
const FILES: LaneHeld = { ...NONE, earliest: 0, stopped: 7, from_at: 10, until_at: 30, bytes: 2000, bytes_since: 500 };
const TIME: Chosen = { kind: "time", at: 20 };
const word = (of: "now" | "stopped" | "beginning"): Chosen => ({ kind: "word", word: of });
const at = (text: string): Chosen => ({ kind: "positions", typed: { cars: { "0": text } } });

test("a lane with positions says what is read again, left out and new", () => {
  expect(laneWords(TIME, "cars", KAFKA)).toBe("30 rows read again, 50 rows new.");
  expect(laneWords(word("now"), "cars", KAFKA)).toBe(
    "nothing read again, 50 rows left out that nobody has read, nothing new.",
  );
  expect(laneWords(word("stopped"), "cars", KAFKA)).toBe("nothing read again, 50 rows new.");
  expect(laneWords(at("199"), "cars", KAFKA)).toBe(
    "nothing read again, 49 rows left out that nobody has read, 1 row new.",
  );
});

test("where positions hold no row, what is counted by them is a bound, from the earliest that is there", () => {
  const topic = { ...KAFKA, earliest: 1_000_000, end: 1_000_200, stopped: 1_000_150, at_most: true };
  expect(laneWords(word("beginning"), "cars", topic)).toBe("at most 150 rows read again, at most 50 rows new.");
  expect(laneWords(word("beginning"), "cars", { ...topic, stopped: 5 })).toBe(
    "nothing read again, at most 200 rows new.",
  );
});

test("a transcript is counted in batches, and an input says why it cannot begin at a time", () => {
  const batches: LaneHeld = { ...KAFKA, unit: "batch" };
  expect(laneWords(word("beginning"), "cars", batches)).toBe("50 batches read again, 50 batches new.");
  const input = { input: "cars", failure: null, refused: { time: "No." } } as unknown as InputHeld;
  expect(refusalOf(TIME, input)).toBe("No.");
  for (const chosen of [word("now"), word("beginning"), at("3")]) expect(refusalOf(chosen, input)).toBeNull();
  expect(refusalOf(word("now"), { ...input, refused: { now: "Never." } })).toBe("Never.");
});

test("of a run that never was nothing is read again", () => {
  expect(spans(100, { ...KAFKA, stopped: null })).toEqual({ again: 0, skipped: 0, unread: 100 });
  expect(spans(null, KAFKA)).toBeNull();
});

test("a lane without positions says how many bytes or rows came since a time", () => {
  expect(laneWords(TIME, "cars", FILES)).toBe("500 bytes of 2 kB came then or later, and are read.");
  expect(laneWords(TIME, "cars", { ...NONE, rows: 9, rows_since: 1 })).toContain("1 row of 9 rows");
  expect(laneWords(TIME, "cars", NONE)).toContain("not known beforehand");
  expect(laneWords(TIME, "cars", { ...NONE, rows_since: 4 })).toBe("4 rows came then or later, and are read.");
  expect(laneWords(word("now"), "cars", FILES)).toBe("What is there, 2 kB, is not read.");
  expect(laneWords(word("beginning"), "cars", NONE)).toBe("All that is there is read.");
  expect(laneWords(at("3"), "cars", FILES)).toBe("It begins at row 3 of 7 that were read.");
});

test("marks stand by positions, else by times; a lane of which neither is known is not drawn", () => {
  expect(marksOf(TIME, "cars", KAFKA, 40, null)).toEqual({ stopped: 0.5, begin: 0.2 });
  expect(marksOf(TIME, "cars", FILES, 30, 15)).toEqual({ stopped: 0.25, begin: 0.5 });
  expect(marksOf(word("now"), "cars", NONE, 30, 15)).toBeNull();
  expect(marksOf(word("now"), "cars", { ...KAFKA, end: 100 }, 30, 15)).toEqual({ stopped: null, begin: null });
});

test("what is chosen is sent as the API has it, and nothing while it cannot be", () => {
  expect(beginOf(word("stopped"))).toBeUndefined();
  expect(beginOf(word("now"))).toBe("now");
  expect(beginOf(TIME)).toEqual({ kind: "time", at: 20 });
  expect(beginOf({ kind: "time", at: null })).toBeNull();
  expect(beginOf(at(" 12 "))).toEqual({ kind: "positions", positions: { cars: { "0": 12 } } });
  expect(beginOf(at("12.5"))).toBeNull();
});

test("positions are proposed from where the last run stopped, else the earliest", () => {
  const inputs = [{ input: "cars", lanes: [KAFKA, { ...KAFKA, lane: "1", stopped: null }] } as unknown as InputHeld];
  expect(proposed(inputs, "stopped")).toEqual({ cars: { "0": "150", "1": "100" } });
  expect(proposed(inputs, "end")).toEqual({ cars: { "0": "200", "1": "200" } });
});

test("a field for a time is in UTC", () => {
  expect(tickOfField("2026-11-26T03:30:05")).toBe(Date.UTC(2026, 10, 26, 3, 30, 5) * 1000);
  expect(tickOfField("")).toBeNull();
  expect(fieldOfTick(tickOfField("2026-11-26T03:30") ?? 0)).toBe("2026-11-26T03:30:00");
  expect(sizeText(1_234_567)).toBe("1.23 MB");
});
