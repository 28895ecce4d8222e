/** What of each node's results stands where at a position; reckoned anew only for nodes of which something changes there. */

import { type PackedRow, packed } from "./geometry";
import type { TimeScale } from "./scale";
import { standingRows } from "./standing";
import type { Track } from "./types";

export const LINE = 20;
export const GAP = 6;
const MOST_LINES = 8;
const LEAST_HEIGHT = 40;

export interface TrackLayout {
  track: Track;
  /** What is drawn; what would take more lines than there are is counted in `hidden`. */
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

/** The positions, in order, at which something of the track begins, ends, or is taken back. */
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

/** How many of `sorted` are at most `k`. */
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

/** The layout of a track at a position: the same object as at the last one, unless something of it has changed. */
export function layoutOf(track: Track, scale: TimeScale, position: number): TrackLayout {
  const changes = countTo(changesOf(track), position);
  const before = known.get(track);
  if (before !== undefined && before.scale === scale && before.changes === changes) return before.layout;
  const layout = laidOut(track, scale, position);
  known.set(track, { scale, changes, layout });
  return layout;
}

function laidOut(track: Track, scale: TimeScale, position: number): TrackLayout {
  const rows = packed(standingRows(track, position), scale, position, MOST_LINES);
  const seen = rows.filter(({ x, width }) => x < scale.width && x + width > -2);
  const lines = Math.min(MOST_LINES, Math.max(1, ...seen.map(({ line }) => line + 1)));
  const drawn = seen.filter(({ line }) => line < lines);
  const height = Math.max(lines * LINE + 6, LEAST_HEIGHT);
  return { track, drawn, hidden: seen.length - drawn.length, count: rows.length, height };
}

/** Whether a row of the track left at exactly `position`: it is drawn as fresh. */
export function speaks(track: Track, position: number): boolean {
  const changes = changesOf(track);
  return changes[countTo(changes, position) - 1] === position;
}
