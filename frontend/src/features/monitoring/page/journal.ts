import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";

/** The journal of a run, paged, newest first; read again when `state` (the time of the run's last change) changes. */
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of state adds an entry
  useEffect(() => {
    void refetch();
  }, [state, refetch]);
  return pages;
}
