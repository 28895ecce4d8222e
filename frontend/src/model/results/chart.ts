/** The definition of a chart of results: the same parameters in the address, in requests and in exports. */

import type { ChartColumn, ChartPoint, ChartResponse } from "../api";
import { formatInstant } from "../time/ticks";

export const KINDS = ["line", "bar", "heat", "value", "table"] as const;
export type ChartKind = (typeof KINDS)[number];
export const MEASURES = ["count", "sum", "mean", "min", "max"] as const;
export type Measure = (typeof MEASURES)[number];

/** Empty texts are left out: the only output, each time, all rows, no group, no limit, all runs. */
export interface ChartDefinition {
  kind: ChartKind;
  output: string;
  x: string;
  bucket: string;
  measure: Measure;
  of: string;
  group: string;
  /** `FIELD:VALUE`, or `FIELD` for null. */
  where: readonly string[];
  from: string;
  to: string;
  run: string;
}

function oneOf<T extends string>(options: readonly T[], text: string | null, usual: T): T {
  return options.find((each) => each === text) ?? usual;
}

/** Return the definition in an address. */
export function chartOf(params: URLSearchParams): ChartDefinition {
  const text = (name: string) => params.get(name) ?? "";
  return {
    kind: oneOf(KINDS, params.get("kind"), "bar"),
    output: text("output"),
    x: text("x") || "start",
    bucket: text("bucket"),
    measure: oneOf(MEASURES, params.get("measure"), "count"),
    of: text("of"),
    group: text("group"),
    where: params.getAll("where"),
    from: text("from"),
    to: text("to"),
    run: text("run"),
  };
}

/** Return the parameters of an address and of a request, without those that this kind or measure doesn't use. */
export function chartParams(chart: ChartDefinition): URLSearchParams {
  const single = chart.kind === "value";
  const used: Record<string, string> = {
    kind: chart.kind,
    output: chart.output,
    x: single ? "" : chart.x,
    bucket: single ? "" : chart.bucket,
    measure: chart.measure,
    of: chart.of,
    group: single ? "" : chart.group,
    from: chart.from.trim(),
    to: chart.to.trim(),
    run: chart.run,
  };
  const params = new URLSearchParams(Object.entries(used).filter(([, value]) => value !== ""));
  for (const each of chart.where) params.append("where", each);
  return params;
}

/** Return the path below the organisation, with parameters, of the rows of the chart as a file. */
export function filePath(binding: string, chart: ChartDefinition, output: string, format: string): string {
  const params = new URLSearchParams({ format, output });
  if (chart.from.trim()) params.set("from", chart.from.trim());
  if (chart.to.trim()) params.set("to", chart.to.trim());
  for (const each of chart.where) params.append("where", each);
  const owner = chart.run === "" ? `bindings/${binding}` : `runs/${chart.run}`;
  return `${owner}/results/file/?${params}`;
}

const NUMERIC = /^(long|double|decimal)/;
const NESTED = /^(array|struct)/;
/** The last columns of every export have the state of a row. */
const STATES = 4;
const OPERATION = 2;

export interface ColumnChoices {
  /** Columns for the positions and the groups of points. */
  positions: readonly ChartColumn[];
  numbers: readonly ChartColumn[];
  fields: readonly ChartColumn[];
}

/** Return the columns that each part of a definition may use; those of all runs have their run before the fields. */
export function columnChoices(columns: readonly ChartColumn[], run: string): ColumnChoices {
  const own = columns.slice(0, Math.max(0, columns.length - STATES)).filter((_, index) => index !== OPERATION);
  const single = (each: ChartColumn) => !NESTED.test(each.type);
  const fields = own.slice(run === "" ? OPERATION + 1 : OPERATION).filter(single);
  return {
    positions: own.filter(single),
    fields,
    numbers: fields.filter(({ type }) => NUMERIC.test(type)),
  };
}

/** Return the first measure of results with these columns: the sum of their first whole number, else all rows. */
export function usualMeasure(columns: readonly ChartColumn[], run: string): Pick<ChartDefinition, "measure" | "of"> {
  const first = columnChoices(columns, run).numbers.find(({ type }) => type === "long");
  return first === undefined ? { measure: "count", of: "" } : { measure: "sum", of: first.name };
}

export type PointState = "final" | "provisional" | "undecided" | "repaired";

/** Return the state of a point: what may still change counts before what was repaired. */
export function stateOf(point: ChartPoint): PointState {
  if (point.provisional > 0) return "provisional";
  if (point.undecided > 0) return "undecided";
  return point.repaired > 0 ? "repaired" : "final";
}

/** Return the position of a point as text; null for rows without an end and for null values. */
export function positionText(chart: ChartResponse, point: ChartPoint): string | null {
  return chart.axis === "time" ? (point.at === null ? null : formatInstant(point.at)) : point.category;
}

/** Return the groups of a chart in the order of their points. */
export function groupsOf(chart: ChartResponse): (string | null)[] {
  return [...new Set(chart.points.map(({ group }) => group))];
}

/** Return the positions of a chart in order. */
export function positionsOf(chart: ChartResponse): (string | null)[] {
  return [...new Set(chart.points.map((point) => positionText(chart, point)))];
}

/** Return the value for drawing: rounded to a double; null without a value. */
export function heightOf(point: ChartPoint): number | null {
  return point.value === null ? null : Number(point.value);
}

const PLAIN = /^(-?)(\d+)(\.\d+)?$/;

/** Return a number with all of its digits, in groups of three before the point. */
export function numberText(value: string): string {
  const match = PLAIN.exec(value);
  if (match === null) return value;
  const [, sign = "", whole = "", rest = ""] = match;
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ",")}${rest}`;
}

/** Return the value that a point would have without drops, if they add up. */
export function withoutDrops(chart: ChartResponse, point: ChartPoint): string | null {
  if (!chart.dropped.adds_up || point.dropped === null || point.value === null) return null;
  return String(BigInt(point.value) + BigInt(point.dropped));
}
