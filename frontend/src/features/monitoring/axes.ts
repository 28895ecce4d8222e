/** What the charts have in common: axes with units, colours of the theme, tooltips in UTC and local time. */

import type { EChartsOption } from "echarts";
import { token } from "../../lib/theme";
import { formatInstant, formatLocal, type Ticks, toMilliseconds } from "../../model/ticks";
import { tip } from "./tip";

export interface Palette {
  ink: string;
  quiet: string;
  line: string;
  surface: string;
  series: readonly string[];
}

export function palette(): Palette {
  return {
    ink: token("--ink"),
    quiet: token("--ink-2"),
    line: token("--line"),
    surface: token("--surface"),
    series: ["--accent", "--adjusted", "--reordered", "--late_kept"].map(token),
  };
}

const FONT = "system-ui, sans-serif";

function clockLabel(milliseconds: number): string {
  const text = new Date(milliseconds).toISOString();
  return milliseconds % 60_000 === 0 ? text.slice(11, 16) : text.slice(11, 19);
}

export function frame(colours: Palette): EChartsOption {
  return {
    textStyle: { fontFamily: FONT, color: colours.ink },
    grid: { left: 8, right: 16, top: 30, bottom: 28, containLabel: true },
    legend: { show: false },
  };
}

/** The wall clock from left to right. */
export function wallAxis(colours: Palette, from: Ticks, to: Ticks): NonNullable<EChartsOption["xAxis"]> {
  return {
    type: "time",
    min: toMilliseconds(from),
    max: toMilliseconds(to),
    name: "wall clock, UTC",
    nameLocation: "middle",
    nameGap: 26,
    nameTextStyle: { color: colours.quiet, fontSize: 12 },
    axisLabel: { color: colours.quiet, fontSize: 12, hideOverlap: true, formatter: clockLabel },
    axisLine: { lineStyle: { color: colours.line } },
    axisTick: { lineStyle: { color: colours.line } },
    splitLine: { show: false },
  };
}

interface ValueAxis {
  name: string;
  label: (value: number) => string;
  /** Milliseconds since the epoch, instead of a quantity from zero. */
  time?: boolean;
}

export function valueAxis(
  colours: Palette,
  { name, label, time = false }: ValueAxis,
): NonNullable<EChartsOption["yAxis"]> {
  return {
    type: time ? "time" : "value",
    name,
    nameLocation: "end",
    nameGap: 10,
    nameTextStyle: { color: colours.quiet, fontSize: 12, align: "left" },
    axisLabel: { color: colours.quiet, fontSize: 12, formatter: label },
    splitLine: { lineStyle: { color: colours.line } },
    axisLine: { show: false },
    axisTick: { show: false },
    splitNumber: 4,
  };
}

interface TipLine {
  seriesName?: string;
  color?: unknown;
  value?: unknown;
}

function numberOf(value: unknown): number | null {
  const picked = Array.isArray(value) ? value[1] : value;
  return typeof picked === "number" ? picked : null;
}

/** A tooltip of all series at one moment of the wall clock. */
export function wallTip(colours: Palette, words: (value: number) => string): NonNullable<EChartsOption["tooltip"]> {
  return {
    trigger: "axis",
    confine: true,
    backgroundColor: colours.surface,
    borderColor: colours.line,
    textStyle: { color: colours.ink, fontSize: 12 },
    formatter: (params: unknown) => {
      const lines = (Array.isArray(params) ? params : [params]) as TipLine[];
      const [first] = lines;
      const at = Array.isArray(first?.value) ? Number(first.value[0]) * 1_000 : 0;
      const rows = lines.flatMap(({ seriesName = "", color, value }) => {
        const number = numberOf(value);
        if (number === null) return [];
        return [{ name: seriesName, value: words(number), ...(typeof color === "string" && { colour: color }) }];
      });
      return tip([formatInstant(at), `${formatLocal(at)} (your time)`], rows);
    },
  };
}
