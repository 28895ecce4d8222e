import fc from "fast-check";
import { expect, test } from "vitest";
import { isVariable, type Pattern, patternOf } from "./pattern";
import { groupStep, normalSteps, ONCE, type Rounds, type Step, stepsOf, takeStep, textOfSteps } from "./steps";

const variable = fc.constantFrom("A", "B", "PLACED", "after_2");
const rounds: fc.Arbitrary<Rounds> = fc.oneof(
  fc.constant(ONCE),
  fc
    .record({
      least: fc.integer({ min: 0, max: 3 }),
      more: fc.option(fc.integer({ min: 0, max: 3 })),
      reluctant: fc.boolean(),
    })
    .map(({ least, more, reluctant }) => {
      const most = more === null ? null : Math.max(1, least + more);
      return { least, most, reluctant: reluctant && least !== most };
    }),
);
const leaf: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({ variable, excluded: fc.boolean(), rounds })
      .map(({ variable: name, excluded, rounds: often }) => ({ ...takeStep(name), excluded, ...often })),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ variable, duration: fc.constantFrom("15m", "2 h", "PT1.5S", "P1DT2H") })
      .map((absent) => ({ kind: "absent" as const, ...absent, ...ONCE })),
  },
);
/** All forms of the grammar, nested up to four levels deep. */
const { step } = fc.letrec<{ step: Step }>((tie) => ({
  step: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc
      .record({
        order: fc.constantFrom("sequence" as const, "branches" as const, "permute" as const),
        parts: fc.array(tie("step"), { maxLength: 4 }),
        rounds,
      })
      .map(({ order, parts, rounds: often }) => groupStep(order, parts, often)),
  ),
}));
const drawn = fc.array(step, { maxLength: 5 }).map(normalSteps);

/** The pattern without what has no meaning: repetitions of once, and the reluctance of a fixed number. */
function meaning(pattern: Pattern): Pattern {
  if (pattern.kind === "repeat") {
    const part = meaning(pattern.part);
    if (pattern.least === 1 && pattern.most === 1) return part;
    return { ...pattern, part, reluctant: pattern.reluctant && pattern.least !== pattern.most };
  }
  return "parts" in pattern ? { ...pattern, parts: pattern.parts.map(meaning) } : pattern;
}

test("the steps of a written form are the form", () => {
  fc.assert(
    fc.property(drawn, (steps) => {
      expect(stepsOf(textOfSteps(steps)).steps).toEqual(steps);
    }),
    { numRuns: 1000 },
  );
});

test("the text of a form means what the text before it meant", () => {
  fc.assert(
    fc.property(drawn, fc.boolean(), (steps, wide) => {
      const text = wide
        ? textOfSteps(steps).replaceAll(" ", "  ").replaceAll("(", "( (").replaceAll(")", " ) )")
        : textOfSteps(steps);
      fc.pre(!wide || !text.includes("PERMUTE"));
      const again = textOfSteps(stepsOf(text).steps ?? []);
      const [before, after] = [patternOf(text), patternOf(again)];
      expect(after && meaning(after)).toEqual(before && meaning(before));
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["A | B", "A | B"],
  ["(A B)+", "(A B)+"],
  ["((A) ((B)))", "A B"],
  ["permute(A,B|C)", "PERMUTE(A, (B | C))"],
  ["{- A B -}+ C", "{- A B -}+ C"],
  ["A {- B | C -}", "A {- B | C -}"],
  ["()", "()"],
  ["(A | ())", "A | ()"],
  ["((A+)?){2,}?", "((A+)?){2,}?"],
  ["A{1} B{3}? C{,4}", "A B{3} C{0,4}"],
  ["A B ABSENT C FOR PT1.5S", "A B ABSENT C FOR PT1.5S"],
  ["A (B | ABSENT C FOR 5 m)", "A (B | ABSENT C FOR 5 m)"],
])("the form of %s writes %s", (text, written) => {
  expect(textOfSteps(stepsOf(text).steps ?? [])).toBe(written);
});

test.each([
  ["A -- first\nB", "comments"],
  ["A /* then */ B", "comments"],
  ["A {", "unreadable"],
  ["A FOR", "unreadable"],
  ["ABSENT B FOR x", "unreadable"],
])("the form does not show %s", (text, reason) => {
  expect(stepsOf(text)).toEqual({ hidden: reason });
});

test("a pattern that is too deep for the server can't be read", () => {
  const nested = (depth: number) => `${"(".repeat(depth)}A${")".repeat(depth)}`;
  expect(patternOf(nested(49))).not.toBeNull();
  expect(patternOf(nested(50))).toBeNull();
  expect(patternOf("(".repeat(10_000))).toBeNull();
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
