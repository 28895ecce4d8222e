import { expect, test } from "vitest";
import type { NodeDifference } from "./api";
import { differenceWords, standingWords } from "./stateDifferences";

const NODE: NodeDifference = { node: "w", kind: "window", standing: "same", added: [], removed: [], changed: [] };

test("a node that is widened says what is new and what is gone", () => {
  const widened = { ...NODE, standing: "widened" as const, added: ["total", "top"] };
  expect(standingWords(widened)).toBe("widened");
  expect(differenceWords(widened)).toBe("Windows and groups are as before. New: total, top.");
  expect(differenceWords({ ...widened, added: [], removed: ["n"] })).toBe("Windows and groups are as before. Gone: n.");
});

test("one that is another says by what", () => {
  const lost = { ...NODE, standing: "lost" as const };
  expect(differenceWords({ ...lost, changed: ["window"] })).toContain("Other than before: window.");
  expect(differenceWords(lost)).toContain("What it reads is another.");
});

test("every standing has words", () => {
  for (const standing of ["same", "new", "gone"] as const) expect(differenceWords({ ...NODE, standing })).not.toBe("");
});
