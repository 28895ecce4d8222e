import { useContents } from "../../lib/contents";
import type { TourContents } from "../../model/tour";

/** What the organisation has, as far as the tour says it; null while it is not known. */
export function useTourContents() {
  const { streams, queries, bindings } = useContents();
  const contents: TourContents | null =
    streams.data && queries.data && bindings.data
      ? { streams: streams.data, queries: queries.data, bindings: bindings.data }
      : null;
  return { contents, error: streams.error ?? queries.error ?? bindings.error };
}
