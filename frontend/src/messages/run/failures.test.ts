import { expect, test } from "vitest";
import { exampleWords, expressionWords, unlisted } from "./failures";

test("a column is named before its expression, a filter is its expression", () => {
  expect(expressionWords({ field: "total", text: "a * b" })).toBe("total: a * b");
  expect(expressionWords({ field: "where", text: "a / b > 1" })).toBe("a / b > 1");
  expect(expressionWords({ field: "over", text: "over" })).toBe("over");
});

test("an example contains null for a null field", () => {
  expect(exampleWords({ a: "7", b: null })).toBe("a = 7, b = null");
});

test("unlisted failures are counted", () => {
  expect(unlisted([{ count: 3 }, { count: 4 }], 10)).toBe(3);
});
