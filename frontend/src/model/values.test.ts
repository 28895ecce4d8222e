import { expect, test } from "vitest";
import { decimalsOf, shortText, spaceBehind } from "./values";

test("numbers of one column end at the same distance from their decimal point", () => {
  const values = [1, 12.5, 3.25, null, 1e21];
  const decimals = decimalsOf(values);
  expect(decimals).toBe(2);
  const behind = values.slice(0, 3).map((value) => {
    const text = shortText(value) + spaceBehind(value, decimals);
    const point = text.search(/[.\u2008]/);
    return text.length - point;
  });
  expect(new Set(behind)).toEqual(new Set([3]));
  expect([spaceBehind(7, 0), spaceBehind(null, 2), spaceBehind("x", 2)]).toEqual(["", "", ""]);
});
