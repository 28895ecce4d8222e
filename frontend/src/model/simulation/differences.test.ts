import fc from "fast-check";
import { expect, test } from "vitest";
import { drawnSimulation } from "./arbitraries";
import { differencesBetween, differenceWords, finalResults } from "./differences";
import type { Simulation, TrackRow } from "./types";

const keysOf = (simulation: Simulation) => simulation.rows.map((row) => `r${row.number}`);
const named = (simulation: Simulation) => ({ simulation, keys: keysOf(simulation) });
const words = (row: TrackRow) =>
  JSON.stringify([row.node, row.start, row.closed_after === null ? row.end : row.closed_end, row.payload]);
const sorted = (rows: readonly TrackRow[]) => rows.map(words).toSorted();

test("equal simulations have no differences", () => {
  fc.assert(
    fc.property(drawnSimulation, (simulation) => {
      const found = differencesBetween(named(simulation), named(structuredClone(simulation)));
      expect(differenceWords(found)).toBe("no changes in outcomes or results.");
      expect([found.added, found.removed, [...found.panes]]).toEqual([[], [], []]);
    }),
  );
});

test("removing and adding the differences turns the old results into the new ones", () => {
  fc.assert(
    fc.property(drawnSimulation, drawnSimulation, (before, after) => {
      const { added, gone, changed } = differencesBetween(named(before), named(after)).results;
      const lost = sorted([...gone, ...changed.map((change) => change.before)]);
      const left = sorted(finalResults(before));
      for (const each of lost) left.splice(left.indexOf(each), 1);
      const now = [...left, ...sorted([...added, ...changed.map((change) => change.after)])].toSorted();
      expect(now).toEqual(sorted(finalResults(after)));
      for (const { fields } of changed) expect(fields.length).toBeGreaterThan(0);
    }),
  );
});

test("a moved row keeps its key: only another outcome is a change", () => {
  fc.assert(
    fc.property(drawnSimulation, (simulation) => {
      const rows = simulation.rows.toReversed().map((row, index) => ({ ...row, number: index + 1 }));
      const moved = { simulation: { ...simulation, rows }, keys: keysOf(simulation).toReversed() };
      expect(differencesBetween(named(simulation), moved).outcomes).toEqual([]);
    }),
  );
});

test("a changed outcome is reported with the old one", () => {
  fc.assert(
    fc.property(drawnSimulation, (simulation) => {
      const rows = simulation.rows.map((row) => ({ ...row, outcome: "shifted" }));
      const found = differencesBetween(named(simulation), named({ ...simulation, rows }));
      expect(found.outcomes.map(({ key, before }) => [key, before.outcome])).toEqual(
        simulation.rows.map((row) => [`r${row.number}`, row.outcome]),
      );
    }),
  );
});
