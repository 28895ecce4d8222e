import type { EChartsOption } from "echarts";
import { formatCompact, formatCount } from "../../lib/numbers";
import { token } from "../../lib/theme";
import { type Bucket, bucketWords } from "../../model/lateness";
import { formatSpan } from "../../model/ticks";
import { frame, palette, valueAxis } from "./axes";
import { tip } from "./tip";

/** How many rows were late by how much; each bar covers twice the time of the one before it. */
export function latenessOption(buckets: readonly Bucket[]): EChartsOption {
  const colours = palette();
  return {
    ...frame(colours),
    xAxis: {
      type: "category",
      data: buckets.map((bucket) => formatSpan(bucket.from)),
      name: "lateness from (each bar up to twice that)",
      nameLocation: "middle",
      nameGap: 26,
      nameTextStyle: { color: colours.quiet, fontSize: 12 },
      axisLabel: { color: colours.quiet, fontSize: 12, hideOverlap: true },
      axisLine: { lineStyle: { color: colours.line } },
      axisTick: { show: false },
    },
    yAxis: valueAxis(colours, { name: "late rows", label: formatCompact }),
    tooltip: {
      trigger: "axis",
      confine: true,
      backgroundColor: colours.surface,
      borderColor: colours.line,
      textStyle: { color: colours.ink, fontSize: 12 },
      formatter: (params: unknown) => {
        const [first] = (Array.isArray(params) ? params : [params]) as { dataIndex?: number }[];
        const bucket = buckets[first?.dataIndex ?? -1];
        if (bucket === undefined) return "";
        return tip([`late by ${bucketWords(bucket)}`], [{ name: "", value: `${formatCount(bucket.count)} rows` }]);
      },
    },
    series: [
      {
        id: "lateness",
        name: "late rows",
        type: "bar",
        barCategoryGap: "8%",
        itemStyle: { color: token("--accent") },
        data: buckets.map((bucket) => bucket.count),
      },
    ],
  };
}
