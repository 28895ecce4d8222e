import { expect, test } from "vitest";
import { EMPTY_LOG, type LogLine, logQuery, MOST_LINES, withPage } from "./logLines";

function line(message: string, level = "info"): LogLine {
  return { at: "2026-11-22T10:00:00+00:00", level, message };
}

test("pages are joined in order, and dropped lines are counted", () => {
  const one = withPage(EMPTY_LOG, { lines: [line("a"), line("b")], next: "1" });
  expect(one).toEqual({ lines: [line("a"), line("b")], next: "1", dropped: 0 });
  const many = Array.from({ length: MOST_LINES }, (_, number) => line(String(number)));
  const two = withPage(one, { lines: many, next: "2" });
  expect([two.lines.length, two.dropped, two.lines[0]?.message, two.next]).toEqual([MOST_LINES, 2, "0", "2"]);
});

test("lines are filtered by level and text", () => {
  expect(logQuery({ level: "all", text: " " })).toEqual({});
  expect(logQuery({ level: "error", text: " batch " })).toEqual({ level: "error", text: "batch" });
});
