import type { BarSeriesOption, EChartsOption } from "echarts";
import { token } from "../../../lib/browser/theme";
import { formatCompact, formatRate } from "../../../lib/numbers";
import type { RunHistory } from "../../../model/run/history";
import { OUTCOME_WORDS, OUTCOMES, type Outcome } from "../../../model/run/outcomes";
import { perSecond } from "../../../model/run/rates";
import { toMilliseconds } from "../../../model/time/ticks";
import { type ChartSpan, frame, gapArea, palette, valueAxis, wallAxis, wallTip } from "./axes";

type Decal = NonNullable<NonNullable<BarSeriesOption["itemStyle"]>["decal"]>;

const STRIPE = "rgba(255, 255, 255, 0.45)";

/** Patterns distinguish the late outcomes without colour. Next to the many rows on time they would be specks. */
const DECALS: Partial<Record<Outcome, Decal>> = {
  adjusted: { symbol: "rect", color: STRIPE, rotation: Math.PI / 4, dashArrayX: [1, 0], dashArrayY: [2, 4] },
  dropped_late: { symbol: "rect", color: STRIPE, rotation: -Math.PI / 4, dashArrayX: [1, 0], dashArrayY: [2, 3] },
  malformed: { symbol: "rect", color: STRIPE, dashArrayX: [1, 0], dashArrayY: [2, 3] },
};

/** Return the outcomes that occur in the chart. */
export function shownOutcomes(history: RunHistory, lateOnly: boolean): Outcome[] {
  const totals = history.samples.at(-1)?.outcomes;
  const usual = (outcome: Outcome) => outcome === "on_time" || outcome === "reordered";
  return OUTCOMES.filter((outcome) => (lateOnly ? !usual(outcome) : true) && (totals?.[outcome] ?? 0) > 0);
}

/** Rows per second by outcome, stacked: the top of the stack is all received rows. */
export function outcomesOption(drawn: ChartSpan, shown: readonly Outcome[]): EChartsOption {
  const { history, to, span } = drawn;
  const colours = palette();
  const patterned = !shown.includes("on_time");
  const { bins, width } = perSecond(history.samples, to, span, history.freshness);
  const series: BarSeriesOption[] = shown.map((outcome) => ({
    id: outcome,
    type: "bar",
    name: OUTCOME_WORDS[outcome].label,
    stack: "outcomes",
    barCategoryGap: "12%",
    itemStyle: { color: token(`--${outcome}`), decal: (patterned ? DECALS[outcome] : undefined) ?? { symbol: "none" } },
    data: bins.map((bin) => [toMilliseconds(bin.at + width / 2), bin.outcomes[outcome]]),
  }));
  return {
    ...frame(colours),
    xAxis: wallAxis(colours, to - span, to),
    yAxis: valueAxis(colours, { name: "rows per second", label: formatCompact, of: "rate" }),
    tooltip: wallTip(colours, (rate) => `${formatRate(rate)} rows/s`),
    series: [...series, gapArea(colours, drawn)],
  };
}
