import { expect, test } from "vitest";
import { parseExactly } from "./exactJson";

test("numbers that are exact stay numbers", () => {
  expect(parseExactly('{"a": 9007199254740991, "b": 0.1, "c": null, "d": "9007199254740993"}')).toEqual({
    a: 9007199254740991,
    b: 0.1,
    c: null,
    d: "9007199254740993",
  });
});

test("a column with the name of a time field keeps its digits, a time stays a number", () => {
  const read = parseExactly(
    '{"start": 9007199254740993, "payload": {"start": 9007199254740993, "s": {"at": 9007199254740993}}}',
  );
  expect(read).toEqual({
    start: 9007199254740992,
    payload: { start: "9007199254740993", s: { at: "9007199254740993" } },
  });
  expect(parseExactly("[9007199254740993]")).toEqual(["9007199254740993"]);
  expect(parseExactly('{"cti": [9007199254740993]}')).toEqual({ cti: ["9007199254740993"] });
});
