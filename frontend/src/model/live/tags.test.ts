import { expect, test } from "vitest";
import { tagsOf, tagsText } from "./tags";

test("tags are separated by commas, sorted, and each occurs once", () => {
  expect(tagsOf(" tolling,revenue ,, tolling,night  shift")).toEqual(["night shift", "revenue", "tolling"]);
  expect(tagsOf(" , ")).toEqual([]);
  expect(tagsText(["a", "b c"])).toBe("a, b c");
});
