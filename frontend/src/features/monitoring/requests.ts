import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";
import type { LateQuery } from "../../model/results/quarantineFilters";
import type { Ticks } from "../../model/time/ticks";
import type { RunScope } from "./scope";

export function runKey(slug: string, run: string) {
  return [slug, "runs", run] as const;
}

export function useRun(run: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: runKey(slug, run),
    queryFn: () => unwrap(api.GET("/api/t/{slug}/runs/{run}/", { params: { path: { slug, run } } })),
  });
}

export function historyKey(slug: string, run: string) {
  return [slug, "runs", run, "history"] as const;
}

/** Load the stored history of a run's last `span`; live events continue it. */
export function useHistory(run: string, span: Ticks) {
  const slug = useSlug();
  return useQuery({
    queryKey: [...historyKey(slug, run), span],
    queryFn: () =>
      unwrap(
        api.GET("/api/t/{slug}/runs/{run}/history/", {
          params: { path: { slug, run }, query: { seconds: span / 1_000_000 } },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
}

/** A page of a list, newest first. Each page's `next` is the `before` of the following page. */
interface Page<R> {
  rows: R[];
  next: string | null;
}

function usePages<R>(key: readonly unknown[], read: (before: string | null) => Promise<Page<R>>) {
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useResults(run: string, runs: RunScope) {
  const slug = useSlug();
  const key = [slug, "runs", run, "results", runs];
  const pages = usePages(key, (before) => {
    const query = { runs, ...(before === null ? {} : { before }) };
    return unwrap(api.GET("/api/t/{slug}/runs/{run}/results/", { params: { path: { slug, run }, query } }));
  });
  return { pages, key };
}

export function useQuarantine(run: string, runs: RunScope, wanted: LateQuery) {
  const slug = useSlug();
  const key = [slug, "runs", run, "quarantine", runs, wanted];
  const pages = usePages(key, (before) => {
    const query = { runs, ...(before === null ? {} : { before }), ...wanted };
    return unwrap(api.GET("/api/t/{slug}/runs/{run}/quarantine/", { params: { path: { slug, run }, query } }));
  });
  return { pages, key };
}

/** The query, streams and settings of a run as of its start. They never change. */
export function useDefinition(run: string, wanted: boolean) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "runs", run, "definition"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/runs/{run}/definition/", { params: { path: { slug, run } } })),
    enabled: wanted,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const EVERY_MS = 8_000;
/** A table counts as visible until its top is one table height above the viewport. */
const TALL = "800px 0px 0px 0px";

interface Pages<R> {
  data: { pages: Page<R>[] } | undefined;
  isFetching: boolean;
  refetch: () => unknown;
}

/** Report whether the element of `ref` is visible, on a visible page. */
export function useInSight() {
  const ref = useRef<HTMLDivElement>(null);
  const inSight = useRef(false);
  useEffect(() => {
    if (ref.current === null) return undefined;
    const watch = new IntersectionObserver(
      (entries) => {
        inSight.current = entries.at(-1)?.isIntersecting ?? false;
      },
      { rootMargin: TALL },
    );
    watch.observe(ref.current);
    return () => watch.disconnect();
  }, []);
  return { ref, isInSight: () => inSight.current && document.visibilityState === "visible" };
}

/**
 * Keep the first page up to date while `total` grows, unless an older page is open: then the rows stay put for reading,
 * and `toNewest` resumes following. Nothing is loaded for an invisible table (`ref` marks it), unless it is empty.
 * `behind`: the rows are older than `total`, so an empty page does not mean that there are no rows.
 */
export function useFollowing<R>(pages: Pages<R>, key: readonly unknown[], total: number) {
  const { ref, isInSight } = useInSight();
  const queries = useQueryClient();
  const shown = useRef(total);
  const following = (pages.data?.pages.length ?? 0) <= 1;
  const empty = pages.data?.pages[0]?.rows.length === 0;
  const current = useRef({ pages, total, following, empty, isInSight });
  useEffect(() => {
    current.current = { pages, total, following, empty, isInSight };
  });
  useEffect(() => {
    const timer = setInterval(() => {
      const now = current.current;
      if (!now.following || now.pages.isFetching || now.total === shown.current) return;
      if (!now.empty && !now.isInSight()) return;
      shown.current = now.total;
      void now.pages.refetch();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return {
    ref,
    behind: pages.isFetching || total !== shown.current,
    newer: following ? 0 : Math.max(0, total - shown.current),
    toNewest: () => {
      shown.current = total;
      return queries.resetQueries({ queryKey: key, exact: true });
    },
  };
}
