// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { afterMatchWords, readAfterMatch } from "./sequenceFields";

describe("the words of AFTER MATCH SKIP", () => {
  it.each([
    ["past_last_row", "past last row"],
    ["next_row", "to next row"],
    [{ first: "A" }, "to first A"],
    [{ last: "B_1" }, "to last B_1"],
  ])("are read and written alike: %j", (value, words) => {
    expect(afterMatchWords(value)).toBe(words);
    expect(readAfterMatch(words)).toEqual(value);
  });

  it("are read in any case and with any spaces", () => {
    expect(readAfterMatch("  TO  LAST   Big ")).toEqual({ last: "Big" });
    expect(readAfterMatch("Past Last Row")).toBe("past_last_row");
  });

  it("mean nothing otherwise", () => {
    expect(readAfterMatch("to A")).toBeNull();
    expect(readAfterMatch("to first 1A")).toBeNull();
  });
});
