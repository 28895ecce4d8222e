import { expect, test } from "vitest";
import { shortNameOf } from "./shortName";

test.each([
  ["Acme", "acme"],
  ["  Acme & Sons, Ltd. ", "acme-sons-ltd"],
  ["Straßenbahn Köln", "strassenbahn-koln"],
  ["Électricité — 2", "electricite-2"],
  ["東京", ""],
  ["Ab", ""],
  ["AB &", ""],
  ["A B", "a-b"],
  ["a".repeat(50), "a".repeat(40)],
  [`${"a".repeat(39)} b`, "a".repeat(39)],
])("%j gets the short name %j", (name, short) => {
  expect(shortNameOf(name)).toBe(short);
});
