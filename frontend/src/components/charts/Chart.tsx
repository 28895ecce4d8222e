import type { EChartsOption } from "echarts";
import { BarChart, LineChart } from "echarts/charts";
import { GridComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { useEffect, useRef } from "react";

echarts.use([BarChart, GridComponent, LineChart, MarkAreaComponent, MarkLineComponent, SVGRenderer, TooltipComponent]);

interface ChartProps {
  option: EChartsOption;
  /** A sentence for screen readers: what the chart shows, with its newest figures. */
  label: string;
}

/** An SVG chart in UTC that resizes with its container. A new option replaces series by their ids. */
export function Chart({ option, label }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<echarts.ECharts | null>(null);

  useEffect(() => {
    if (box.current === null) return undefined;
    const made = echarts.init(box.current, undefined, { renderer: "svg" });
    chart.current = made;
    const watch = new ResizeObserver(() => made.resize());
    watch.observe(box.current);
    return () => {
      watch.disconnect();
      made.dispose();
      chart.current = null;
    };
  }, []);

  useEffect(() => {
    chart.current?.setOption(
      { useUTC: true, animation: false, ...option },
      { notMerge: false, replaceMerge: ["series"], lazyUpdate: true },
    );
  }, [option]);

  return <div ref={box} className="chart" role="img" aria-label={label} />;
}
