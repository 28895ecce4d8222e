import { expect, test } from "vitest";
import { automatonLines } from "./automaton";

test("an automaton has a line for each step, deeper ones inside groups", () => {
  const define = [
    { name: "A", of: "v < 10" },
    { name: "PAID", of: "kind = 'paid'" },
  ];
  const lines = automatonLines("A+? (B | {- C -}){2} ABSENT PAID FOR 15 m", define) ?? [];
  expect(lines.map(({ depth, kind, label, times, condition }) => [depth, kind, label, times, condition])).toEqual([
    [0, "take", "A", "1 or more, as few as possible", "v < 10"],
    [0, "group", "together", "2 times", ""],
    [1, "group", "one of", "", ""],
    [2, "take", "B", "", "any row"],
    [1, "or", "or", "", ""],
    [2, "take", "C", "", "any row"],
    [0, "absent", "no PAID for 15 m", "", "kind = 'paid'"],
  ]);
  expect(lines[5]?.excluded).toBe(true);
  expect(automatonLines("A (", [])).toBeNull();
});
