// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { everyPage } from "./lists";

test("a list is read page by page, each after the last name of the previous page", async () => {
  const names = Array.from({ length: 450 }, (_, at) => ({ name: `s${String(at).padStart(3, "0")}` }));
  const asked: (string | undefined)[] = [];
  const all = await everyPage(async (after) => {
    asked.push(after);
    return names.filter(({ name }) => after === undefined || name > after).slice(0, 200);
  });
  expect(all).toEqual(names);
  expect(asked).toEqual([undefined, "s199", "s399"]);
});

test("a list whose last page is full ends with an empty page", async () => {
  const names = Array.from({ length: 200 }, (_, at) => ({ name: `s${String(at).padStart(3, "0")}` }));
  const all = await everyPage(async (after) => (after === undefined ? names : []));
  expect(all).toEqual(names);
});
