import fc from "fast-check";
import { expect, test } from "vitest";
import { csvCells, pastedRows } from "./paste";

const PLAIN = { stream: "cars", fields: { plate: "string", speed: "long" }, eventTime: null };
const TIMED = { ...PLAIN, eventTime: { start: { column: "seen", unit: "s" as const }, end: null, edge: null } };

test("a header names times and values; each line is a row in order", () => {
  const { rows, notes } = pastedRows(
    "start,end,plate,speed\n2026-01-01T10:00:03Z,,a,120\n5000000,7000000,b,x\n",
    PLAIN,
  );
  expect(rows).toEqual([
    { stream: "cars", start: 1767261603000000, payload: { plate: "a", speed: 120 } },
    { stream: "cars", start: 5000000, end: 7000000, payload: { plate: "b", speed: "x" } },
  ]);
  expect(notes).toEqual([]);
});

test("the stream's time column is read in its unit", () => {
  expect(pastedRows("seen;plate\n10;a", TIMED).rows).toEqual([
    { stream: "cars", start: 10_000_000, payload: { plate: "a" } },
  ]);
});

test("longs keep every digit, in a CSV cell, a JSON line, a list of records and a structure", () => {
  const fields = { n: "long", s: "struct<n: long>" };
  const target = { ...PLAIN, fields };
  const payload = { n: "9007199254740993", s: { n: "9007199254740993" } };
  const line = '{"n": 9007199254740993, "s": {"n": 9007199254740993}}';
  for (const text of [line, `[${line}]`, `n\ts\n9007199254740993\t{"n": 9007199254740993}`])
    expect(pastedRows(text, target).rows).toEqual([{ stream: "cars", payload }]);
});

test("nanoseconds are rounded down to ticks", () => {
  const eventTime = { start: { column: "seen", unit: "ns" as const }, end: null, edge: null };
  const target = { ...PLAIN, eventTime };
  const row = { stream: "cars", start: 1790009779134567, payload: { plate: "a" } };
  expect(pastedRows("seen,plate\n1790009779134567999,a", target).rows).toEqual([row]);
  expect(pastedRows('{"seen": 1790009779134567999, "plate": "a"}', target).rows).toEqual([row]);
});

test("CTIs and heartbeats have their own columns", () => {
  const { rows } = pastedRows("start,cti,heartbeat,plate\n,10,,\n,infinity,,\n,,12,", PLAIN);
  expect(rows).toEqual([
    { stream: "cars", cti: 10 },
    { stream: "cars", cti: null },
    { stream: "cars", heartbeat: 12 },
  ]);
});

test("JSON lines are rows or records; other lines become raw text, with a note", () => {
  const text = '{"start": 1, "payload": {"plate": "a"}}\n{"start": 2, "plate": "b"}\n{"cti": null}\n{broken';
  const { rows, notes } = pastedRows(text, PLAIN);
  expect(rows).toEqual([
    { stream: "cars", start: 1, payload: { plate: "a" } },
    { stream: "cars", start: 2, payload: { plate: "b" } },
    { stream: "cars", cti: null },
    { stream: "cars", bad: "{broken" },
  ]);
  expect(notes.join(" ")).toContain("malformed rows");
});

test("unknown columns and empty input are reported", () => {
  const { rows, notes } = pastedRows("start,colour\n1,red", PLAIN);
  expect(rows).toEqual([{ stream: "cars", start: 1, payload: { colour: "red" } }]);
  expect(notes.join(" ")).toContain("colour");
  expect(pastedRows("  ", PLAIN).notes).toEqual(["The text is empty."]);
});

test("written cells are read back, with any content", () => {
  const cell = fc.string().map((text) => text.replaceAll("\r", ""));
  const lines = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(lines, (cells) => {
      const text = cells.map((line) => line.map((each) => `"${each.replaceAll('"', '""')}"`).join(",")).join("\n");
      const seen = cells.filter((line) => line.some((each) => each.trim() !== ""));
      expect(csvCells(text, ",")).toEqual(seen);
    }),
  );
});
