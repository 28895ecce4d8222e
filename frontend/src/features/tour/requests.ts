import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "../../lib/api";
import { useSlug } from "../../lib/session";
import type { TourContents } from "../../model/tour";

const EVERY_MS = 5_000;

/** What the organisation has, as far as the tour says it; null while it is not known. */
export function useTourContents() {
  const slug = useSlug();
  const params = { path: { slug } };
  const streams = useQuery({
    queryKey: [slug, "streams"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/streams/", { params })),
  });
  const queries = useQuery({
    queryKey: [slug, "queries"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/queries/", { params })),
  });
  const bindings = useQuery({
    queryKey: [slug, "runs", "bindings"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/", { params })),
    refetchInterval: EVERY_MS,
  });
  const contents: TourContents | null =
    streams.data && queries.data && bindings.data
      ? { streams: streams.data, queries: queries.data, bindings: bindings.data }
      : null;
  return { contents, error: streams.error ?? queries.error ?? bindings.error };
}
