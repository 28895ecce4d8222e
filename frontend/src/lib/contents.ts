import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "./api";
import { useSlug } from "./session";

const EVERY_MS = 5_000;

/** What the organisation has, as far as the overview and the tour say it. */
export function useContents() {
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
  return { streams, queries, bindings };
}
