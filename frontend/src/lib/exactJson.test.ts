import { expect, test } from "vitest";
import { parseExactly } from "./exactJson";
import { formatCount, formatShare } from "./numbers";

test("numbers that are exact stay numbers", () => {
  expect(parseExactly('{"a": 9007199254740991, "b": 0.1, "c": null, "d": "9007199254740993"}')).toEqual({
    a: 9007199254740991,
    b: 0.1,
    c: null,
    d: "9007199254740993",
  });
});

test("a share never says none or all when it is not", () => {
  expect(formatShare(1, 1_000_000)).toBe("<0.1 %");
  expect(formatShare(999_999, 1_000_000)).toBe(">99.9 %");
  expect(formatShare(0, 0)).toBe("0 %");
  expect(formatShare(321, 10_000)).toBe("3.2 %");
  expect(formatCount(1234567)).toBe("1,234,567");
});
