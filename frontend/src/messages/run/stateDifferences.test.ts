import { expect, test } from "vitest";
import type { NodeDifference } from "../../model/api";
import { carryingWords, differenceWords, standingWords } from "./stateDifferences";

const NODE: NodeDifference = { node: "w", kind: "window", standing: "same", added: [], removed: [], changed: [] };

test("a widened node names its new and removed parts", () => {
  const widened = { ...NODE, standing: "widened" as const, added: ["total", "top"] };
  expect(standingWords(widened)).toBe("widened");
  expect(differenceWords(widened)).toBe("Windows and groups are unchanged. New: total, top.");
  expect(differenceWords({ ...widened, added: [], removed: ["n"] })).toBe(
    "Windows and groups are unchanged. Removed: n.",
  );
});

test("a changed node names the changes", () => {
  const lost = { ...NODE, standing: "lost" as const };
  expect(differenceWords({ ...lost, changed: ["window"] })).toContain("Changed: window.");
  expect(differenceWords(lost)).toContain("Its input has changed.");
});

test("every kind of difference has words", () => {
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

test("the page says whether state is carried over, and why not", () => {
  expect(carryingWords({ options: [CARRIED], not_carried: null }, false)).toContain("can be carried over");
  expect(carryingWords({ options: [], not_carried: "The node w is new." }, false)).toBe(
    "Open windows are not carried over. They are rebuilt if their rows are read again. The node w is new.",
  );
  expect(carryingWords({ options: [], not_carried: null }, false)).not.toContain("null");
});

test("a version that runs next to the current run carries nothing over, and the page names the alternative", () => {
  expect(carryingWords({ options: [CARRIED], not_carried: null }, true)).toContain("If you stop and start instead");
  expect(carryingWords({ options: [], not_carried: "No." }, true)).not.toContain("stop and start");
});
