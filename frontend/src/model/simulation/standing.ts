/** What of a simulation stands once `k` rows of the sample have arrived (0: none, rows + 1: after its end). */

import type { Ticks } from "../ticks";
import type { CtiStep, PaneState, SimulatedPane, SimulatedRow, Simulation, Staircase, Track, TrackRow } from "./types";

/** The last position: after the end of the sample. */
export function lastPosition(simulation: Simulation): number {
  return simulation.rows.length + 1;
}

/** The last of `steps`, which are in order of `after`, that has come by `k`; null before the first. */
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

export function stands(row: TrackRow, k: number): boolean {
  return row.after <= k && (row.gone_after === null || row.gone_after > k);
}

/** The end of a row as it is known at `k`; null is infinity. */
export function endAt(row: TrackRow, k: number): Ticks | null {
  return row.closed_after !== null && row.closed_after <= k ? row.closed_end : row.end;
}

/** The rows of a node that stand at `k`, without those that only close or take back another one. */
export function standingRows(track: Track, k: number): TrackRow[] {
  return track.rows.filter((row) => stands(row, k) && !row.deleted && row.closes === null);
}

/** The CTI of a staircase at `k`: undefined while there is none yet, null for infinity. */
export function ctiAt(staircase: Staircase, k: number): Ticks | null | undefined {
  return stepAt<CtiStep>(staircase.steps, k)?.at;
}

export type PanePhase = "open" | "complete" | "closed";

export interface StandingPane {
  pane: SimulatedPane;
  start: Ticks;
  end: Ticks | null;
  phase: PanePhase;
  /** Numbers of the sample's rows that it holds, in order. */
  rows: readonly number[];
  values: Readonly<Record<string, unknown>>;
}

export function phaseAt(pane: SimulatedPane, k: number): PanePhase {
  if (pane.closed !== null && pane.closed <= k) return "closed";
  return pane.complete !== null && pane.complete <= k ? "complete" : "open";
}

/** What the pane holds at `k`; null while it is not there, or once it has become part of another one. */
export function paneAt(pane: SimulatedPane, k: number): StandingPane | null {
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

export function standingPanes(simulation: Simulation, node: string, k: number): StandingPane[] {
  return simulation.panes.flatMap((pane) => (pane.node === node ? (paneAt(pane, k) ?? []) : []));
}

/** How many of the rows that arrived by `k` had each outcome. */
export function outcomesAt(simulation: Simulation, k: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { outcome } of arrivedRows(simulation, k)) {
    if (outcome !== null) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return counts;
}

const spoken = new WeakMap<Simulation, ReadonlyMap<number, ReadonlySet<number>>>();

/** By pane, the positions at which it speaks; gone through once for each simulation. */
function positionsOfSpeech(simulation: Simulation): ReadonlyMap<number, ReadonlySet<number>> {
  const known = spoken.get(simulation);
  if (known !== undefined) return known;
  const after = new Map(simulation.tracks.flatMap((track) => track.rows.map((row) => [row.id, row.after] as const)));
  const found = new Map(
    simulation.panes.map((pane) => [pane.id, new Set(pane.spoke.map((id) => after.get(id) ?? -1))]),
  );
  spoken.set(simulation, found);
  return found;
}

/** Whether a pane says something at exactly `k`: what flashes. */
export function speaksAt(simulation: Simulation, pane: SimulatedPane, k: number): boolean {
  return positionsOfSpeech(simulation).get(pane.id)?.has(k) ?? false;
}
