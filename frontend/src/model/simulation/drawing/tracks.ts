/** The positions of each node's results; recomputed only for nodes that change. */

import { currentRows } from "../currentState";
import type { Track } from "../types";
import { type PackedRow, packed } from "./geometry";
import type { TimeScale } from "./scale";

export const LINE = 20;
export const GAP = 6;
const MOST_LINES = 8;
const LEAST_HEIGHT = 40;

export interface TrackLayout {
  track: Track;
  /** The drawn rows; those that don't fit into the lines are counted in `hidden`. */
  drawn: readonly PackedRow[];
  hidden: number;
  count: number;
  height: number;
}

interface Known {
  scale: TimeScale;
  changes: number;
  layout: TrackLayout;
}

const changesOfTracks = new WeakMap<Track, readonly number[]>();
const known = new WeakMap<Track, Known>();

/** Return the positions, in order, at which a row of the track starts, ends, or is retracted. */
function changesOf(track: Track): readonly number[] {
  const found = changesOfTracks.get(track);
  if (found !== undefined) return found;
  const positions = track.rows.flatMap((row) => [
    row.after,
    row.gone_after ?? row.after,
    row.closed_after ?? row.after,
  ]);
  const changes = [...new Set(positions)].toSorted((one, other) => one - other);
  changesOfTracks.set(track, changes);
  return changes;
}

/** Return how many of `sorted` are at most `k`. */
function countTo(sorted: readonly number[], k: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? Number.POSITIVE_INFINITY) <= k) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Return the layout of a track at a position: the same object as before, unless the track changed. */
export function layoutOf(track: Track, scale: TimeScale, position: number): TrackLayout {
  const changes = countTo(changesOf(track), position);
  const before = known.get(track);
  if (before !== undefined && before.scale === scale && before.changes === changes) return before.layout;
  const layout = laidOut(track, scale, position);
  known.set(track, { scale, changes, layout });
  return layout;
}

function laidOut(track: Track, scale: TimeScale, position: number): TrackLayout {
  const rows = packed(currentRows(track, position), scale, position, MOST_LINES);
  const seen = rows.filter(({ x, width }) => x < scale.width && x + width > -2);
  const lines = Math.min(MOST_LINES, Math.max(1, ...seen.map(({ line }) => line + 1)));
  const drawn = seen.filter(({ line }) => line < lines);
  const height = Math.max(lines * LINE + 6, LEAST_HEIGHT);
  return { track, drawn, hidden: seen.length - drawn.length, count: rows.length, height };
}

/** Return true if the track emitted a row at exactly `position`, so that it is highlighted. */
export function emitsRowAt(track: Track, position: number): boolean {
  const changes = changesOf(track);
  return changes[countTo(changes, position) - 1] === position;
}
