import { expect, test } from "vitest";
import { formatCount, formatRest, formatShare } from "./numbers";

test("a share is never rounded to 0 % or 100 %", () => {
  expect(formatShare(1, 1_000_000)).toBe("<0.1 %");
  expect(formatShare(999_999, 1_000_000)).toBe(">99.9 %");
  expect(formatShare(0, 0)).toBe("0 %");
  expect(formatShare(321, 10_000)).toBe("3.2 %");
  expect(formatCount(1234567)).toBe("1,234,567");
});

test("a share and its rest add up to 100 %", () => {
  for (const part of [7, 0, 16, 1, 15]) {
    const [share, rest] = [formatShare(part, 16), formatRest(part, 16)].map((text) => Number.parseFloat(text));
    expect((share ?? 0) + (rest ?? 0)).toBeCloseTo(100, 9);
  }
  expect([formatShare(1, 3), formatRest(1, 3)]).toEqual(["33.3 %", "66.7 %"]);
  expect([formatShare(2_999, 3_000), formatRest(2_999, 3_000)]).toEqual([">99.9 %", "<0.1 %"]);
});
