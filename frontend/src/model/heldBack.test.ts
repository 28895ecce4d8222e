import { expect, test } from "vitest";
import { heldBackWords } from "./heldBack";

test("a batch that the limit held back says the limit", () => {
  expect(heldBackWords({ held_back: 5000 })).toMatch(/^Held back by the organisation's limit of 5.000 events\/s/);
});

test("other batches say nothing, and so do reports of before there were limits", () => {
  expect(heldBackWords({ held_back: null })).toBeNull();
  expect(heldBackWords({})).toBeNull();
});
