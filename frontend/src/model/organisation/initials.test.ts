import { expect, test } from "vitest";
import { initials } from "./initials";

test.each([
  ["Northline", "NO"],
  ["Harbour Road", "HR"],
  ["mara.lindqvist@northline.example", "ML"],
  ["jonas@northline.example", "JO"],
  ["é", "É"],
  ["", ""],
])("the initials of %j are %j", (name, expected) => {
  expect(initials(name)).toBe(expected);
});
