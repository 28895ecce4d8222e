import { expect, test } from "vitest";
import { attemptAt, attemptGroups, rowsOfAttempt, runsOf } from "./attempts";
import type { AttemptState, SimulatedAttempt } from "./types";

const row = (number: number, variable: string) => ({ rows: [number], variable, excluded: false });

function state(after: number, status: AttemptState["status"], kept: number, taken: AttemptState["taken"]) {
  return { after, status, kept, taken, ended_by: status === "failed" ? [9] : [], next: [], why: [] };
}

function attempt(id: number, group: string, states: AttemptState[]): SimulatedAttempt {
  return { id, node: "m", group: { id: group }, first: [id], start: 0, until: null, states, results: [] };
}

const GROWING = attempt(1, "a", [
  state(2, "open", 0, [row(1, "A")]),
  state(4, "open", 1, [row(3, "B"), row(4, "B")]),
  state(6, "failed", 2, []),
]);

test("an attempt grows row by row, and may give rows back", () => {
  expect(attemptAt(GROWING, 1)).toBeNull();
  expect(attemptAt(GROWING, 3)?.taken).toEqual([row(1, "A")]);
  expect(attemptAt(GROWING, 5)?.taken.length).toBe(3);
  expect(attemptAt(GROWING, 9)?.taken).toEqual([row(1, "A"), row(3, "B")]);
  expect(attemptAt(GROWING, 9)?.state.status).toBe("failed");
});

test("neighbouring rows of one variable are one run", () => {
  expect(runsOf([row(1, "A"), row(3, "B"), row(4, "B"), row(5, "A")])).toEqual([
    { variable: "A", rows: [1], excluded: false },
    { variable: "B", rows: [3, 4], excluded: false },
    { variable: "A", rows: [5], excluded: false },
  ]);
});

test("groups separate attempts that failed at their first row", () => {
  const none = attempt(7, "a", [state(3, "failed", 0, [])]);
  const other = attempt(8, "b", [state(5, "open", 0, [row(8, "A")])]);
  const groups = attemptGroups([GROWING, none, other], 4);
  expect(groups.map(({ group, shown, notStarted }) => [group.id, shown.length, notStarted.length])).toEqual([
    ["a", 1, 1],
  ]);
  expect(attemptGroups([GROWING, none, other], 9).length).toBe(2);
});

test("an attempt is linked to the rows that it took and to the row that ended it", () => {
  expect(rowsOfAttempt(GROWING)).toEqual([1, 3, 9]);
});
