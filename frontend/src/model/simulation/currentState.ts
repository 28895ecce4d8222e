/** The state of a simulation after `k` rows of the sample have arrived (0: none, rows + 1: after its end). */

import type { Ticks } from "../time/ticks";
import type { CtiStep, PaneState, SimulatedPane, SimulatedRow, Simulation, Staircase, Track, TrackRow } from "./types";

/** Return the last position: after the end of the sample. */
export function lastPosition(simulation: Simulation): number {
  return simulation.rows.length + 1;
}

/** Return the last of `steps`, sorted by `after`, that has happened by `k`; null before the first. */
export function stepAt<S extends { after: number }>(steps: readonly S[], k: number): S | null {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle]?.after ?? Number.POSITIVE_INFINITY) <= k) low = middle + 1;
    else high = middle;
  }
  return steps[low - 1] ?? null;
}

export function arrivedRows(simulation: Simulation, k: number): readonly SimulatedRow[] {
  return k >= simulation.rows.length ? simulation.rows : simulation.rows.slice(0, k);
}

export function isCurrent(row: TrackRow, k: number): boolean {
  return row.after <= k && (row.gone_after === null || row.gone_after > k);
}

/** Return the end of a row as known at `k`; null is infinity. */
export function endAt(row: TrackRow, k: number): Ticks | null {
  return row.closed_after !== null && row.closed_after <= k ? row.closed_end : row.end;
}

/** Return the current rows of a node at `k`, without those that only close or retract another one. */
export function currentRows(track: Track, k: number): TrackRow[] {
  return track.rows.filter((row) => isCurrent(row, k) && !row.deleted && row.closes === null);
}

/** Return the CTI of a staircase at `k`: undefined before the first, null for infinity. */
export function ctiAt(staircase: Staircase, k: number): Ticks | null | undefined {
  return stepAt<CtiStep>(staircase.steps, k)?.at;
}

export type PanePhase = "open" | "complete" | "closed";

export interface CurrentPane {
  pane: SimulatedPane;
  start: Ticks;
  end: Ticks | null;
  phase: PanePhase;
  /** The numbers of its sample rows, in order. */
  rows: readonly number[];
  values: Readonly<Record<string, unknown>>;
}

export function phaseAt(pane: SimulatedPane, k: number): PanePhase {
  if (pane.closed !== null && pane.closed <= k) return "closed";
  return pane.complete !== null && pane.complete <= k ? "complete" : "open";
}

/** Return the content of a pane at `k`; null before it exists, or after it was merged into another one. */
export function paneAt(pane: SimulatedPane, k: number): CurrentPane | null {
  if (pane.opened > k || (pane.gone !== null && pane.gone <= k)) return null;
  const state = stepAt<PaneState>(pane.states, k);
  return {
    pane,
    start: state?.start ?? pane.start,
    end: state === null ? pane.end : state.end,
    phase: phaseAt(pane, k),
    rows: rowsOf(pane.states, k),
    values: state?.values ?? {},
  };
}

function rowsOf(states: readonly PaneState[], k: number): number[] {
  const held = new Set<number>();
  for (const state of states) {
    if (state.after > k) break;
    for (const number of state.removed) held.delete(number);
    for (const number of state.added) held.add(number);
  }
  return [...held].toSorted((one, other) => one - other);
}

export function currentPanes(simulation: Simulation, node: string, k: number): CurrentPane[] {
  return simulation.panes.flatMap((pane) => (pane.node === node ? (paneAt(pane, k) ?? []) : []));
}

/** Return the number of rows that arrived by `k`, by outcome. */
export function outcomesAt(simulation: Simulation, k: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { outcome } of arrivedRows(simulation, k)) {
    if (outcome !== null) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return counts;
}

const spoken = new WeakMap<Simulation, ReadonlyMap<number, ReadonlySet<number>>>();

/** The positions at which each pane emits; computed once for each simulation. */
function emitPositions(simulation: Simulation): ReadonlyMap<number, ReadonlySet<number>> {
  const known = spoken.get(simulation);
  if (known !== undefined) return known;
  const after = new Map(simulation.tracks.flatMap((track) => track.rows.map((row) => [row.id, row.after] as const)));
  const found = new Map(
    simulation.panes.map((pane) => [pane.id, new Set(pane.spoke.map((id) => after.get(id) ?? -1))]),
  );
  spoken.set(simulation, found);
  return found;
}

/** Return true if a pane emits at exactly `k`, so that it flashes. */
export function emitsAt(simulation: Simulation, pane: SimulatedPane, k: number): boolean {
  return emitPositions(simulation).get(pane.id)?.has(k) ?? false;
}
