import { type ReactNode, useMemo, useState } from "react";
import { NO_SAMPLE, type Sample, sampleOf } from "../../../model/simulation/sample/sample";
import { type Designer, useDesigner } from "../page/designer";
import { type GuideExample, useExample } from "../page/example";
import { PreviewContext } from "../preview/preview";
import { usePreview } from "../preview/usePreview";
import { useStreamDefinitions } from "../simulator/requests";
import { useRequestedSample } from "../simulator/sample/useRequestedSample";
import { useSample } from "../simulator/sample/useSample";
import { inputsOfGraph, useSettings } from "../simulator/settings/useSettings";
import { useAutomaticSample } from "./automaticSample";
import { type PageSample, PageSampleContext } from "./pageSample";

/** Return the name under which the browser keeps the sample of a page. */
function keptName({ query }: Designer, example: GuideExample | null): string {
  if (query !== null) return `query ${query.id}`;
  return example === null ? "new query" : `example ${example.name}`;
}

function sampleOfExample(example: GuideExample | null): Sample {
  return example === null ? NO_SAMPLE : sampleOf(example.rows, `of the example ${example.name}`, example.end);
}

function useSampleOfPage(): PageSample {
  const designer = useDesigner();
  const { graph, sql, replaceText } = designer;
  const streams = useStreamDefinitions(inputsOfGraph(graph).map(({ stream }) => stream));
  const example = useExample();
  const [beginning] = useState(() => sampleOfExample(example));
  const { sample, edits } = useSample(keptName(designer, example), beginning);
  const settings = useSettings(sql, graph, streams, replaceText);
  const requested = useRequestedSample(edits, sample.rows.length === 0);
  const automatic = useAutomaticSample({
    sample,
    streams: inputsOfGraph(graph).flatMap(({ stream }) => (streams.has(stream) ? [stream] : [])),
    graph,
    advance: settings.inForce,
    isRequested: example !== null || (requested.isRequested && requested.error === null),
  });
  const loading = requested.pending || automatic.loading;
  const error = requested.error ?? automatic.error;
  const { note, load } = automatic;
  return useMemo(
    () => ({ sample, edits, streams, settings, loading, error, note, load }),
    [sample, edits, streams, settings, loading, error, note, load],
  );
}

function Previewed({ children }: { children: ReactNode }) {
  return <PreviewContext value={usePreview()}>{children}</PreviewContext>;
}

/** The parts of the page that share a sample, and the results of the query on it. */
export function SampledPage({ children }: { children: ReactNode }) {
  return (
    <PageSampleContext value={useSampleOfPage()}>
      <Previewed>{children}</Previewed>
    </PageSampleContext>
  );
}
