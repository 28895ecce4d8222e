import fc from "fast-check";
import { expect, test } from "vitest";
import {
  begun,
  changed,
  changeRow,
  copyRow,
  insertRows,
  itemsOf,
  laterBy,
  lineKeys,
  moveRow,
  NO_SAMPLE,
  redone,
  removeRow,
  resized,
  type Sample,
  sampleOf,
  undone,
} from "./sample";
import { isoTime, readTime, typedTime } from "./sampleTimes";

const SECOND = 1_000_000;
const THREE = sampleOf(
  [1, 2, 3].map((second) => ({ stream: "s", start: second * SECOND, payload: {} })),
  "drawn",
);
const startsOf = (sample: Sample) => sample.rows.map(({ row }) => row.start);

const edits: fc.Arbitrary<(sample: Sample) => Sample> = fc.oneof(
  fc.tuple(fc.nat(9), fc.nat(9)).map(
    ([row, to]) =>
      (sample: Sample) =>
        moveRow(sample, `r${row}`, to),
  ),
  fc.nat(9).map((row) => (sample: Sample) => removeRow(sample, `r${row}`)),
  fc.nat(9).map((row) => (sample: Sample) => copyRow(sample, `r${row}`)),
  fc.tuple(fc.nat(9), fc.integer()).map(
    ([row, by]) =>
      (sample: Sample) =>
        changeRow(sample, `r${row}`, (each) => laterBy(each, by)),
  ),
  fc.nat(9).map((at) => (sample: Sample) => insertRows(sample, at, [{ stream: "s", cti: 7 }])),
);

test("undo and redo restore samples exactly, and keys are never reused", () => {
  fc.assert(
    fc.property(fc.array(edits, { maxLength: 12 }), (all) => {
      const states = [begun(THREE)];
      for (const edit of all) {
        const before = states.at(-1) ?? begun(THREE);
        states.push(changed(before, edit(before.now)));
      }
      const end = states.at(-1) ?? begun(THREE);
      let back = end;
      while (back.before.length > 0) back = undone(back);
      expect(back.now).toEqual(THREE);
      while (back.after.length > 0) back = redone(back);
      expect(back.now).toEqual(end.now);
      const keys = end.now.rows.map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
    }),
  );
});

test("a row moves in the order of arrival and the others keep their order", () => {
  expect(startsOf(moveRow(THREE, "r1", 2))).toEqual([2, 3, 1].map((each) => each * SECOND));
  expect(startsOf(moveRow(THREE, "r3", -5))).toEqual([3, 1, 2].map((each) => each * SECOND));
  expect(moveRow(THREE, "r2", 1)).toBe(THREE);
});

test("times keep their format when moved, and invalid ones stay", () => {
  const row = { stream: "s", start: "2026-01-01T10:00:03Z", end: 5 * SECOND, payload: { at: 1 } };
  expect(laterBy(row, 2 * SECOND)).toEqual({ ...row, start: "2026-01-01T10:00:05Z", end: 7 * SECOND });
  expect(laterBy({ stream: "s", start: "soon" }, 1)).toEqual({ stream: "s", start: "soon" });
  expect(laterBy({ stream: "s", cti: null }, 1)).toEqual({ stream: "s", cti: null });
});

test("a time within the values is moved there, in its unit", () => {
  const clock = { start: { path: ["payload", "seen", "at"], unit: "s" }, always: true };
  const row = { stream: "s", payload: { seen: { at: 10, by: 7 } } };
  expect(laterBy(row, 2 * SECOND, clock)).toEqual({ stream: "s", payload: { seen: { at: 12, by: 7 } } });
  expect(laterBy({ stream: "s", cti: 1 }, 5, clock)).toEqual({ stream: "s", cti: 6 });
});

test("an end is moved, but never before its start", () => {
  const row = { stream: "s", start: 10, end: 20 };
  expect(resized(row, "end", 25)).toEqual({ stream: "s", start: 10, end: 25 });
  expect(resized(row, "end", 10)).toBe(row);
});

test("marks of micro-batches stay in place; on request each row is a micro-batch if there are no marks", () => {
  const a = { stream: "s", cti: 1 };
  expect(itemsOf(sampleOf([a, "batch", "batch", a], ""))).toEqual([a, "batch", "batch", a]);
  expect(itemsOf(sampleOf([a, a], ""), true)).toEqual([a, "batch", a]);
  expect(itemsOf(sampleOf([a, "batch", a, a], ""), true)).toEqual([a, "batch", a, a]);
  expect(itemsOf(NO_SAMPLE, true)).toEqual([]);
});

test("every tick is written as text that reads as the same tick", () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_135_596_800_000_000, max: 4_102_444_800_000_000 }), (at) => {
      expect(readTime(isoTime(at))).toBe(at);
    }),
  );
});

test("typed times are instants, times of day, or offsets from the old time", () => {
  const near = readTime("2026-01-01T10:00:03Z") ?? 0;
  expect(isoTime(typedTime("10:00:05.5", near) ?? 0)).toBe("2026-01-01T10:00:05.5Z");
  expect(isoTime(typedTime("+2s", near) ?? 0)).toBe("2026-01-01T10:00:05Z");
  expect(isoTime(typedTime("2026-02-01 00:00", near) ?? 0)).toBe("2026-02-01T00:00:00Z");
  expect([typedTime("25:00", near), typedTime("soon", near)]).toEqual([null, null]);
});

test("a row read by two inputs has two lines, and editing either edits the row", () => {
  const sample = sampleOf(
    [
      { stream: "s", start: 1 },
      { stream: "s", start: 2 },
      { stream: "t", start: 3 },
    ],
    "pasted",
  );
  const lines = [
    { sample_row: 1, input: "a" },
    { sample_row: 1, input: "b" },
    { sample_row: 2, input: "a" },
    { sample_row: 2, input: "b" },
    { sample_row: 3, input: "t" },
  ];
  expect(lineKeys(sample, lines)).toEqual(["r1", "r1/b", "r2", "r2/b", "r3"]);
  expect(changeRow(sample, "r2/b", (row) => ({ ...row, start: 9 })).rows.map(({ row }) => row.start)).toEqual([
    1, 9, 3,
  ]);
  expect(removeRow(sample, "r1/b").rows.map(({ key }) => key)).toEqual(["r2", "r3"]);
  expect(moveRow(sample, "r1/b", 2).rows.map(({ key }) => key)).toEqual(["r2", "r3", "r1"]);
  expect(copyRow(sample, "r3").rows).toHaveLength(4);
});
