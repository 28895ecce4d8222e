import { expect, test } from "vitest";
import type { NodeDifference } from "./api";
import { carryingWords, differenceWords, standingWords } from "./stateDifferences";

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

const CARRIED = {
  begin: "carried_over" as const,
  sentence: "",
  rows_again: 0,
  rows_at_most: false,
  incomplete: true,
  whole_from: 5,
};

test("whether state is carried over is said, and why it is not", () => {
  expect(carryingWords({ options: [CARRIED], not_carried: null }, false)).toContain("may be carried over");
  expect(carryingWords({ options: [], not_carried: "The node w is new." }, false)).toBe(
    "What is open is not carried over: where rows are read again, it is made again from them. The node w is new.",
  );
  expect(carryingWords({ options: [], not_carried: null }, false)).not.toContain("null");
});

test("a version that reads beside the run carries nothing over, and the page says what would", () => {
  expect(carryingWords({ options: [CARRIED], not_carried: null }, true)).toContain("Stopped and started");
  expect(carryingWords({ options: [], not_carried: "No." }, true)).not.toContain("Stopped");
});
