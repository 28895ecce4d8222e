import { api, unwrap } from "../../../lib/api/client";
import { importsCtis } from "../../../model/graph/importsCtis";
import { itemsOf, type Sample } from "../../../model/simulation/sample/sample";
import type { SampleItem } from "../../../model/simulation/types";
import type { PreviewRequest } from "./preview";

const numbers = new WeakMap<Sample, number>();
let last = 0;

/** Return a number that only this sample has; an edited sample is another object. */
function numberOf(sample: Sample): number {
  const known = numbers.get(sample) ?? ++last;
  numbers.set(sample, known);
  return known;
}

/** The simulation of a text on a sample. Its key has everything that the result depends on, so no answer is mistaken for another. */
export function simulationOf(slug: string, request: PreviewRequest | null) {
  const key = request === null ? null : [request.text, numberOf(request.sample), request.streams ?? {}];
  return {
    queryKey: [slug, "preview", key],
    queryFn: ({ signal }: { signal: AbortSignal }) => {
      const { text, sample, streams } = request as PreviewRequest;
      const rows = itemsOf(sample, importsCtis(text)) as SampleItem[];
      const body = { text, advance: {}, streams: { ...streams }, sample: { rows, end: sample.end } };
      return unwrap(api.POST("/api/t/{slug}/queries/simulate/", { params: { path: { slug } }, body, signal }));
    },
    enabled: request !== null,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  };
}
