import { expect, test } from "vitest";
import type { ResultResponse } from "../../model/api";
import { incompleteWords, isIncompleteColumn, rowMark, rowsNote } from "./rowMarks";

const ROW: ResultResponse = { id: "1-0-0", run: null, output: "out", start: 0, end: 10, payload: {}, deleted: false };
const PANE = { start: 0, end: 10, timing: "early" as const, index: 0, is_last: false };

test("a final row has no mark", () => {
  expect(rowMark(ROW)).toBe("");
});

test("an incomplete row is marked, in addition to other marks", () => {
  expect(rowMark({ ...ROW, incomplete: true })).toBe("incomplete");
  expect(rowMark({ ...ROW, key: "p", pane: PANE, incomplete: true })).toBe("early, row 1, incomplete");
});

test("a row with incomplete columns names them", () => {
  const row = { ...ROW, incomplete: true, incomplete_columns: ["top", "mean"] };
  expect(rowMark(row)).toBe("incomplete: top, mean");
  expect([isIncompleteColumn(row, "top"), isIncompleteColumn(row, "n"), isIncompleteColumn(ROW, "top")]).toEqual([
    true,
    false,
    false,
  ]);
  expect(incompleteWords(row)).toContain("all other columns are complete");
  expect(incompleteWords({ ...ROW, incomplete: true })).toContain("It may lack rows");
  expect(incompleteWords(ROW)).toBeUndefined();
  expect(rowsNote([row], false)).toContain("Some rows are incomplete in some columns.");
  expect(rowsNote([row], false)).not.toContain("It may lack rows");
});

test("ends of edges and retractions are marked", () => {
  expect(rowMark({ ...ROW, key: "a", edge: "start", end: null })).toBe("edge opens");
  expect(rowMark({ ...ROW, key: "a", edge: "end" })).toBe("edge ends");
  expect(rowMark({ ...ROW, key: "a", edge: "end", deleted: true })).toBe("retracted");
});

test("rows of a pane show their timing and number", () => {
  expect(rowMark({ ...ROW, key: "p", pane: PANE })).toBe("early, row 1");
  expect(rowMark({ ...ROW, key: "p", pane: { ...PANE, timing: "on_time", index: 2, is_last: true } })).toBe(
    "on time, row 3, last",
  );
});

test("unlisted rows are not called final: a run's oldest rows are incomplete", () => {
  expect(rowsNote([ROW], false)).toBe("All rows are final.");
  expect(rowsNote([ROW], true)).toBe("All listed rows are final.");
  expect(rowsNote([ROW, { ...ROW, incomplete: true }], true)).toContain("Marked rows are incomplete.");
  expect(rowsNote([], false)).toBe("");
});
