import { expect, test } from "vitest";
import { columnsOf, hasColumn } from "./columns";

const OLD = { plate: "AB 1", n: 3 };
const NEW = { plate: "AB 1", total: null, "2": 1 };

test("columns of two versions keep their order of appearance", () => {
  expect(columnsOf([OLD, NEW]).map(({ name, numeric }) => [name, numeric])).toEqual([
    ["plate", false],
    ["n", true],
    ["2", true],
    ["total", false],
  ]);
});

test("a missing column is not null", () => {
  expect(hasColumn(NEW, "total")).toBe(true);
  expect(hasColumn(OLD, "total")).toBe(false);
  expect(hasColumn(OLD, "toString")).toBe(false);
});
