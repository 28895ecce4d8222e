import fc from "fast-check";
import { expect, test } from "vitest";
import { isVariable, patternOf } from "./pattern";
import { automatonLines, conditionsAfter, type Step, stepsOf, textOfSteps } from "./steps";

const variable = fc.constantFrom("A", "B", "PLACED", "after_2");
const bounds = fc.constantFrom<{ least: number; most: number | null }>(
  { least: 1, most: 1 },
  { least: 0, most: 1 },
  { least: 0, most: null },
  { least: 1, most: null },
  { least: 2, most: 2 },
  { least: 2, most: 5 },
  { least: 3, most: null },
  { least: 0, most: 4 },
);
const taking: fc.Arbitrary<Step> = fc
  .record({ variable, bounds, reluctant: fc.boolean(), excluded: fc.boolean() })
  .map(({ variable: name, bounds: { least, most }, reluctant, excluded }) => ({
    variable: name,
    least,
    most,
    reluctant: reluctant && (least !== 1 || most !== 1),
    excluded,
    absentFor: null,
  }));
const absence: Step = { variable: "PAID", least: 1, most: 1, reluctant: false, excluded: false, absentFor: "15m" };

test("the steps of a written list are the list", () => {
  fc.assert(
    fc.property(fc.array(taking, { minLength: 1, maxLength: 6 }), fc.boolean(), (steps, absent) => {
      const all = absent ? [...steps, absence] : steps;
      expect(stepsOf(textOfSteps(all))).toEqual(all);
    }),
  );
});

test.each([
  "A | B",
  "(A B)+",
  "PERMUTE(A, B)",
  "A -- first\nB",
  "A /* then */ B",
  "()",
  "A {",
  "A FOR",
  "ABSENT B FOR x",
])("%s is no list of steps", (text) => {
  expect(stepsOf(text)).toBeNull();
});

test.each(["^ A", "A B )", "A {1", "{- A", "ABSENT B", "A{}", "PERMUTE A", "A ?? ?"])("%s can't be read", (text) => {
  expect(patternOf(text)).toBeNull();
});

test("words of patterns are no variables", () => {
  expect(["A", "_b1", "permute", "ABSENT", "For", "1a", ""].map(isVariable)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

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

test("a renamed variable keeps its condition, and that of a removed one goes", () => {
  const steps = stepsOf("A B") ?? [];
  const define = [
    { name: "A", of: "x > 1" },
    { name: "B", of: "x > 2" },
    { name: "EITHER", of: "x > 0" },
  ];
  const renamed = steps.map((step) => (step.variable === "A" ? { ...step, variable: "C" } : step));
  const names = (next: readonly Step[], at: number) => conditionsAfter(define, steps, next, at).map(({ name }) => name);
  expect(names(renamed, 0)).toEqual(["C", "B", "EITHER"]);
  expect(names(steps.slice(1), 0)).toEqual(["B", "EITHER"]);
  expect(names(steps, 0)).toEqual(["A", "B", "EITHER"]);
});
