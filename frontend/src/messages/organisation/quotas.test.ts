import { expect, test } from "vitest";
import { bytesWords, fullness, secondsToMidnight, secondsWords, shareUsed, usageWords } from "./quotas";

test.each([
  [0, "0 B"],
  [1_023, "1,023 B"],
  [1_536, "1.5 KB"],
  [10 * 1_024 ** 3, "10 GB"],
  [5_000 * 1_024 ** 4, "5,000 TB"],
])("%i bytes are %s", (bytes, words) => {
  expect(bytesWords(bytes)).toBe(words);
});

test.each([
  [0, "0 s"],
  [59, "59 s"],
  [125, "2 min 5 s"],
  [3_600, "1 h"],
  [86_400 + 7_200 + 60, "1 d 2 h"],
])("%i seconds are %s", (seconds, words) => {
  expect(secondsWords(seconds)).toBe(words);
});

test("usage names the used part and the limit, with the unit once", () => {
  expect(usageWords({ used: 7, limit: 10, unit: "runs" })).toBe("7 of 10 runs");
  expect(usageWords({ used: 1, limit: 1, unit: "runs" })).toBe("1 of 1 run");
  expect(usageWords({ used: 0, limit: 1, unit: "people" })).toBe("0 of 1 person");
  expect(usageWords({ used: 1_200, limit: 5_000, unit: "events/s" })).toBe("1,200 of 5,000 events/s");
  expect(usageWords({ used: 1_024, limit: 1_048_576, unit: "bytes" })).toBe("1 KB of 1 MB");
  expect(usageWords({ used: 125, limit: 600, unit: "s" })).toBe("2 min 5 s of 10 min");
});

test("a quota is nearly full from 80 %, and full if nothing is allowed", () => {
  expect(fullness({ used: 7, limit: 10 }).word).toBe("");
  expect(fullness({ used: 8, limit: 10 }).word).toBe("nearly full");
  expect(fullness({ used: 12, limit: 10 })).toEqual({ tone: "bad", word: "full" });
  expect(fullness({ used: 0, limit: 0 }).word).toBe("full");
  expect(shareUsed({ used: 12, limit: 10 })).toBe(1);
});

test("the preview limit resets at midnight UTC", () => {
  expect(secondsToMidnight(Date.UTC(2026, 10, 22, 23, 59, 30) * 1_000)).toBe(30);
  expect(secondsToMidnight(Date.UTC(2026, 10, 22) * 1_000)).toBe(86_400);
});
