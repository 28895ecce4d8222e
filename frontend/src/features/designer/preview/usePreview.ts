import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useSlug } from "../../../lib/account/session";
import { type NodeFigures, nodeFigures } from "../../../model/simulation/figures";
import { lineAndColumn } from "../../../model/text/spans";
import { type Designer, useDesigner } from "../page/designer";
import { useOwnStreams } from "../page/example";
import { type PageSample, usePageSample } from "../sampling/pageSample";
import { inputsOfGraph } from "../simulator/settings/useSettings";
import { NO_PREVIEW, type Preview, type PreviewAnswer, type PreviewRequest, type PreviewState } from "./preview";
import { simulationOf } from "./simulationOf";

export const FOREIGN = "The sample has no rows of";

/** The time from the last change to the request. */
export const PAUSE_MS = 300;

function errorWords({ sql, known }: Designer): string {
  const first = known.find(({ severity }) => severity === "error");
  if (first === undefined) return "The query has errors.";
  const at = first.span == null || sql === null ? "" : ` in line ${lineAndColumn(sql, first.span.start).line}`;
  return `The query has an error${at}: ${first.message}`;
}

/** Return why there is no sample to run the query on; null while one is being loaded. */
function missingSample(read: readonly string[], { streams, loading, error }: PageSample): string | null {
  if (loading) return null;
  if (error !== null) return "No sample could be loaded. Paste rows, or generate some.";
  if (read.length === 0) return "Write a query. Its results on a sample appear here.";
  return read.some((name) => streams.has(name)) ? null : "The query reads no existing stream.";
}

/** Return why the query has no results on a sample without rows of its streams; null if it may have some. */
function foreignSample(read: readonly string[], { sample }: PageSample): string | null {
  const names = new Set(sample.rows.map(({ row }) => row.stream));
  if (read.length === 0 || read.some((name) => names.has(name))) return null;
  return `${FOREIGN} ${read.join(" and ")}, which the query reads.`;
}

/** Return why nothing can be previewed; null if something can. */
function blockedBy(designer: Designer, page: PageSample): string | null {
  const { graph, faults, current } = designer;
  const isWrong = faults?.some(({ severity }) => severity === "error") ?? false;
  if (!current || isWrong) return errorWords(designer);
  const read = [...new Set(inputsOfGraph(graph).map(({ stream }) => stream))];
  if (page.sample.rows.length === 0) return missingSample(read, page);
  return faults === null ? null : foreignSample(read, page);
}

/** Return a value that has stayed the same for a while; null until then. The first one counts at once. */
function useSettled<T extends object>(value: T | null): T | null {
  const [settled, setSettled] = useState<T | null>(value);
  const [isFirst, setFirst] = useState(value === null);
  useEffect(() => {
    if (value === null) return undefined;
    const timer = setTimeout(
      () => {
        setFirst(false);
        setSettled(value);
      },
      isFirst ? 0 : PAUSE_MS,
    );
    return () => clearTimeout(timer);
  }, [value, isFirst]);
  return settled === value ? settled : null;
}

/** Return the newest answer, also after the text has changed. */
function useNewest(answer: PreviewAnswer | null): PreviewAnswer | null {
  const [newest, setNewest] = useState(answer);
  if (answer !== null && answer.simulation !== newest?.simulation) setNewest(answer);
  return answer ?? newest;
}

const NO_FIGURES: ReadonlyMap<string, NodeFigures> = NO_PREVIEW.figures;

/** Run the query on the screen on the sample of the page, shortly after each change; earlier requests are cancelled. */
export function usePreview(): Preview {
  const slug = useSlug();
  const queries = useQueryClient();
  const designer = useDesigner();
  const page = usePageSample();
  const own = useOwnStreams();
  const { sql, faults } = designer;
  const { sample } = page;
  const blocked = blockedBy(designer, page);
  const wanted = useMemo(
    (): PreviewRequest | null =>
      sql === null || blocked !== null || sample.rows.length === 0 ? null : { text: sql, sample, ...own },
    [sql, blocked, sample, own],
  );
  const request = useSettled(wanted);
  const [stopped, setStopped] = useState<PreviewRequest | null>(null);
  const isStopped = request !== null && request === stopped;
  const asked = isStopped ? null : request;
  const { data, error, refetch } = useQuery(simulationOf(slug, asked));
  const present = useMemo(
    () => (asked === null || data === undefined ? null : { request: asked, simulation: data }),
    [asked, data],
  );
  const answer = useNewest(present);
  const figures = useMemo(
    () => (present === null || faults === null ? NO_FIGURES : nodeFigures(present.simulation)),
    [present, faults],
  );
  const state = useMemo((): PreviewState => {
    if (blocked !== null) return { kind: "blocked", reason: blocked };
    if (present !== null) return { kind: "current" };
    if (isStopped) return { kind: "stopped" };
    return error !== null && asked !== null ? { kind: "failed", error } : { kind: "pending" };
  }, [blocked, present, isStopped, error, asked]);
  const stop = useCallback(() => {
    setStopped(request);
    void queries.cancelQueries({ queryKey: simulationOf(slug, request).queryKey });
  }, [queries, slug, request]);
  const retry = useCallback(() => {
    setStopped(null);
    if (asked !== null) void refetch();
  }, [asked, refetch]);
  return useMemo(() => ({ state, answer, figures, stop, retry }), [state, answer, figures, stop, retry]);
}
