import { expect, test } from "vitest";
import { EVERYTHING, lateParams, lateQuery } from "./quarantineFilters";

const S = 1_000_000;

test("unset filters are not sent, and times are in UTC", () => {
  expect(lateQuery(EVERYTHING)).toEqual({});
  const chosen = {
    ...EVERYTHING,
    outcome: "malformed",
    text: "a b",
    since: "1970-01-01T00:01",
    until: "no time",
    lateBy: "1h",
  } as const;
  expect(lateQuery({ ...chosen, lateBy: "soon" })).toEqual({ outcome: "malformed", text: "a b", since: 60 * S });
  expect(lateQuery(chosen).late_by).toBe(3_600 * S);
  expect(String(lateParams(chosen))).toBe("outcome=malformed&text=a+b&since=60000000&late_by=3600000000");
});
