import { expect, test } from "vitest";
import { findPages } from "./search";

const PAGES = [
  { title: "join", text: "Pairs events with equal keys while both live." },
  { title: "asof_join windows", text: "Each left event with the matching right one." },
  { title: "union", text: "All events, also those of a join." },
];

test("a page must contain all words, and titles rank first", () => {
  expect(findPages(PAGES, "join").map(({ page }) => page.title)).toEqual(["join", "asof_join windows", "union"]);
  expect(findPages(PAGES, "EVENTS keys").map(({ page }) => page.title)).toEqual(["join"]);
  expect(findPages(PAGES, "asof join").map(({ page }) => page.title)).toEqual(["asof_join windows"]);
  expect(findPages(PAGES, "nothing of this")).toEqual([]);
});

test("the context of the word is shown, with ellipses", () => {
  const long = { title: "x", text: `${"a ".repeat(80)}needle ${"b ".repeat(80)}` };
  const [found] = findPages([long], "needle");
  expect(found?.excerpt).toMatch(/^….*needle.*…$/);
  expect(findPages(PAGES, "keys")[0]?.excerpt).toBe(PAGES[0]?.text);
});
