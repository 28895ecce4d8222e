import { expect, test } from "vitest";
import { fieldsAfter, renamedIn } from "./names";
import { withoutStep, withStep } from "./stepEdits";
import { stepsOf, takeStep } from "./steps";

test.each([
  ["A.x > 1 AND PREV(A.x, 2) = LAST(A.x, 1)", "C.x > 1 AND PREV(C.x, 2) = LAST(C.x, 1)"],
  ["COUNT(A.*) + COUNT(A) + A", "COUNT(C.*) + COUNT(A) + A"],
  ["classifier( A ) = 'A' AND kind = 'A'", "classifier( C ) = 'C' AND kind = 'A'"],
  ["CLASSIFIER() NOT IN ('B', 'A') AND kind IN ('A')", "CLASSIFIER() NOT IN ('B', 'C') AND kind IN ('A')"],
  ["'A' = CLASSIFIER()", "'C' = CLASSIFIER()"],
  ["place.A.x + AA.x + 'A.x' -- A.x", "place.A.x + AA.x + 'A.x' -- A.x"],
  ["`A`.x || 'it''s A.x'", "C.x || 'it''s A.x'"],
])("the variable A is called C in %s", (before, after) => {
  expect(renamedIn(before, "A", "C")).toBe(after);
});

const node = {
  kind: "match_recognize" as const,
  id: "m",
  input: "s",
  pattern: "A B",
  define: [
    { name: "A", of: "x > 1" },
    { name: "B", of: "x > A.x" },
  ],
  measures: [{ name: "y", of: "A.x" }],
  subsets: [{ name: "U", of: ["A", "B"] as [string, ...string[]] }],
  after_match: { first: "A" },
};
const steps = stepsOf(node.pattern).steps ?? [];
const renamed = (to: string) => ({ from: "A", to });

test("a renamed variable keeps its condition, and all expressions follow", () => {
  expect(fieldsAfter(node, steps, withStep(steps, [0], takeStep("C")), renamed("C"))).toEqual({
    pattern: "C B",
    define: [
      { name: "C", of: "x > 1" },
      { name: "B", of: "x > C.x" },
    ],
    measures: [{ name: "y", of: "C.x" }],
    subsets: [{ name: "U", of: ["C", "B"] }],
    after_match: { first: "C" },
  });
});

test("a variable that other steps still have is copied with its condition", () => {
  const twice = stepsOf("A B A").steps ?? [];
  expect(fieldsAfter(node, twice, withStep(twice, [2], takeStep("C")), renamed("C"))).toEqual({
    pattern: "A B C",
    define: [...node.define, { name: "C", of: "x > 1" }],
  });
});

test("a step that takes the name of another one takes its condition", () => {
  expect(fieldsAfter(node, steps, withStep(steps, [0], takeStep("B")), renamed("B"))).toEqual({
    pattern: "B B",
    define: [{ name: "B", of: "x > A.x" }],
  });
});

test("the condition of a removed variable goes", () => {
  expect(fieldsAfter(node, steps, withoutStep(steps, [1]))).toEqual({ pattern: "A", define: [node.define[0]] });
});
