import { useContents } from "../../lib/resources/contents";
import type { TourContents } from "../../model/organisation/tour";

/** The organisation's objects that matter for the tour; null while unknown. */
export function useTourContents() {
  const { streams, queries, bindings } = useContents();
  const contents: TourContents | null =
    streams.data && queries.data && bindings.data
      ? { streams: streams.data, queries: queries.data, bindings: bindings.data }
      : null;
  return { contents, error: streams.error ?? queries.error ?? bindings.error };
}
