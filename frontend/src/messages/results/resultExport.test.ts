import { expect, test } from "vitest";
import { brokenOffWords, downloadedWords, progressWords } from "./resultExport";

test("a file has no known size while it is prepared", () => {
  expect(progressWords({ received: 0, total: null })).toBe("Preparing the file…");
  expect(progressWords({ received: 1_536, total: 10_240 })).toBe("Receiving: 1.5 KB of 10 KB");
});

test("the end says how much has arrived", () => {
  expect(downloadedWords({ rows: 1, bytes: 12 })).toBe("Downloaded 1 row, 12 B.");
  expect(brokenOffWords(2_048)).toContain("after 2 KB. Nothing was saved.");
});
