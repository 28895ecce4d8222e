import fc from "fast-check";
import { expect, test } from "vitest";
import { parseExactly } from "./exactJson";
import { decimalsOf, spaceBehind, valueText } from "./values";

test("the text of a double parses to the same double", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Object.is(Number(valueText(value)), value)).toBe(true);
    }),
  );
});

test("longs keep every digit at every depth, decimals are exact text", () => {
  const payload = parseExactly('{"n": -9223372036854775808, "v": {"l": [9007199254740993]}, "d": "0.10"}');
  const { n, v, d } = payload as Record<string, unknown>;
  expect([n, v, d].map(valueText)).toEqual(["-9223372036854775808", '{"l":["9007199254740993"]}', "0.10"]);
});

test("numbers of one column are aligned at their decimal point", () => {
  const values = [1, 12.5, 3.25, null, 1e21];
  const decimals = decimalsOf(values);
  expect(decimals).toBe(2);
  const behind = values.slice(0, 3).map((value) => {
    const text = valueText(value) + spaceBehind(value, decimals);
    const point = text.search(/[.\u2008]/);
    return text.length - point;
  });
  expect(new Set(behind)).toEqual(new Set([3]));
  expect([spaceBehind(7, 0), spaceBehind(null, 2), spaceBehind("x", 2)]).toEqual(["", "", ""]);
});
