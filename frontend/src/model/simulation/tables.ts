/** Every state of a simulation as tables: what the timeline shows, for keyboards and screen readers. */

import type { Ticks } from "../ticks";
import { arrivedRows, ctiAt, endAt, type StandingPane, standingPanes, standingRows } from "./standing";
import type { SimulatedRow, Simulation, Staircase, TrackRow } from "./types";

export interface CtiLine {
  staircase: Staircase;
  /** undefined: none yet; null: infinity. */
  at: Ticks | null | undefined;
}

export interface ResultLine {
  row: TrackRow;
  end: Ticks | null;
}

export interface NodeTable {
  node: string;
  kind: string;
  panes: readonly StandingPane[];
  results: readonly ResultLine[];
}

export interface SimulationTables {
  rows: readonly SimulatedRow[];
  ctis: readonly CtiLine[];
  nodes: readonly NodeTable[];
}

/** What stands at `k`: the rows that have arrived, every CTI, and of each node its panes and what it has given. */
export function tablesAt(simulation: Simulation, k: number): SimulationTables {
  return {
    rows: arrivedRows(simulation, k),
    ctis: simulation.staircases.map((staircase) => ({ staircase, at: ctiAt(staircase, k) })),
    nodes: simulation.tracks
      .filter((track) => track.kind !== "input")
      .map((track) => ({
        node: track.node,
        kind: track.kind,
        panes: standingPanes(simulation, track.node, k),
        results: standingRows(track, k).map((row) => ({ row, end: endAt(row, k) })),
      })),
  };
}
