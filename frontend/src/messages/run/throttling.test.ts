import { expect, test } from "vitest";
import { throttledWords } from "./throttling";

test("a throttled batch names the limit", () => {
  expect(throttledWords({ held_back: 5000 })).toMatch(/^Throttled by the organisation's limit of 5.000 events\/s/);
});

test("other batches, and reports from before limits existed, have no note", () => {
  expect(throttledWords({ held_back: null })).toBeNull();
  expect(throttledWords({})).toBeNull();
});
