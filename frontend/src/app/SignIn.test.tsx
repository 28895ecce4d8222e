// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { safeNext } from "./SignIn";

test("after signing in, the address that was asked for opens", () => {
  expect(safeNext("/t/demo/runs")).toBe("/t/demo/runs");
});

test.each([
  null,
  "",
  "https://elsewhere.example",
  "//elsewhere.example",
  "/\\elsewhere.example",
  "javascript:alert(1)",
])("%s is no address of ours", (next) => {
  expect(safeNext(next)).toBe("/");
});
