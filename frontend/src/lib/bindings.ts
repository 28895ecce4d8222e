import { useQuery } from "@tanstack/react-query";
import { api, unwrap } from "./api";
import { useSlug } from "./session";

/** The bindings of the organisation, to choose from. */
export function useBindingChoices() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "bindings"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/", { params: { path: { slug } } })),
  });
}

/** All versions of a query, newest first; of none where there is no query. */
export function useVersionsOf(query: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "queries", query, "versions"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/queries/{query}/versions/", { params: { path: { slug, query } } })),
    enabled: query !== "",
  });
}
