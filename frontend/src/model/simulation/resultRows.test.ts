import fc from "fast-check";
import { expect, test } from "vitest";
import { drawnSimulation } from "./arbitraries";
import { finalResults } from "./differences";
import { nodeFigures } from "./figures";
import { differenceCounts, resultRows } from "./resultRows";
import type { Simulation, TrackRow } from "./types";

function result(id: number, start: number, n: number): TrackRow {
  const row = {
    id,
    node: "out",
    after: 1,
    gone_after: null,
    start,
    end: start + 10,
    closed_after: null,
    closed_end: null,
  };
  const origin = {
    edge: null,
    deleted: false,
    replaces: null,
    closes: null,
    parents: [],
    rows: [],
    pane: null,
    why: [],
  };
  return { ...row, ...origin, payload: { n }, released_by: null, released_cti: null };
}

function simulated(...rows: TrackRow[]): Simulation {
  const tracks = [{ node: "out", kind: "output", rows }];
  return {
    rows: [],
    staircases: [],
    tracks,
    panes: [],
    order: ["out"],
    outcomes: {},
    holding: [],
    attempts: [],
    failures: [],
  };
}

test("rows are new, changed, gone or the same, newest first", () => {
  const before = simulated(result(1, 0, 5), result(2, 10, 6), result(3, 20, 7));
  const now = simulated(result(1, 0, 5), result(2, 10, 8), result(3, 30, 9));
  const [out] = resultRows(now, before);
  expect(
    out?.rows.map(({ row, difference, before: was, fields }) => [row.start, difference, was?.payload, fields]),
  ).toEqual([
    [30, "new", undefined, []],
    [20, "gone", undefined, []],
    [10, "changed", { n: 6 }, ["n"]],
    [0, "same", undefined, []],
  ]);
  expect(differenceCounts(resultRows(now, before))).toEqual({ new: 1, changed: 1, gone: 1 });
});

test("without another version nothing differs", () => {
  const outputs = resultRows(simulated(result(1, 0, 5)), null);
  expect(outputs[0]?.rows[0]?.difference).toBeNull();
  expect(differenceCounts(outputs)).toEqual({ new: 0, changed: 0, gone: 0 });
});

test("every result is listed once, next to any other simulation", () => {
  fc.assert(
    fc.property(drawnSimulation, drawnSimulation, (now, other) => {
      const rows = resultRows(now, other).flatMap((output) => output.rows);
      const present = rows.filter(({ difference }) => difference !== "gone").map(({ row }) => row);
      expect(new Set(present)).toEqual(new Set(finalResults(now)));
      expect(present).toHaveLength(finalResults(now).length);
    }),
  );
});

test("the outcomes at an input are those of its rows", () => {
  fc.assert(
    fc.property(drawnSimulation, (simulation) => {
      const figures = nodeFigures(simulation);
      for (const track of simulation.tracks) {
        const counts = figures.get(track.node)?.outcomes.reduce((sum, [, count]) => sum + count, 0);
        expect(counts).toBe(simulation.rows.filter(({ input }) => input === track.node).length);
      }
    }),
  );
});
