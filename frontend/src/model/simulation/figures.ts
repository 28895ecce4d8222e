/** The counts of a sample at each node. */

import { isOutcome, OUTCOMES, type Outcome } from "../run/outcomes";
import { currentRows, lastPosition } from "./currentState";
import type { Simulation } from "./types";

export interface NodeFigures {
  /** For an input: its rows by outcome, without zeros. */
  outcomes: readonly (readonly [Outcome, number])[];
  /** The number of rows that leave the node and remain. */
  rows: number;
  /** True for rows that leave the query. */
  isOutput: boolean;
}

/** Return the figures of each node of a simulation, after its end. */
export function nodeFigures(simulation: Simulation): ReadonlyMap<string, NodeFigures> {
  const last = lastPosition(simulation);
  const found = new Map<string, NodeFigures>();
  for (const track of simulation.tracks) {
    const counts = new Map<Outcome, number>();
    for (const { input, outcome } of simulation.rows) {
      if (input === track.node && outcome !== null && isOutcome(outcome)) {
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      }
    }
    const outcomes = OUTCOMES.flatMap((outcome) =>
      counts.has(outcome) ? [[outcome, counts.get(outcome) ?? 0] as const] : [],
    );
    found.set(track.node, { outcomes, rows: currentRows(track, last).length, isOutput: track.kind === "output" });
  }
  return found;
}
