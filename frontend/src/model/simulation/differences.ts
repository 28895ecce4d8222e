/** The differences between two simulations, row by row and result by result. */

import { counted } from "../text/counts";
import { currentRows, lastPosition, paneAt } from "./currentState";
import type { SimulatedPane, SimulatedRow, Simulation, TrackRow } from "./types";

/** A simulation with the keys of its rows, which stay the same through edits. */
export interface NamedSimulation {
  simulation: Simulation;
  keys: readonly string[];
}

export interface RowChange {
  key: string;
  before: SimulatedRow;
  after: SimulatedRow;
}

export interface ResultChange {
  before: TrackRow;
  after: TrackRow;
  /** The fields whose values differ. */
  fields: readonly string[];
}

export interface Differences {
  outcomes: readonly RowChange[];
  added: readonly string[];
  removed: readonly { key: string; row: SimulatedRow }[];
  results: {
    added: readonly TrackRow[];
    gone: readonly TrackRow[];
    changed: readonly ResultChange[];
  };
  /** The old values of panes with the same node, group and times whose values differ at the end. */
  panes: ReadonlyMap<number, Readonly<Record<string, unknown>>>;
}

function rowsByKey({ simulation, keys }: NamedSimulation): Map<string, SimulatedRow> {
  return new Map(simulation.rows.flatMap((row, index) => (keys[index] === undefined ? [] : [[keys[index], row]])));
}

/** Return the rows that no later one replaced or retracted, of the nodes that emit results. */
export function finalResults(simulation: Simulation): TrackRow[] {
  const last = lastPosition(simulation);
  return simulation.tracks.filter((track) => track.kind === "output").flatMap((track) => currentRows(track, last));
}

const timesOf = (row: TrackRow) => `${row.node} ${row.start} ${row.closed_after === null ? row.end : row.closed_end}`;
const wholeOf = (row: TrackRow) => `${timesOf(row)} ${JSON.stringify(row.payload)}`;

function gathered<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** Return `items` without as many of each as `others` contains. */
function without(items: readonly TrackRow[], others: readonly TrackRow[]): TrackRow[] {
  const left = new Map([...gathered(others, wholeOf)].map(([key, group]) => [key, group.length]));
  return items.filter((item) => {
    const count = left.get(wholeOf(item)) ?? 0;
    if (count > 0) left.set(wholeOf(item), count - 1);
    return count === 0;
  });
}

function differingFields(before: TrackRow, after: TrackRow): string[] {
  const names = new Set([...Object.keys(before.payload), ...Object.keys(after.payload)]);
  return [...names].filter((name) => JSON.stringify(before.payload[name]) !== JSON.stringify(after.payload[name]));
}

/** Pair results with the same times but different values as changes; the most similar ones first. */
function paired(gone: readonly TrackRow[], added: readonly TrackRow[]): ResultChange[] {
  const candidates = gathered(added, timesOf);
  const pairs: ResultChange[] = [];
  for (const before of gone) {
    const same = candidates.get(timesOf(before)) ?? [];
    const all = same.map((after) => ({ before, after, fields: differingFields(before, after) }));
    const best = all.toSorted((one, other) => one.fields.length - other.fields.length)[0];
    if (best === undefined) continue;
    same.splice(same.indexOf(best.after), 1);
    pairs.push(best);
  }
  return pairs;
}

/** Return the results that only one of two simulations has, and those with other values. */
export function resultDifferences(before: Simulation, after: Simulation): Differences["results"] {
  const [old, now] = [finalResults(before), finalResults(after)];
  const [gone, added] = [without(old, now), without(now, old)];
  const changed = paired(gone, added);
  const from = new Set(changed.map((change) => change.before));
  const to = new Set(changed.map((change) => change.after));
  return { added: added.filter((row) => !to.has(row)), gone: gone.filter((row) => !from.has(row)), changed };
}

const paneKey = (pane: SimulatedPane) => JSON.stringify([pane.node, pane.group, pane.start, pane.end]);

type PaneValues = Readonly<Record<string, unknown>>;

function finalValues(simulation: Simulation, pane: SimulatedPane): PaneValues | null {
  return paneAt(pane, lastPosition(simulation))?.values ?? null;
}

/** Return panes that exist at the end in both, with the same node, group and times but different values. */
function paneDifferences(before: Simulation, after: Simulation): Differences["panes"] {
  const old = gathered(before.panes, paneKey);
  const found = new Map<number, PaneValues>();
  for (const pane of after.panes) {
    const values = finalValues(after, pane);
    const were = (old.get(paneKey(pane)) ?? [])
      .map((each) => finalValues(before, each))
      .filter((each) => each !== null);
    const [first] = were;
    if (values === null || first === undefined) continue;
    if (!were.some((each) => JSON.stringify(each) === JSON.stringify(values))) found.set(pane.id, first);
  }
  return found;
}

export function differencesBetween(before: NamedSimulation, after: NamedSimulation): Differences {
  const [old, now] = [rowsByKey(before), rowsByKey(after)];
  const outcomes: RowChange[] = [];
  for (const [key, row] of now) {
    const was = old.get(key);
    if (was !== undefined && (was.outcome !== row.outcome || was.reason !== row.reason)) {
      outcomes.push({ key, before: was, after: row });
    }
  }
  return {
    outcomes,
    added: [...now.keys()].filter((key) => !old.has(key)),
    removed: [...old].filter(([key]) => !now.has(key)).map(([key, row]) => ({ key, row })),
    results: resultDifferences(before.simulation, after.simulation),
    panes: paneDifferences(before.simulation, after.simulation),
  };
}

/** `3 rows changed outcome, 2 results changed, 1 result is new.` */
export function differenceWords({ outcomes, results }: Differences): string {
  const { added, gone, changed } = results;
  const parts = [
    ...(outcomes.length > 0 ? [`${counted(outcomes.length, "row")} changed outcome`] : []),
    ...(changed.length > 0 ? [`${counted(changed.length, "result")} changed`] : []),
    ...(added.length > 0 ? [`${counted(added.length, "new result")}`] : []),
    ...(gone.length > 0 ? [`${counted(gone.length, "result")} removed`] : []),
  ];
  return parts.length === 0 ? "no changes in outcomes or results." : `${parts.join(", ")}.`;
}
