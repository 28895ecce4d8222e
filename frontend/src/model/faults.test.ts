import { describe, expect, it } from "vitest";
import { messageOf } from "./faults";

const fault = {
  code: "bad_expression" as const,
  severity: "error" as const,
  node: "fast",
  field: "where",
  message: "The expression ends too early.",
  remedy: "Write a value there.",
};

describe("the message of a fault", () => {
  it("names the character inside an expression, counted from one", () => {
    expect(messageOf({ ...fault, at: 7 })).toBe("The expression ends too early (at character 8).");
    expect(messageOf({ ...fault, at: 0 })).toBe("The expression ends too early (at character 1).");
  });

  it("is as it was sent where a span shows the place, or where there is none", () => {
    expect(messageOf({ ...fault, at: 7, span: { start: 3, end: 4 } })).toBe(fault.message);
    expect(messageOf({ ...fault, at: null })).toBe(fault.message);
    expect(messageOf(fault)).toBe(fault.message);
  });
});
