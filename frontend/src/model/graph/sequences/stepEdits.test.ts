import { expect, test } from "vitest";
import {
  emptied,
  excludedStep,
  groupedWithNext,
  mayBeAbsent,
  moved,
  ordered,
  stepAt,
  ungrouped,
  withNewStep,
  withoutStep,
  withPart,
  withStep,
  withStepInside,
} from "./stepEdits";
import { type Step, stepsOf, textOfSteps } from "./steps";

const stepsIn = (text: string) => stepsOf(text).steps ?? [];

type Edit = (steps: readonly Step[]) => readonly Step[];

test.each<[string, Edit, string]>([
  ["A", withNewStep, "A B"],
  ["A ABSENT C FOR 5m", withNewStep, "A B ABSENT C FOR 5m"],
  ["A C D", (steps) => groupedWithNext(steps, [0]), "(A C) D"],
  ["(A C)+ D", (steps) => groupedWithNext(steps, [0]), "(A C D)+"],
  ["A C", (steps) => groupedWithNext(steps, [1]), "A C"],
  ["A C", (steps) => withPart(steps, [0]), "(A | B) C"],
  ["A", (steps) => withPart(steps, [0]), "A | B"],
  ["A | C D", (steps) => withPart(steps, [0]), "A | C D | B"],
  ["PERMUTE(A, C)+", (steps) => withPart(steps, [0]), "PERMUTE(A, C, B)+"],
  ["A | C", (steps) => withStepInside(steps, [0, 0]), "A B | C"],
  ["A+ | C", (steps) => withStepInside(steps, [0, 0]), "A+ B | C"],
  ["(A C)+ D", (steps) => withStepInside(steps, [0]), "(A C B)+ D"],
  ["A (C D) B", (steps) => ungrouped(steps, [1]), "A C D B"],
  ["A (C D)+ B", (steps) => ungrouped(steps, [1]), "A (C D)+ B"],
  ["(A | C)+ D", (steps) => ordered(steps, [0], "sequence"), "(A C)+ D"],
  ["(A C) D", (steps) => ordered(steps, [0], "permute"), "PERMUTE(A, C) D"],
  ["A C", (steps) => withoutStep(steps, [0]), "C"],
  ["(A C)+", (steps) => withoutStep(steps, [0, 1]), "A+"],
  ["(A+ C)+", (steps) => withoutStep(steps, [0, 1]), "(A+)+"],
  ["A | C", (steps) => withoutStep(steps, [0, 1]), "A"],
  ["A | C", (steps) => emptied(steps, [0, 1]), "A | ()"],
  ["A B C", (steps) => moved(steps, [2], -1), "A C B"],
  ["A | B C", (steps) => moved(steps, [0, 0], 1), "B C | A"],
  ["A B", (steps) => moved(steps, [0], -1), "A B"],
  ["A (B C)", (steps) => withStep(steps, [1], excludedStep(steps[1] as Step, true)), "A {- B C -}"],
])("%s is edited", (before, edit, after) => {
  expect(textOfSteps(edit(stepsIn(before)))).toBe(after);
});

test.each([
  ["A B", [1], true],
  ["A B", [0], false],
  ["A? B", [1], false],
  ["A (B | C D)", [1, 1, 1], true],
  ["A (B C)+", [1, 1], false],
  ["A (B C)?", [1, 1], true],
  ["A PERMUTE(B, C)", [1, 1], false],
  ["A B ()", [1], true],
  ["(A B) C", [0, 1], false],
])("whether %s may have an absence at %s: %s", (text, path, expected) => {
  expect(mayBeAbsent(stepsIn(text), path)).toBe(expected);
});

test("a path leads into groups", () => {
  const steps = stepsIn("A (B | C D)");
  expect(stepAt(steps, [1, 1, 1])).toMatchObject({ variable: "D" });
  expect(stepAt(steps, [0, 1])).toBeUndefined();
});
