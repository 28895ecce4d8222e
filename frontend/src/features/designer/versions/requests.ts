import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";

const LISTED = 100;

/** The versions of a query, newest first; older ones load on request. */
export function useVersionPages(query: string) {
  const slug = useSlug();
  return useInfiniteQuery({
    queryKey: [slug, "queries", query, "versions", "pages"],
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET("/api/t/{slug}/queries/{query}/versions/", {
          params: { path: { slug, query }, query: pageParam === null ? {} : { before: pageParam } },
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => (page.length < LISTED ? undefined : page.at(-1)?.number),
  });
}

/** The differences between two versions, in words. */
export function useVersionDifference(query: string, before: string, after: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "queries", query, "difference", before, after],
    queryFn: () =>
      unwrap(
        api.GET("/api/t/{slug}/queries/{query}/difference/", {
          params: { path: { slug, query }, query: { before, after } },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY, // versions never change
  });
}

export type Side = "theirs" | "mine";

/** Merge the user's text with another person's changes; null while there is no text. */
export function useMerge(
  query: string,
  base: string,
  theirs: string,
  text: string | null,
  choices: Record<string, Side>,
) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "queries", query, "merge", base, theirs, text, choices],
    queryFn: () =>
      unwrap(
        api.POST("/api/t/{slug}/queries/{query}/merge/", {
          params: { path: { slug, query } },
          body: { base, theirs, text: text ?? "", choices },
        }),
      ),
    enabled: text !== null,
    placeholderData: (before) => before,
    retry: false,
  });
}
