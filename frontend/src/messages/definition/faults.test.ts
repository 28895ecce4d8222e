import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it, test } from "vitest";
import { GUIDE_PAGES, messageOf } from "./faults";

const fault = {
  code: "bad_expression" as const,
  severity: "error" as const,
  node: "fast",
  field: "where",
  message: "The expression is incomplete.",
  remedy: "Write a value there.",
};

describe("the message of an error", () => {
  it("names the character inside an expression, counted from one", () => {
    expect(messageOf({ ...fault, at: 7 })).toBe("The expression is incomplete (at character 8).");
    expect(messageOf({ ...fault, at: 0 })).toBe("The expression is incomplete (at character 1).");
  });

  it("is unchanged if a span shows the position, or without a position", () => {
    expect(messageOf({ ...fault, at: 7, span: { start: 3, end: 4 } })).toBe(fault.message);
    expect(messageOf({ ...fault, at: null })).toBe(fault.message);
    expect(messageOf(fault)).toBe(fault.message);
  });
});

test("every linked guide page exists", () => {
  const pages = readdirSync(resolve(import.meta.dirname, "../../../../streaming/guide/pages"));
  expect(Object.values(GUIDE_PAGES).filter((page) => !pages.includes(`${page}.md`))).toEqual([]);
  expect(GUIDE_PAGES.no_clock).toBe("advance_time");
  expect(GUIDE_PAGES.in_use).toBeUndefined();
});
