import fc from "fast-check";
import { expect, test } from "vitest";
import { drawnSimulation } from "./arbitraries";
import { lastPosition } from "./currentState";
import { tablesAt } from "./tables";
import type { SimulatedPane, Simulation } from "./types";

const withPosition = drawnSimulation.chain((simulation) =>
  fc.record({ simulation: fc.constant(simulation), k: fc.integer({ min: 0, max: lastPosition(simulation) }) }),
);

/** Return a pane's content at `k` by replaying all of its steps. */
function heldNaively(pane: SimulatedPane, k: number) {
  let held: number[] = [];
  let values: Record<string, unknown> = {};
  for (const state of pane.states) {
    if (state.after > k) continue;
    held = held.filter((number) => !state.removed.includes(number));
    held = [...held, ...state.added.filter((number) => !held.includes(number))];
    values = state.values;
  }
  return { held: held.toSorted((one, other) => one - other), values };
}

function ctiNaively(simulation: Simulation, k: number): number | null | undefined {
  let at: number | null | undefined;
  for (const step of simulation.staircases[0]?.steps ?? []) if (step.after <= k) at = step.at;
  return at;
}

test("the tables at a position contain the current rows, CTIs, panes and results", () => {
  fc.assert(
    fc.property(withPosition, ({ simulation, k }) => {
      const tables = tablesAt(simulation, k);
      expect(tables.rows).toEqual(simulation.rows.filter((row) => row.number <= k));
      expect(tables.ctis[0]?.at).toEqual(ctiNaively(simulation, k));
      const results = simulation.tracks[1]?.rows.filter((row) => {
        const there = row.after <= k && !(row.gone_after !== null && row.gone_after <= k);
        return there && !row.deleted;
      });
      expect(tables.nodes[0]?.results.map(({ row }) => row)).toEqual(results);
      for (const { row, end } of tables.nodes[0]?.results ?? []) {
        expect(end).toBe(row.closed_after !== null && row.closed_after <= k ? row.closed_end : row.end);
      }
    }),
  );
});

test("a pane at a position contains its remaining rows and has its last values", () => {
  fc.assert(
    fc.property(withPosition, ({ simulation, k }) => {
      const tracks = [...simulation.tracks, { node: "w", kind: "window", rows: [] }];
      const panes = tablesAt({ ...simulation, tracks }, k).nodes.at(-1)?.panes ?? [];
      const there = simulation.panes.filter((pane) => pane.opened <= k && (pane.gone === null || pane.gone > k));
      expect(panes.map(({ pane }) => pane.id)).toEqual(there.map((pane) => pane.id));
      for (const { pane, rows, values, phase } of panes) {
        expect({ held: rows, values }).toEqual(heldNaively(pane, k));
        expect(phase === "closed").toBe(pane.closed !== null && pane.closed <= k);
      }
    }),
  );
});
