import { expect, test } from "vitest";
import type { ResultShown } from "./api";
import { incompleteWords, lacks, standing, standingNote } from "./standing";

const ROW: ResultShown = { id: "1-0-0", run: null, output: "out", start: 0, end: 10, payload: {}, deleted: false };
const PANE = { start: 0, end: 10, timing: "early" as const, index: 0, is_last: false };

test("a final row says nothing", () => {
  expect(standing(ROW)).toBe("");
});

test("a row that is not whole says so, beside what else is said of it", () => {
  expect(standing({ ...ROW, incomplete: true })).toBe("incomplete");
  expect(standing({ ...ROW, key: "p", pane: PANE, incomplete: true })).toBe("early, row 1, incomplete");
});

test("a row that lacks something in some columns names them", () => {
  const row = { ...ROW, incomplete: true, incomplete_columns: ["top", "mean"] };
  expect(standing(row)).toBe("incomplete: top, mean");
  expect([lacks(row, "top"), lacks(row, "n"), lacks(ROW, "top")]).toEqual([true, false, false]);
  expect(incompleteWords(row)).toContain("all other columns are whole");
  expect(incompleteWords({ ...ROW, incomplete: true })).toContain("It may lack rows");
  expect(incompleteWords(ROW)).toBeUndefined();
  expect(standingNote([row], false)).toContain("Some are incomplete in some columns.");
  expect(standingNote([row], false)).not.toContain("It may lack rows");
});

test("ends of edges and what is taken back are named", () => {
  expect(standing({ ...ROW, key: "a", edge: "start", end: null })).toBe("edge opens");
  expect(standing({ ...ROW, key: "a", edge: "end" })).toBe("edge ends");
  expect(standing({ ...ROW, key: "a", edge: "end", deleted: true })).toBe("taken back");
});

test("rows of a pane say when they came and which they are", () => {
  expect(standing({ ...ROW, key: "p", pane: PANE })).toBe("early, row 1");
  expect(standing({ ...ROW, key: "p", pane: { ...PANE, timing: "on_time", index: 2, is_last: true } })).toBe(
    "on time, row 3, last",
  );
});

test("rows that are not listed are not called final: the incomplete ones of a run are its oldest", () => {
  expect(standingNote([ROW], false)).toBe("Each is final.");
  expect(standingNote([ROW], true)).toBe("Each that is listed here is final.");
  expect(standingNote([ROW, { ...ROW, incomplete: true }], true)).toContain("Rows that are marked are incomplete.");
  expect(standingNote([], false)).toBe("");
});
