import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, unwrap } from "../../lib/api";
import { useSlug } from "../../lib/session";

/** The journal of a run by pages, newest first; read again whenever `state` (when the run last changed) is another. */
export function useJournal(run: string, state: string) {
  const slug = useSlug();
  const pages = useInfiniteQuery({
    queryKey: [slug, "runs", run, "journal"],
    queryFn: ({ pageParam }) => {
      const query = pageParam === null ? {} : { before: pageParam };
      return unwrap(api.GET("/api/t/{slug}/runs/{run}/journal/", { params: { path: { slug, run }, query } }));
    },
    initialPageParam: null as number | null,
    getNextPageParam: (last) => last.next,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { refetch } = pages;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of state is an entry
  useEffect(() => {
    void refetch();
  }, [state, refetch]);
  return pages;
}
