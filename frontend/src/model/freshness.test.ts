import { expect, test } from "vitest";
import { FRESH, staleWords } from "./freshness";

test("a report says its age once it is older than 20 s, though the connection lives", () => {
  expect(staleWords(FRESH, "running")).toBeNull();
  expect(staleWords(FRESH + 1_000_000, "running")).toContain("The newest report is 21 s old.");
  expect(staleWords(3_599_000_000, "running")).toContain("59 min old");
  expect(staleWords(FRESH * 2, "starting")).toBe("The newest report is 40 s old. Figures go on with the next batch.");
});
