/** Settings that generate a sample with late rows for a query. */

import type { AdvanceTimeSettings, QueryGraph } from "../../api";
import { parseDuration, type Ticks } from "../../time/ticks";

export interface Generation {
  rows: number;
  rate: number;
  late_share: number;
  late_mean: string;
  late_max: string;
  seed: number;
}

const ROWS = 60;
const SECOND: Ticks = 1_000_000;
/** Three windows follow each other. */
const WINDOWS = 3;
/** Event time passes by this many delays, so that the CTI advances. */
const DELAYS = 20;

function durationOf(value: unknown): Ticks {
  return typeof value === "number" || typeof value === "string" ? (parseDuration(value) ?? 0) : 0;
}

function windowSizes({ nodes }: QueryGraph): Ticks[] {
  return nodes.flatMap((node) => ("window" in node && "size" in node.window ? [durationOf(node.window.size)] : []));
}

/**
 * Return the settings for a sample of `graph`: a minute or more, several windows, and lateness around twice the largest
 * delay, so that some rows are late whatever the delay is. Equal queries have equal samples.
 */
export function generationFor(graph: QueryGraph, advance: Readonly<Record<string, AdvanceTimeSettings>>): Generation {
  const delays = Object.values(advance).map(({ generate }) => durationOf(generate?.delay ?? 0));
  const delay = Math.max(0, ...delays);
  const span = Math.max(ROWS * SECOND, DELAYS * delay, WINDOWS * Math.max(0, ...windowSizes(graph)));
  const step = span / ROWS;
  const late = Math.round(Math.max(2 * delay, 5 * step));
  return {
    rows: ROWS,
    rate: SECOND / step,
    late_share: 0.2,
    late_mean: `${late}us`,
    late_max: `${4 * late}us`,
    seed: 1,
  };
}
