/** The items highlighted with the selected one: rows, panes and results. */

import { rowsOfAttempt } from "../../../../model/simulation/attempts";
import { lastPosition, paneAt } from "../../../../model/simulation/currentState";
import type { SimulatedAttempt, SimulatedPane, Simulation, TrackRow } from "../../../../model/simulation/types";
import { rowOfKey, type Selected, type SimulatorView } from "../view";

export interface Linked {
  rows: ReadonlySet<number>;
  results: ReadonlySet<number>;
  /** Rows missing from a selected pane. */
  missed: ReadonlySet<number>;
}

const NOTHING: Linked = { rows: new Set(), results: new Set(), missed: new Set() };

export function resultOf(simulation: Simulation, id: number): TrackRow | null {
  for (const track of simulation.tracks) {
    const found = track.rows.find((row) => row.id === id);
    if (found !== undefined) return found;
  }
  return null;
}

export function paneOf(simulation: Simulation, id: number): SimulatedPane | null {
  return simulation.panes.find((pane) => pane.id === id) ?? null;
}

export function attemptOf(simulation: Simulation, id: number): SimulatedAttempt | null {
  return simulation.attempts.find((attempt) => attempt.id === id) ?? null;
}

/** Return all rows of nodes that contributed to a row, and those computed from it. */
function family(simulation: Simulation, row: TrackRow): Set<number> {
  const byId = new Map(simulation.tracks.flatMap((track) => track.rows.map((each) => [each.id, each] as const)));
  const children = new Map<number, number[]>();
  for (const each of byId.values()) {
    for (const parent of each.parents) children.set(parent, [...(children.get(parent) ?? []), each.id]);
  }
  const walk = (from: number, next: (id: number) => readonly number[], found: Set<number>) => {
    for (const id of next(from)) {
      if (found.has(id)) continue;
      found.add(id);
      walk(id, next, found);
    }
    return found;
  };
  const up = walk(row.id, (id) => byId.get(id)?.parents ?? [], new Set([row.id]));
  return walk(row.id, (id) => children.get(id) ?? [], up);
}

function ofRow(simulation: Simulation, number: number): Linked {
  const results = simulation.tracks.flatMap((track) => track.rows.filter((row) => row.rows.includes(number)));
  return { ...NOTHING, rows: new Set([number]), results: new Set(results.map((row) => row.id)) };
}

function ofPane(simulation: Simulation, id: number): Linked {
  const pane = paneOf(simulation, id);
  if (pane === null) return NOTHING;
  const held = paneAt(pane, lastPosition(simulation))?.rows ?? [];
  return { rows: new Set(held), results: new Set(pane.spoke), missed: new Set(pane.missed) };
}

function ofAttempt(simulation: Simulation, id: number): Linked {
  const attempt = attemptOf(simulation, id);
  if (attempt === null) return NOTHING;
  return { ...NOTHING, rows: new Set(rowsOfAttempt(attempt)), results: new Set(attempt.results) };
}

export function linkedTo(view: SimulatorView, selected: Selected | null): Linked {
  const { simulation } = view;
  if (selected === null || selected.kind === "place") return NOTHING;
  switch (selected.kind) {
    case "row": {
      const row = rowOfKey(view, selected.key);
      return row === null ? NOTHING : ofRow(simulation, row.number);
    }
    case "pane":
      return ofPane(simulation, selected.id);
    case "attempt":
      return ofAttempt(simulation, selected.id);
    case "result": {
      const result = resultOf(simulation, selected.id);
      if (result === null) return NOTHING;
      return { ...NOTHING, rows: new Set(result.rows), results: family(simulation, result) };
    }
  }
}
