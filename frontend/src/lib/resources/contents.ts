import { useQuery } from "@tanstack/react-query";
import { useSlug } from "../account/session";
import { api, unwrap } from "../api/client";
import { everyQuery, everyStream } from "../api/lists";

const EVERY_MS = 5_000;

/** The organisation's objects that the overview and the tour display. */
export function useContents() {
  const slug = useSlug();
  const params = { path: { slug } };
  const streams = useQuery({
    queryKey: [slug, "streams"],
    queryFn: () => everyStream(slug),
  });
  const queries = useQuery({
    queryKey: [slug, "queries"],
    queryFn: () => everyQuery(slug),
  });
  const bindings = useQuery({
    queryKey: [slug, "runs", "bindings"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/", { params })),
    refetchInterval: EVERY_MS,
  });
  return { streams, queries, bindings };
}
