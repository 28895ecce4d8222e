/** The curve of rows kept by delay: steps, because nothing changes between two delays of the list. */

import type { WhatIf } from "../../api";
import { formatSpan, type Ticks } from "../../time/ticks";
import { timeStep } from "../../time/timeSteps";

export type DelayPoint = WhatIf["points"][number];

export interface CurveArea {
  width: number;
  height: number;
}

export interface DelayCurve {
  /** The position of a delay, in pixels. */
  x: (delay: Ticks) => number;
  y: (share: number) => number;
  whole: string;
  kept: string;
  marks: readonly { x: number; words: string }[];
  /** The lowest share on the axis; it is not zero, so that small differences are visible. */
  lowest: number;
}

function stepLine(
  points: readonly DelayPoint[],
  curve: Pick<DelayCurve, "x" | "y">,
  right: number,
  of: (point: DelayPoint) => number,
): string {
  const line = points.map((point, index) => {
    const next = points[index + 1];
    const until = next === undefined ? right : curve.x(next.delay);
    const y = curve.y(of(point)).toFixed(1);
    return `${index === 0 ? "M" : "L"}${curve.x(point.delay).toFixed(1)} ${y} L${until.toFixed(1)} ${y}`;
  });
  return line.join(" ");
}

export function delayCurve(points: readonly DelayPoint[], { width, height }: CurveArea): DelayCurve {
  const delays = points.map((point) => point.delay);
  const from = Math.min(0, ...delays);
  const to = Math.max(1, ...delays) * 1.15;
  const lowest = Math.floor(Math.min(...points.map((point) => point.share_whole), 1) * 10) / 10;
  const floor = lowest >= 1 ? 0 : lowest;
  const x = (delay: Ticks) => ((delay - from) / (to - from)) * width;
  const y = (share: number) => height - ((share - floor) / (1 - floor)) * (height - 6) - 1;
  const step = timeStep(to - from, Math.max(2, Math.floor(width / 62)));
  const first = Math.ceil(from / step);
  const count = Math.floor(to / step) - first + 1;
  const marks = Array.from({ length: count }, (_, index) => {
    const delay = (first + index) * step;
    return { x: x(delay), words: formatSpan(delay) };
  });
  const curve = { x, y };
  return {
    ...curve,
    marks,
    lowest: floor,
    whole: stepLine(points, curve, width, (point) => point.share_whole),
    kept: stepLine(points, curve, width, (point) => point.share_kept),
  };
}

/** Return the smallest delay with the highest share of rows kept whole. */
export function bestPoint(points: readonly DelayPoint[]): DelayPoint | null {
  const most = Math.max(...points.map((point) => point.share_whole));
  return points.find((point) => point.share_whole === most) ?? null;
}
