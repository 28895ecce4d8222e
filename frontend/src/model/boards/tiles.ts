/** Tiles of a board: moved, resized, added and removed; a chart's tile and its definition on the results page. */

import type { BoardDefinition } from "../api";
import { type ChartDefinition, chartOf } from "../results/chart";

export type BoardTile = NonNullable<BoardDefinition["tiles"]>[number];
export type ChartTile = Extract<BoardTile, { kind: "chart" }>;
export type BindingTile = Extract<BoardTile, { binding: string }>;
export type LatenessTile = Exclude<BindingTile, ChartTile>;
export type TextTile = Extract<BoardTile, { kind: "text" }>;

export const COLUMNS = 12;
const LEAST_COLUMNS = 2;
const MOST_ROWS = 6;

/** Return `tiles` with the tile at `from` at the place `to`. */
export function moved<T>(tiles: readonly T[], from: number, to: number): T[] {
  const rest = tiles.filter((_, index) => index !== from);
  const tile = tiles[from];
  return tile === undefined ? [...tiles] : [...rest.slice(0, to), tile, ...rest.slice(to)];
}

/** Return a tile that is wider by so many columns and higher by so many rows, within the limits. */
export function resized(tile: BoardTile, columns: number, rows: number): BoardTile {
  const { width = 4, height = 2 } = tile;
  return {
    ...tile,
    width: Math.min(COLUMNS, Math.max(LEAST_COLUMNS, width + columns)),
    height: Math.min(MOST_ROWS, Math.max(1, height + rows)),
  };
}

/** Return the tile of a chart of the results page; the runs of a chart are always all on a board. */
export function chartTile(title: string, binding: string, chart: ChartDefinition): ChartTile {
  const single = chart.kind === "value";
  const text = (value: string) => (value === "" ? null : value);
  return {
    kind: "chart",
    title,
    binding,
    binding_name: "",
    width: single ? 3 : 6,
    height: single ? 1 : 3,
    where: [...chart.where],
    chart: {
      output: text(chart.output),
      kind: chart.kind,
      x: chart.x,
      bucket: single ? null : text(chart.bucket),
      measure: chart.measure,
      of: text(chart.of),
      group: single ? null : text(chart.group),
    },
  };
}

/** Return the definition of a tile's chart, without filters and range. */
export function definitionOf({ chart }: Pick<ChartTile, "chart">): ChartDefinition {
  const { output, kind, x, bucket, measure, of, group } = chart;
  return {
    ...chartOf(new URLSearchParams()),
    output: output ?? "",
    kind: kind ?? "bar",
    x: x ?? "start",
    bucket: bucket ?? "",
    measure: measure ?? "count",
    of: of ?? "",
    group: group ?? "",
  };
}

/** Return a board without tiles. */
export function emptyBoard(title: string): BoardDefinition {
  return { title, seconds: null, where: [], tiles: [] };
}

/** Return a name for a board with this title: only letters, digits and underscores. */
export function nameOf(title: string): string {
  const plain = title.toLowerCase().replace(/[^a-z0-9]+/g, "_");
  const trimmed = plain.replace(/^_+|_+$/g, "").slice(0, 60);
  return /^[a-z]/.test(trimmed) ? trimmed : `board_${trimmed}`.replace(/_$/, "");
}
