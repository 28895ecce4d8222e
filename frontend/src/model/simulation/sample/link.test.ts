import { expect, test } from "vitest";
import { linkOf, stateOfLink } from "./link";

test("a link restores its state, with any characters", async () => {
  const state = {
    text: "SELECT STREAM 'ö€😀' FROM s",
    rows: [{ stream: "s", start: 1, payload: { k: "a" } }, "batch" as const, { stream: "s", cti: null }],
    end: "flush" as const,
    tried: { s: { late: "drop" as const, generate: { every: 1, delay: "5s" } } },
    tab: "table",
    scrub: 1,
    selected: { kind: "row" as const, id: 2 },
  };
  const link = await linkOf(state);
  expect(link).toMatch(/^simulation=[\w-]+$/);
  expect(await stateOfLink(`#${link}`)).toEqual(state);
  expect(await stateOfLink(link.slice(0, -8))).toBeNull();
  expect(await stateOfLink("#elsewhere")).toBeNull();
});
