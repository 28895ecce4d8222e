import { useQuery } from "@tanstack/react-query";
import { useSlug } from "../account/session";
import { api, unwrap } from "../api/client";

/** The organisation's bindings, for a selection. */
export function useBindingChoices() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "bindings"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/", { params: { path: { slug } } })),
  });
}

/** All versions of a query, newest first; empty without a query. */
export function useVersionsOf(query: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "queries", query, "versions"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/queries/{query}/versions/", { params: { path: { slug, query } } })),
    enabled: query !== "",
  });
}
