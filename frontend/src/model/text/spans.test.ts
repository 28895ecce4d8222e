import { describe, expect, it } from "vitest";
import { lineAndColumn, pointOf, unitOf, unitsOf } from "./spans";

describe("positions in a text", () => {
  it("counts an emoji as one code point and two units", () => {
    expect(unitOf("a😀b", 2)).toBe(3);
    expect(pointOf("a😀b", 3)).toBe(2);
  });

  it("clamps a span to the end of the text", () => {
    expect(unitsOf("abc", { start: 1, end: 99 })).toEqual({ start: 1, end: 3 });
  });

  it("makes a reversed span empty", () => {
    expect(unitsOf("abc", { start: 2, end: 1 })).toEqual({ start: 2, end: 2 });
  });

  it("counts lines and columns from one", () => {
    expect(lineAndColumn("ab\ncd", 0)).toEqual({ line: 1, column: 1 });
    expect(lineAndColumn("ab\ncd", 4)).toEqual({ line: 2, column: 2 });
    expect(lineAndColumn("😀\n", 2)).toEqual({ line: 2, column: 1 });
  });
});
