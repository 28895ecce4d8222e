import { expect, test } from "vitest";
import { counted } from "./counts";

test("one is singular, all other counts are plural", () => {
  expect([0, 1, 2, 1_240].map((count) => counted(count, "row"))).toEqual(["0 rows", "1 row", "2 rows", "1,240 rows"]);
  expect([1, 3].map((count) => counted(count, "query", "queries"))).toEqual(["1 query", "3 queries"]);
});
