import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import { downloadFile, saveFile } from "../../../lib/api/download";
import { type ChartDefinition, chartParams, filePath } from "../../../model/results/chart";
import type { DownloadProgress, ExportFormat } from "../../../model/results/resultExport";

const AGAIN_MS = 15_000;

export function useBindingShown(binding: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "bindings", binding],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/{binding}/", { params: { path: { slug, binding } } })),
  });
}

/** The points of a chart, computed again while the page is visible. */
export function useChart(binding: string, chart: ChartDefinition) {
  const slug = useSlug();
  const params = chartParams(chart);
  const { where: _, ...single } = Object.fromEntries(params) as Record<string, string>;
  const query = { ...single, where: params.getAll("where") };
  return useQuery({
    queryKey: [slug, "bindings", binding, "chart", params.toString()],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET("/api/t/{slug}/bindings/{binding}/results/chart/", {
          params: { path: { slug, binding }, query: query as object },
          signal,
        }),
      ),
    refetchInterval: AGAIN_MS,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** Download the rows of a chart as a file. */
export function useChartFile(binding: string, chart: ChartDefinition, output: string) {
  const slug = useSlug();
  const aborting = useRef<AbortController | null>(null);
  const [progress, setProgress] = useState<DownloadProgress>({ received: 0, total: null });
  useEffect(() => () => aborting.current?.abort(), []);
  const downloading = useMutation({
    mutationFn: async (format: ExportFormat) => {
      aborting.current = new AbortController();
      setProgress({ received: 0, total: null });
      const path = `/api/t/${slug}/${filePath(binding, chart, output, format)}`;
      const file = await downloadFile(path, aborting.current.signal, setProgress);
      saveFile(file);
      return { rows: file.rows, bytes: file.content.size };
    },
  });
  return { downloading, progress };
}
